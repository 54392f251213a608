/** The shapes of what the harness records in a session's stream: todos, checkpoints, restores, receipts. */
import { z } from "zod";
import { count, sha256 } from "./fact-shapes.ts";

const jsonObject = z.record(z.string(), z.unknown());
const checkpointId = z.string();
/** Permission bits of a file, with set-user-id, set-group-id and sticky. */
const mode = z.int().min(0).max(0o7777);
/** The call that wrote it; `null` for a caller of the runtime. */
const writingCall = z.string().min(1).nullable();

/** One file that a call changed. `null` for a hash: the file was not there, or its bytes are not known (`code`). */
const fileChange = z.object({
  path: z.string(),
  change: z.enum(["created", "modified", "deleted", "mode"]),
  beforeSha256: sha256.nullable(),
  afterSha256: sha256.nullable(),
  beforeMode: mode.nullable(),
  afterMode: mode.nullable(),
  /** Why a hash is not known. */
  code: z.string().nullable(),
});

/** Why a receipt may not name everything. */
const coverageReason = z.enum([
  "background_processes",
  "byte_limit",
  "file_limit",
  "file_too_large",
  "guard_off",
  "ignored_paths",
  "overlapping_calls",
  "scan_failed",
  "symlink_changed",
  "time_limit",
  "unreadable",
]);

/** What a call really changed. docs/reference/receipts.md */
export const receipt = z.object({
  /** The tool. */
  action: z.string(),
  outcome: z.enum(["applied", "partial", "none"]),
  success: z.boolean(),
  checkpointId: checkpointId.nullable(),
  /** In the order in which they were taken. */
  checkpointIds: z.array(checkpointId),
  checkpointKind: z.enum(["filesystem"]).nullable(),
  /** All that the call was about, changed or not. */
  affectedPaths: z.array(z.string()),
  changedPaths: z.array(z.string()),
  /** Those that have content after it. */
  writtenPaths: z.array(z.string()),
  /** Outermost first. */
  createdDirs: z.array(z.string()),
  files: z.array(fileChange),
  coverage: z.enum(["full", "partial", "none"]),
  coverageReasons: z.array(coverageReason),
  overlappingCallIds: z.array(z.string()),
});

const todo = z.looseObject({
  id: z.string(),
  content: z.string(),
  status: z.string(),
  priority: z.string(),
  dependencies: z.array(z.string()),
  estimatedEffort: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  completedAt: z.string().nullable(),
  metadata: jsonObject,
});

/** A file as a checkpoint found it. `type` and what follows are `null` when it was not there. */
const checkpointFile = z.object({
  path: z.string(),
  exists: z.boolean(),
  type: z.enum(["regular"]).nullable(),
  size: count.nullable(),
  mode: mode.nullable(),
  sha256: sha256.nullable(),
  outsideCwd: z.boolean(),
});

const restoreResult = z.object({
  path: z.string(),
  outcome: z.enum(["restored", "unchanged", "conflict", "failed"]),
  code: z.string().nullable(),
});

/** The newest schema of each. */
export const harnessFactSchemas = {
  "todos.written": z.object({
    action: z.enum(["put", "update", "update_status", "clear", "resume"]),
    todos: z.array(todo),
    callId: writingCall,
  }),

  "checkpoint.created": z.object({
    checkpointId,
    kind: z.enum(["session", "filesystem"]),
    origin: z.enum(["user", "guard", "pre_restore"]),
    /** The tool that it was taken for. */
    tool: z.string().nullable(),
    callId: writingCall,
    runId: z.string().nullable(),
    /** Which the paths were resolved against; `null` for a kind that has none. */
    cwd: z.string().nullable(),
    /** It stands for whatever calls change after it. */
    point: z.boolean(),
    files: z.array(checkpointFile),
    /** Of a session checkpoint, up to 256 KiB together. */
    content: z
      .object({
        state: z.unknown(),
        context: z.unknown(),
        todos: z.unknown(),
        requirements: z.unknown(),
      })
      .nullable(),
    /** The blob that holds `content` when it is larger. */
    contentSha256: sha256.nullable(),
    /** What the caller added. */
    metadata: jsonObject,
    /** Bytes of its files, or of its content. */
    bytes: count,
  }),
  "checkpoint.deleted": z.object({
    checkpointId,
    cause: z.enum(["user", "retention"]),
    callId: writingCall,
  }),
  "checkpoint.restore_started": z.object({
    /** Tells one restore from another. */
    restoreId: z.string(),
    /** `null`: the files as they were just after the fact `at`. */
    checkpointId: checkpointId.nullable(),
    at: count.nullable(),
    preRestoreCheckpointId: checkpointId,
    force: z.boolean(),
    callId: writingCall,
    /** Of the checkpoint. */
    cwd: z.string(),
    /** The paths to be touched, in their order. `null`: there is, or shall be, no file. */
    plan: z.array(
      z.object({
        path: z.string(),
        action: z.enum(["overwrite", "recreate", "remove", "chmod"]),
        targetSha256: sha256.nullable(),
        targetMode: mode.nullable(),
        currentSha256: sha256.nullable(),
        currentMode: mode.nullable(),
        /** The sibling that holds the bytes until they take the file's place. */
        stage: z.string().nullable(),
      }),
    ),
    /** What was decided of the other paths. */
    settled: z.array(restoreResult),
    /** Directories to be made, outermost first. */
    createdDirs: z.array(z.string()),
    /** Directories that calls made, to be removed when they are empty, innermost first. */
    removedDirs: z.array(z.string()),
  }),
  "checkpoint.restored": z.object({
    /** `null` when nothing was to be touched. */
    restoreId: z.string().nullable(),
    checkpointId: checkpointId.nullable(),
    at: count.nullable(),
    preRestoreCheckpointId: checkpointId.nullable(),
    status: z.enum(["restored", "partial", "nothing_to_do", "failed"]),
    results: z.array(restoreResult),
    /** What stands there now, and what stood there before, of the paths that were restored: `null` for no file. */
    written: z.array(
      z.object({
        path: z.string(),
        beforeSha256: sha256.nullable(),
        beforeMode: mode.nullable(),
        afterSha256: sha256.nullable(),
        afterMode: mode.nullable(),
      }),
    ),
    createdDirs: z.array(z.string()),
    removedDirs: z.array(z.string()),
    callId: writingCall,
  }),
  "checkpoint.resumed": z.object({ checkpointId }),

  "introspection.recorded": z.object({
    /** `evt_` and 16 hexadecimal digits. */
    eventId: z.string(),
    eventType: z.string(),
    runId: z.string().nullable(),
    sessionId: z.string().nullable(),
    sessionKey: z.string().nullable(),
    agentId: z.string().nullable(),
    parentRunId: z.string().nullable(),
    engine: z.literal("lemon"),
    provenance: z.enum(["direct", "inferred", "unavailable"]),
    payload: jsonObject,
  }),
};
