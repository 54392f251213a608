/**
 * Order by code point, never by locale, so that every machine gives the same list: `Z` before `a`, `A10` before `A2`.
 *
 * Code units alone would put U+1F600, which is a pair of surrogates, before U+FF5E.
 */
export function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** Surrogates, 0xd800 to 0xdfff, stand for code points above all others. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
