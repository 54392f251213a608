/**
 * Files and processes of the place where an agent works.
 */
export { type PathBase, InvalidPathError, displayPath, homeOf, resolvePath } from "./paths.ts";
export { FileError } from "./file-errors.ts";
export { type Replaced, replaceFile, targetOf } from "./replace-file.ts";
export { inFileOrder } from "./file-queue.ts";
export { type ProcessMark, bootId, markOf } from "./process-table.ts";
export { type EndOptions, type EndOutcome, callVariable, endMarked, endProcessGroup } from "./process-end.ts";
