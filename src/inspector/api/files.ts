/** Files and their differences. docs/reference/inspector.md */

/** `GET /api/sessions/:id/files?at=V`: files that calls or restores wrote up to there, by path. */
export interface FilesAnswer {
  readonly version: number;
  readonly files: readonly FileRow[];
}

/** A path that was written. */
export interface FileRow {
  readonly path: string;
  /** Against what it held before the session first wrote it. */
  readonly change: "created" | "modified" | "deleted" | "unchanged";
  readonly now: FileContent;
  readonly first: FileContent;
  readonly writes: readonly FileWriteRow[];
}

/** What a path holds; `mode` is `null` when only the bytes are known. */
export type FileContent =
  | { readonly is: "file"; readonly sha256: string; readonly mode: number | null }
  | { readonly is: "absent" }
  | { readonly is: "unknown" };

/** One write of a path. */
export interface FileWriteRow {
  readonly version: number;
  readonly at: number;
  /** `null` for a restore. */
  readonly callId: string | null;
  readonly tool: string | null;
}

/** `GET /api/sessions/:id/files/diff?path=P&a=V&b=V`: the file at version a (0: before the session) and at b (default: last). */
export interface FileDiffAnswer {
  readonly path: string;
  readonly a: FileContent & { readonly version: number };
  readonly b: FileContent & { readonly version: number };
  /** `binary`, `too_large` (either over 1 MiB) and `unavailable` (bytes that are not stored) have no hunks. */
  readonly shown: "text" | "equal" | "binary" | "too_large" | "unavailable";
  readonly hunks: readonly DiffHunk[];
}

/** As in a unified diff: each line begins with a space, `-`, `+` or a backslash. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}
