/**
 * What a session adds up to beside its state and its conversation: todos, tools, files, tasks, checkpoints, extensions.
 *
 * A long session touches thousands of files, and copying a table of them at each write is quadratic: so this fold changes
 * maps of its own, which nobody else sees, and hands out copies.
 */
import { upcast, type Fact, type FactData, type FactType, type KnownFact } from "../events/index.ts";
import type { ExtensionStatusReport } from "./extension-status-report.ts";
import { writesOf, type PathContent } from "./file-history.ts";
import { project } from "./projection.ts";
import { tasks, type StoredTask, type Tasks } from "./tasks.ts";
import type { Todo } from "./todos.ts";

/** How often a tool was called, and how that went. */
export interface ToolUse {
  readonly calls: number;
  /** Calls that ended in an error, cut off ones included. */
  readonly errors: number;
  /** Calls that hooks, people or the mode did not let run. */
  readonly blocked: number;
  /** Calls that have begun and not ended. */
  readonly running: number;
}

/** What the calls and restores of a session left at a path. */
export interface FileState {
  readonly is: PathContent["is"];
  /** Of its bytes; `null` unless it is a file whose bytes are known. */
  readonly sha256: string | null;
  /** Permission bits; `null` when they are not known. */
  readonly mode: number | null;
  /** The last call that wrote it; `null` for a restore that no call made. */
  readonly callId: string | null;
  /** The tool of that call; `restore` for a restore. */
  readonly by: string;
  /** Of the fact that tells the write. */
  readonly version: number;
}

/** A checkpoint, without what it holds. */
export interface CheckpointState extends Pick<
  FactData<"checkpoint.created">,
  "kind" | "origin" | "tool" | "callId"
> {
  /** How many files it holds, and their bytes or those of its content. */
  readonly files: number;
  readonly bytes: number;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The parts, as JSON. */
export interface TallyView {
  readonly todos: readonly Todo[];
  /** By name. */
  readonly tools: Readonly<Record<string, ToolUse>>;
  /** By path. */
  readonly files: Readonly<Record<string, FileState>>;
  /** The last report that was published; `null` before the first. */
  readonly extensions: ExtensionStatusReport | null;
  /** In the order of their queueing. */
  readonly tasks: readonly StoredTask[];
  /** Those that are there, by id. */
  readonly checkpoints: Readonly<Record<string, CheckpointState>>;
}

/** The same, as it is stored. */
export interface StoredTally {
  readonly todos: readonly Todo[];
  readonly report: ExtensionStatusReport | null;
  readonly tasks: Tasks;
  readonly tools: readonly (readonly [string, ToolUse])[];
  readonly calls: readonly (readonly [string, OpenCall])[];
  readonly files: readonly (readonly [string, FileState])[];
  readonly checkpoints: readonly (readonly [string, CheckpointState])[];
}

interface OpenCall {
  readonly name: string;
  readonly isRunning: boolean;
}

/** Raised when the same facts give another tally; stored ones of another version are thrown away. */
export const tallyVersion = 1;

const none: ToolUse = { calls: 0, errors: 0, blocked: 0, running: 0 };

type TallyFact =
  | "session.forked"
  | "todos.written"
  | "extension_status_report.published"
  | "model.responded"
  | "agent.ended"
  | "tool_call.started"
  | "tool_call.returned"
  | "tool_call.completed"
  | "tool_call.blocked"
  | "tool_call.interrupted"
  | "tool_call.receipt_recorded"
  | "checkpoint.created"
  | "checkpoint.deleted"
  | "checkpoint.restored";

/** The tally of one session's stream. */
export class SessionTally {
  #todos: readonly Todo[] = [];
  #report: ExtensionStatusReport | null = null;
  #tasks: Tasks = tasks.initial;
  readonly #tools: Map<string, ToolUse>;
  readonly #calls: Map<string, OpenCall>;
  readonly #files: Map<string, FileState>;
  readonly #checkpoints: Map<string, CheckpointState>;

  /** @param stored - what `store` gave; without it, the tally before the first fact */
  constructor(stored?: StoredTally) {
    this.#todos = stored?.todos ?? [];
    this.#report = stored?.report ?? null;
    this.#tasks = stored?.tasks ?? tasks.initial;
    this.#tools = new Map(stored?.tools);
    this.#calls = new Map(stored?.calls);
    this.#files = new Map(stored?.files);
    this.#checkpoints = new Map(stored?.checkpoints);
  }

  /** Takes one more fact. Those that it doesn't count, or whose data was left out, leave it as it is. */
  fold(fact: Fact): void {
    if (fact.redacted !== undefined) return;
    this.#tasks = project(tasks, this.#tasks, fact);
    if (isCounted(fact.type)) this.#count(upcast(fact) as Extract<KnownFact, { type: TallyFact }>);
  }

  /** Copies that never change. */
  view(): TallyView {
    return {
      todos: this.#todos,
      tools: Object.fromEntries(this.#tools),
      files: Object.fromEntries(this.#files),
      extensions: this.#report,
      tasks: Object.values(this.#tasks),
      checkpoints: Object.fromEntries(this.#checkpoints),
    };
  }

  /** All of it, as JSON, for `new SessionTally`. */
  store(): StoredTally {
    return {
      todos: this.#todos,
      report: this.#report,
      tasks: this.#tasks,
      tools: [...this.#tools],
      calls: [...this.#calls],
      files: [...this.#files],
      checkpoints: [...this.#checkpoints],
    };
  }

  #count(fact: Extract<KnownFact, { type: TallyFact }>): void {
    switch (fact.type) {
      case "session.forked":
        // They are its parent's, which is told of their ends.
        this.#tasks = tasks.initial;
        return;
      case "todos.written":
        this.#todos = fact.data.todos;
        return;
      case "extension_status_report.published":
        // The runtime made it with `buildStatusReport`, and checked it as JSON.
        this.#report = fact.data.report as ExtensionStatusReport;
        return;
      case "model.responded":
        for (const { callId, name } of fact.data.calls) {
          this.#calls.set(callId, { name, isRunning: false });
          this.#add(name, { calls: 1 });
        }
        return;
      case "agent.ended":
        for (const callId of this.#calls.keys()) this.#end(callId, {});
        return;
      case "tool_call.started":
        this.#start(fact.data.callId);
        return;
      case "tool_call.completed":
        return this.#end(fact.data.callId, { errors: fact.data.isError ? 1 : 0 });
      case "tool_call.blocked":
        return this.#end(fact.data.callId, { blocked: 1 });
      case "tool_call.interrupted":
        this.#end(fact.data.callId, { errors: 1 });
        return this.#write(fact, fact.data.receipt?.action ?? "", fact.data.callId);
      case "tool_call.returned":
      case "tool_call.receipt_recorded":
        return this.#write(fact, fact.data.receipt?.action ?? "", fact.data.callId);
      case "checkpoint.restored":
        return this.#write(fact, "restore", fact.data.callId);
      case "checkpoint.created": {
        const { checkpointId, kind, origin, tool, callId, files, bytes } = fact.data;
        const { version, at } = fact;
        const kept = { kind, origin, tool, callId, files: files.length, bytes, version, at };
        this.#checkpoints.set(checkpointId, kept);
        return;
      }
      case "checkpoint.deleted":
        this.#checkpoints.delete(fact.data.checkpointId);
        return;
    }
  }

  #start(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#calls.set(callId, { ...call, isRunning: true });
    this.#add(call.name, { running: 1 });
  }

  #end(callId: string, how: Partial<ToolUse>): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#calls.delete(callId);
    this.#add(call.name, { ...how, running: call.isRunning ? -1 : 0 });
  }

  #add(name: string, { calls = 0, errors = 0, blocked = 0, running = 0 }: Partial<ToolUse>): void {
    const use = this.#tools.get(name) ?? none;
    this.#tools.set(name, {
      calls: use.calls + calls,
      errors: use.errors + errors,
      blocked: use.blocked + blocked,
      running: use.running + running,
    });
  }

  #write(fact: Fact, by: string, callId: string | null): void {
    for (const { path, after } of writesOf(fact)) {
      const [sha256, mode] = after.is === "file" ? [after.sha256, after.mode] : [null, null];
      this.#files.set(path, { is: after.is, sha256, mode, callId, by, version: fact.version });
    }
  }
}

const counted: Readonly<Record<TallyFact, true>> = {
  "session.forked": true,
  "todos.written": true,
  "extension_status_report.published": true,
  "model.responded": true,
  "agent.ended": true,
  "tool_call.started": true,
  "tool_call.returned": true,
  "tool_call.completed": true,
  "tool_call.blocked": true,
  "tool_call.interrupted": true,
  "tool_call.receipt_recorded": true,
  "checkpoint.created": true,
  "checkpoint.deleted": true,
  "checkpoint.restored": true,
};

function isCounted(type: string): type is TallyFact & FactType {
  return counted[type as TallyFact] === true;
}
