/** Where the JavaScript of this room is: a thread can't load TypeScript. */
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A file of the built package, as its absolute path: beside this module once that is JavaScript itself, else the same
 * place under the repository's `dist`.
 *
 * @param relative - from `extensions/`, such as `worker/meta.js` or `../../package.json`
 */
export function builtFile(relative: string): string {
  const here = fileURLToPath(import.meta.url);
  const folder = path.dirname(here);
  return path.resolve(here.endsWith(".ts") ? path.join(folder, "../../dist/extensions") : folder, relative);
}
