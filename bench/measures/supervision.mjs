/** What supervision costs. */
import { figure } from "../lib/compare.mjs";
import { isShort } from "../lib/place.mjs";
import { measureSupervision } from "../subjects/supervision.mjs";

export async function measure() {
  return (await measureSupervision(isShort ? 0.1 : 1)).map(figure);
}
