/**
 * The one way in which a text is cut to a cap.
 */

/**
 * `text`, or its first `cap - 1` code points and `…`. A code point is never split.
 *
 * @param cap - code points, from 1
 */
export function cutText(text: string, cap: number): string {
  if (text.length <= cap) return text;
  let units = 0;
  let beforeLast = 0;
  for (let points = 0; points < cap; points += 1) {
    if (units >= text.length) return text;
    if (points === cap - 1) beforeLast = units;
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units >= text.length ? text : `${text.slice(0, beforeLast)}…`;
}
