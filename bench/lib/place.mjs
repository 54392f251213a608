/** Where a run keeps its files, and how long it may take. The parent says both; see `run.mjs`. */
import { mkdtempSync } from "node:fs";
import path from "node:path";

/** A folder of this run, on the disk that is measured. */
const folder = process.env["LEMON_BENCH_FOLDER"] ?? "";

/** A smoke run: everything once through, on a tenth of the data. Its figures are not to be quoted. */
export const isShort = process.env["LEMON_BENCH"] === "smoke";

export function freshFolder(name) {
  return mkdtempSync(path.join(folder, `${name}-`));
}

/** The same file for every measure of this run. */
export function sharedFile(name) {
  return path.join(folder, name);
}

/** A count, or a tenth of it in a short run. */
export function scaled(count) {
  return isShort ? Math.ceil(count / 10) : count;
}
