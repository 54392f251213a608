/**
 * Which facts a list of tens of thousands needs: rows are fetched in pages of a fixed size, and a filter turns row numbers
 * into versions.
 */

/** Rows of a page. */
export const PAGE_ROWS = 200;

/** What the list shows: all versions up to the last, or those that match. */
export interface Listed {
  readonly last: number;
  /** In order; `null`: no filter. */
  readonly matches: readonly number[] | null;
}

/** How many rows it has. */
export function rowCount({ last, matches }: Listed): number {
  return matches === null ? last : matches.length;
}

/** The version in a row. */
export function versionOfRow({ matches }: Listed, row: number): number | undefined {
  return matches === null ? row + 1 : matches[row];
}

/** The row of a version, or of the nearest match before it; -1 when all matches come after it. */
export function rowOfVersion({ matches, last }: Listed, version: number): number {
  if (matches === null) return Math.min(version, last) - 1;
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((matches[middle] ?? Infinity) <= version) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Numbers of the pages that hold rows `from` to `to`, both included. */
export function pagesFor(from: number, to: number): number[] {
  const first = Math.floor(Math.max(0, from) / PAGE_ROWS);
  const last = Math.floor(Math.max(0, to) / PAGE_ROWS);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** From which version a page is asked for, and how many rows. `null`: there is no such page. */
export function requestOf(
  listed: Listed,
  page: number,
): { readonly from: number; readonly limit: number } | null {
  const from = versionOfRow(listed, page * PAGE_ROWS);
  const rows = Math.min(PAGE_ROWS, rowCount(listed) - page * PAGE_ROWS);
  return from === undefined || rows <= 0 ? null : { from, limit: rows };
}

/** The next match after (`1`) or before (`-1`) a version; `null` without one. */
export function nextMatch(listed: Listed, version: number, step: 1 | -1): number | null {
  const row = rowOfVersion(listed, step === 1 ? version : version - 1);
  return versionOfRow(listed, step === 1 ? row + 1 : row) ?? null;
}

/** Where a list of `tall` px has to be scrolled to so that a row is in sight, from `offset`: no further than needed. */
export function revealed(top: number, rowHeight: number, offset: number, tall: number): number {
  if (top < offset) return top;
  return top + rowHeight > offset + tall ? top + rowHeight - tall : offset;
}
