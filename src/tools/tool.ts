/**
 * The contract of a tool, as the runtime sees it once an author's definition has been normalised.
 */
import type { Logger } from "../ports.ts";
import type {
  ChangedFiles,
  CheckpointControl,
  JoinRequest,
  TaskRequest,
  TodoChange,
} from "../harness/index.ts";
import type { ExtensionStatusReport, StoredTask, TaskStatus, Todo } from "../projections/index.ts";
import type { FileChanges } from "../workspace/index.ts";

/** A JSON Schema, held as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Text in a result. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** `data` is base64. */
export interface ImageBlock {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** A piece of a result. */
export type ContentBlock = TextBlock | ImageBlock;

/** What a tool hands back. `details` are for people and programs and never reach the model. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  /** Only `"untrusted"` is kept; anything else counts as trusted. */
  readonly trust?: "trusted" | "untrusted";
}

/** What every tool is told about where it runs. */
export interface ToolContext {
  readonly sessionId: string;
  /** Absolute path of the session's working directory. */
  readonly cwd: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

/** Identity of an operating-system process that outlives a reused process id (docs/reference/processes.md). */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/<pid>/stat`: clock ticks after boot; `null` where the system has no such file. */
  readonly startTime: number | null;
  readonly bootId: string | null;
  readonly host: string;
}

/** What the tool that shows and reloads extensions may do. */
export interface ExtensionControl {
  /** `null` when there is none: outside of a session. */
  status(): ExtensionStatusReport | null;
  /**
   * Loads the extensions again.
   *
   * @param callId - the call that asks: it does not count as one that runs
   * @throws LemonError `LEMON_SESSION_STREAMING`, `LEMON_RELOAD_FAILED`, `LEMON_INVALID_CONFIG`
   */
  reload(callId: string): Promise<ExtensionStatusReport>;
}

/** What the tool of todos may do. */
export interface TodoControl {
  /** The list of the session, as it is recorded. */
  read(): Promise<readonly Todo[]>;
  /**
   * Records the list that the change makes of the one that is there; resolves with it once it is durable.
   *
   * @throws what the change throws; then nothing is recorded
   */
  write(action: "put" | "update", change: TodoChange): Promise<readonly Todo[]>;
}

/** A task as a call is told of it. */
export interface TaskReport extends Pick<StoredTask, "description" | "role" | "failure"> {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** The answer of a completed one. */
  readonly text: string | null;
  /** What was said before an end of another kind. */
  readonly partialText: string | null;
  /** By its subagent, and by those of it. */
  readonly filesChanged: ChangedFiles["files"];
  /** How far that can be known. */
  readonly coverage: ChangedFiles["coverage"];
}

/** What the tool of subagents may do with the tasks of its session; ends that a call is told are shown by it. */
export interface TaskControl {
  /**
   * Gives a task to a subagent; resolves once it is in line, or with its end when the call is to wait for it.
   *
   * @throws TaskError `invalid_role`, `forbidden`; the signal's reason
   */
  run(request: TaskRequest, signal: AbortSignal): Promise<TaskReport>;
  /** Tasks as they are now, in the order of the ids; without ids all. `null` for an id that nobody knows. */
  look(taskIds: readonly string[] | null): Promise<readonly (TaskReport | null)[]>;
  /** Waits for ends, and tells what each is by then. @throws the signal's reason */
  join(request: JoinRequest, signal: AbortSignal): Promise<readonly (TaskReport | null)[]>;
  /** Ends a task; one that has its end is told as it is. @throws NotFoundError */
  cancel(taskId: string, reason: string | null): Promise<TaskReport>;
}

/** What the built-in tools may do beyond {@link ToolContext}; extensions never get this. */
export interface BuiltInContext extends ToolContext {
  /** Resolves once the fact that this process exists is durable: only then may the command begin. */
  readonly recordProcess: (process: ProcessIdentity) => Promise<void>;
  readonly extensions: ExtensionControl;
  readonly todos: TodoControl;
  readonly checkpoints: CheckpointControl;
  readonly tasks: TaskControl;
  /** Through which files are changed: what they hold is kept before, and what was done is noted. */
  readonly files: FileChanges;
  /** Stores bytes by content. @returns the SHA-256 in lower-case hex */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  /** Records a plan and tells subscribers of it; resolves once it is durable. */
  readonly proposePlan: (plan: string) => Promise<void>;
  /** Value of `LEMON_CALL` in the environment of a command: `<stream>:<version>`. */
  readonly callMarker: string;
  /** The home directory that `~` stands for, and the environment that commands get. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Shows part of a result while the tool goes on. */
export type ToolUpdate = (partial: { readonly content: readonly ContentBlock[] }) => void;

/** A tool, normalised. `Context` is what its `execute` needs. */
export interface Tool<Context extends ToolContext = ToolContext> {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** May overlap with other such calls of the same assistant message. */
  readonly parallelSafe: boolean;
  /** May be run again when it is not known whether it ran. */
  readonly idempotent: boolean;
  /** Changes nothing outside. */
  readonly readOnly: boolean;
  /** Milliseconds from the start of the call, or `Infinity`. */
  readonly timeoutMs: number;
  /** Other words that models use for a parameter, each with the tool's own: `{ file_path: "path" }`. Built-in tools only. */
  readonly otherSpellings?: Readonly<Record<string, string>>;
  /** Says itself what is wrong with its arguments: it is handed any object, and its schema is for the model. Built-in tools only. */
  readonly judgesArguments?: boolean;
  /** Nothing happens before the fact of its process is durable, so a call without that fact never ran. Built-in tools only. */
  readonly gated?: boolean;
  /** It may change files past `files` of its context, so the workspace is looked at before and after. Built-in tools only. */
  readonly scanned?: boolean;
  execute(
    toolCallId: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onUpdate: ToolUpdate,
    context: Context,
  ): Promise<ToolResult>;
}

/** Where the paths in the arguments of a call start. */
export type PlaceContext = Pick<BuiltInContext, "cwd" | "env">;

/** A tool that comes with the runtime. */
export interface BuiltInTool extends Tool<BuiltInContext> {
  /** Removes what this call may have left beside its files when its process was killed. Never what it was asked to write. */
  readonly tidy?: (
    toolCallId: string,
    args: Readonly<Record<string, unknown>>,
    context: PlaceContext,
  ) => Promise<void>;
}
