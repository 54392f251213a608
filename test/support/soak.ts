/**
 * How much the tests do that could go on for ever, by LEMON_SOAK: nothing in `npm test`, `long` in `npm run test:long`
 * (which .ci/run runs), `full` in `npm run soak`.
 */
export const soak = process.env["LEMON_SOAK"] ?? "short";

/** The number that belongs to this run. */
export function rounds(short: number, long: number, full: number): number {
  if (soak === "full") return full;
  return soak === "long" ? long : short;
}
