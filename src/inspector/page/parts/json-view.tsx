import { useMemo, useState } from "preact/hooks";
import { jsonRows, type JsonRow } from "../model/json-rows.ts";

const LONG = 160;

/** A JSON value as a tree that opens and closes. */
export function JsonView(props: {
  readonly value: unknown;
  /** So many levels are open at first. */
  readonly openLevels: number;
  readonly label: string;
}): preact.JSX.Element {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () => jsonRows(props.value, (pointer, level) => level <= props.openLevels !== turned.has(pointer)),
    [props.value, props.openLevels, turned],
  );
  const turn = (pointer: string): void => {
    const next = new Set(turned);
    if (!next.delete(pointer)) next.add(pointer);
    setTurned(next);
  };
  if (rows.length === 0) return <p class="faint">nothing</p>;
  return (
    <ul class="json" aria-label={props.label}>
      {rows.map((row) => (
        <li key={row.pointer} style={{ paddingLeft: `${(row.level - 1) * 14}px` }}>
          {row.kind === "object" || row.kind === "array" ? (
            <button
              type="button"
              class="json-head"
              aria-expanded={row.isOpen}
              onClick={() => turn(row.pointer)}
            >
              <span class={row.isOpen ? "twist open" : "twist"} />
              <span class="json-name">{row.name}</span>
              <span class="json-outline">{row.isOpen ? "" : row.text}</span>
            </button>
          ) : (
            <Leaf row={row} isWhole={turned.has(row.pointer)} onTurn={() => turn(row.pointer)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Leaf(props: {
  readonly row: JsonRow;
  readonly isWhole: boolean;
  readonly onTurn: () => void;
}): preact.JSX.Element {
  const { row, isWhole } = props;
  const isLong = row.text.length > LONG;
  return (
    <span class="json-leaf">
      <span class="json-name">{row.name}</span>
      <span class={`json-${row.kind}`}>{isLong && !isWhole ? `${row.text.slice(0, LONG)}…` : row.text}</span>
      {isLong ? (
        <button type="button" class="link" aria-expanded={isWhole} onClick={props.onTurn}>
          {isWhole ? "less" : "all"}
        </button>
      ) : null}
    </span>
  );
}
