/** The known name that is fewest edits away from `written`, if that is `limit` or less; the first of equals. */
export function nearest(written: string, known: readonly string[], limit: number): string | undefined {
  let best: string | undefined;
  let fewest = limit + 1;
  for (const name of known) {
    const edits = editDistance(written, name);
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

/** Letters to insert, remove or replace on the way from `a` to `b` (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1));
    }
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
