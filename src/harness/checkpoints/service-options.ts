/** What checkpoints need of their runtime, and how they are asked for. */
import type { Json } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Ids, Logger } from "../../ports.ts";
import type { Todo } from "../../projections/index.ts";
import type { FileCalls } from "../../workspace/index.ts";
import type { ExportSettings } from "./exports.ts";
import type { SessionFacts } from "./writing.ts";

/** What checkpoints need of their runtime. */
export interface CheckpointsDeps {
  readonly log: EventLog;
  readonly sessions: SessionFacts;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Hides secrets. */
  readonly mask: <Value extends Json>(value: Value) => Value;
  readonly settings: CheckpointSettings;
  /** For a session that was never started. */
  readonly cwd: string;
  /** The todo list of a session after a version. */
  readonly todosOf: (sessionId: string, to: number) => Promise<readonly Todo[]>;
  /** A list as it may be written, out of what a checkpoint holds. @throws LemonError */
  readonly todosFrom: (sessionId: string, given: readonly unknown[]) => readonly Todo[];
  /** The feature requirements of a folder; `null` without any, or when they can't be read. */
  readonly requirementsOf: (cwd: string) => Promise<unknown>;
  /** Default: the system's. */
  readonly files?: FileCalls | undefined;
}

/** What is configured of checkpoints. */
export interface CheckpointSettings extends ExportSettings {
  /** Guard checkpoints of a session that are kept. */
  readonly maxPerSession: number;
  /** Bytes before a change that those hold together, each counted once. */
  readonly maxBytesPerSession: number;
}

/** What a session checkpoint holds. */
export interface CreateOptions {
  /** Default `{}`. */
  readonly state?: unknown;
  /** Default `{}`. */
  readonly context?: unknown;
  /** Default: the todo list of the session. */
  readonly todos?: readonly unknown[] | null;
  /** Default: those in the working directory. */
  readonly requirements?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Where the requirements are. Default: the session's. */
  readonly cwd?: string;
}

/** How a checkpoint of files is taken. */
export interface CreateFilesystemOptions {
  /** Where relative paths start. Default: the session's. */
  readonly cwd?: string;
  /** The tool that it is taken for. */
  readonly tool?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly runId?: string | null;
}

/** What a session checkpoint gives back. */
export interface ResumedCheckpoint {
  readonly sessionId: string;
  readonly state: unknown;
  readonly context: unknown;
  readonly todos: unknown;
  readonly requirements: unknown;
  /** The id of the checkpoint. */
  readonly resumedFrom: string;
  /** When it was taken. */
  readonly timestamp: string;
}

/** To read as it was after an earlier version of the session. */
export interface AtVersion {
  readonly at?: number | undefined;
}

/** What the checkpoints of a call are taken for. */
export interface GuardRequest {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly tool: string;
  readonly runId: string | null;
}
