/** The figures for people. */

const columns = ["figure", "value", "floor", "ratio", "goal", "", "note"];

/** Aligned text, a line a figure. */
export function table(figures) {
  const lines = [columns, ...figures.map(cellsOf)];
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cellsOf({ name, unit, value, floor, ratio, goal, met, note }) {
  return [
    name,
    `${rounded(value)} ${unit}`,
    floor === null ? "" : rounded(floor),
    ratio === null ? "" : rounded(ratio),
    goal === null ? "" : goalText(goal),
    met === null ? "" : met ? "met" : "not met",
    note,
  ];
}

function goalText({ of, atLeast, atMost }) {
  const bound = atLeast === undefined ? `≤ ${rounded(atMost)}` : `≥ ${rounded(atLeast)}`;
  return of === "value" ? `${bound} (value)` : bound;
}

/** Three digits that count. */
function rounded(number) {
  return Math.abs(number) >= 1_000
    ? Math.round(number).toLocaleString("en")
    : String(Number(number.toPrecision(3)));
}
