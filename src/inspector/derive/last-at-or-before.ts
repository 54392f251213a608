/** Where a version stands among ascending versions. */

/** Index of the last one that is not greater; -1 when all are greater. Equal ones may repeat. */
export function lastAtOrBefore(ascending: readonly number[], version: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) <= version) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
