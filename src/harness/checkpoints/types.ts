/** What callers of checkpoints get. docs/reference/checkpoints.md */
import type { CheckpointFile } from "../../workspace/index.ts";
import type { RestoreAction, RestoreCode } from "./plan.ts";

/** `session`: state, todos, requirements. `filesystem`: files. */
export type CheckpointKind = "session" | "filesystem";

/** Who had it taken: a caller, the runtime before a call changed files, or a restore before it did. */
export type CheckpointOrigin = "user" | "guard" | "pre_restore";

/** A checkpoint in a list. */
export interface CheckpointSummary {
  /** `chk_` and 16 hexadecimal digits. */
  readonly id: string;
  readonly sessionId: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly timestamp: string;
  readonly kind: CheckpointKind;
  readonly origin: CheckpointOrigin;
  /** The tool that it was taken for; `null` for none. */
  readonly tool: string | null;
  /** Files that it holds; 0 for one of a session, and for a point. */
  readonly pathCount: number;
  /** Of its files, or of its content. */
  readonly bytes: number;
}

/** The files of a filesystem checkpoint, never their bytes. */
export interface FilesystemState {
  readonly cwd: string;
  /** It stands for all that calls change after it. */
  readonly point: boolean;
  readonly files: readonly CheckpointFile[];
}

/** A whole checkpoint. */
export interface CheckpointRecord extends CheckpointSummary {
  /** What was given; of files `{ filesystem }`, a {@link FilesystemState}. */
  readonly state: unknown;
  readonly context: unknown;
  readonly todos: unknown;
  readonly requirements: unknown;
  /** What the caller added, and `version`, `kind`, `origin`, `tool`, `pathCount`, `sessionVersion`, `position`. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How many checkpoints a session has. Times in ISO 8601; `null` without any. */
export interface CheckpointStats {
  readonly count: number;
  readonly filesystemCount: number;
  readonly oldest: string | null;
  readonly newest: string | null;
}

/** A checkpoint by its id, or the files as they were just after a fact of a session. */
export type RestorePoint = string | { readonly sessionId: string; readonly at: number };

/** What became of a path. */
export interface PathResult {
  readonly path: string;
  readonly outcome: "restored" | "unchanged" | "conflict" | "failed";
  /** Why, where it is neither restored nor unchanged; else `null`. */
  readonly code: RestoreCode | null;
}

/** What a restore did, or would do. */
export interface RestoreResult {
  /** `null` for a version of a session. */
  readonly checkpointId: string | null;
  readonly sessionId: string;
  /** Restoring it undoes this restore; `null` when nothing was touched. */
  readonly preRestoreCheckpointId: string | null;
  readonly status: "restored" | "partial" | "nothing_to_do" | "failed";
  readonly results: readonly PathResult[];
  readonly restored: readonly string[];
  readonly unchanged: readonly string[];
  readonly conflicts: readonly string[];
  readonly failed: readonly string[];
}

/** How one file differs from a checkpoint. */
export interface FileDiff {
  readonly path: string;
  /** At the checkpoint. */
  readonly beforeExists: boolean;
  readonly afterExists: boolean;
  /** What a restore would do. */
  readonly action: RestoreAction;
  readonly binary: boolean;
  readonly modeChanged: boolean;
  /** A restore would leave it alone unless it is forced. */
  readonly conflict: boolean;
  /** Unified; minus is the checkpoint, plus is now. Empty when only the mode differs. */
  readonly diff: string;
  readonly truncated: boolean;
  /** Why it can't be compared; `null` when it can. */
  readonly code: RestoreCode | null;
}

/** How the files differ from a checkpoint. */
export interface CheckpointDiff {
  readonly checkpointId: string | null;
  readonly sessionId: string;
  /** All paths that differ. */
  readonly changed: readonly string[];
  readonly diffs: readonly FileDiff[];
  /** For people. */
  readonly output: string;
  readonly truncated: boolean;
}
