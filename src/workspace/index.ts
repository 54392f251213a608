/**
 * Files and processes of the place where an agent works.
 */
export { type CommandExit, type CommandRequest, type GatedCommand, startCommand } from "./command.ts";
export {
  copyWorkspace,
  emptyFolder,
  type CopiedWorkspace,
  type IgnoredFiles,
} from "./copy/copy-workspace.ts";
export { ensureFolder, putFile, removeEmptyFolder, removeFile, setFileMode } from "./copy/put-file.ts";
export { codeOf, fileError, FileError } from "./file-errors.ts";
export {
  FileChanges,
  type FileChange,
  type FileChangesParts,
  type FileToChange,
  type NotedChanges,
} from "./file-changes.ts";
export { type FileImage, imageOf, isSameImage } from "./file-image.ts";
export { inFileOrder } from "./file-queue.ts";
export { globMatcher, printable } from "./file-list.ts";
export { applyHunks, byteText, type Hunk, type HunkLine, type HunksOutcome } from "./hunks.ts";
export { type LineWindow, readLineWindow, type WindowRequest } from "./line-window.ts";
export { displayPath, homeOf, type PathBase, resolvePath } from "./paths.ts";
export {
  endCommand,
  endMarked,
  type EndOptions,
  type EndOutcome,
  endProcessGroup,
  isCommandRunning,
} from "./process-end.ts";
export { type ProcessMark } from "./process-table.ts";
export { removeSibling, replaceableAt, targetOf } from "./replace-file.ts";
export { type RipgrepEnd, type RipgrepRequest, runRipgrep } from "./ripgrep.ts";
export { splice, type SpliceOutcome, type SpliceRequest } from "./splice.ts";
export {
  captureFiles,
  CaptureError,
  type CaptureOptions,
  type CaptureReason,
  type CheckpointFile,
} from "./snapshot/capture.ts";
export { openWorkspaceScanner } from "./scan/open-scanner.ts";
export { defaultScanLimits } from "./scan/types.ts";
export type {
  CoverageReason,
  ScanLimits,
  ScannedChange,
  ScannerOptions,
  ScanOutcome,
  ScanTime,
  ScanWindow,
  UnknownContent,
  WorkspaceScanner,
} from "./scan/types.ts";
export { type FileCalls, systemFiles } from "./snapshot/file-calls.ts";
export { type FoundFile, type Observed, observe, type Unusable } from "./snapshot/observe.ts";
export { parentsOf } from "./snapshot/parents.ts";
export { type Place, placeAt, within } from "./snapshot/place.ts";
export { stageOf, type WriteFailure, writeFailureOf, writeStage } from "./snapshot/stage.ts";
