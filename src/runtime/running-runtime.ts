/** A runtime that is running: what it offers, and how it ends. */
import path from "node:path";
import type { Observable } from "rxjs";
import type { Leadership } from "../actors/index.ts";
import type { Config } from "../config/index.ts";
import type { Zombie } from "../extensions/index.ts";
import {
  sessionStreamName,
  type ChangesWorld,
  type CheckpointService,
  type Features,
} from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import type { WebSearch } from "../providers/index.ts";
import {
  bisect,
  blame,
  diffStates,
  requireSession,
  stateAt,
  stateRef,
  verifyReplay,
  type BisectOptions,
  type BisectResult,
  type BlameLine,
  type BlameOptions,
  type StateDiff,
  type ReplayReport,
  type StateAt,
} from "../replay/index.ts";
import type { Supervisor, SupervisorTree } from "../supervision/index.ts";
import type { Dispatcher } from "./background/dispatcher.ts";
import type { BackgroundRuns } from "./background/service.ts";
import type { RuntimeIntrospection } from "./introspection.ts";
import type { RuntimeMemory } from "./memory.ts";
import type { RuntimeProgress } from "./progress.ts";
import type { RuntimeExtensions } from "./runtime-extensions.ts";
import type { RuntimeTools } from "./runtime-tools.ts";
import type { Sessions } from "./sessions.ts";
import type { SideQueries } from "./side-queries.ts";
import type { SupervisionJournal } from "./supervision-journal.ts";
import type { RuntimeTasks } from "./subagents/runtime-tasks.ts";
import type { RuntimeTodos } from "./todos.ts";
import { treesOf } from "./trees.ts";
import type { WhatIfOptions, WhatIfParts, WhatIfReport } from "./what-if/what-if.ts";

/** A running runtime. Close it: its sessions are shut down and its lease is given back. */
export interface Runtime extends AsyncDisposable {
  /** `rt_` and 16 hexadecimal digits. */
  readonly id: string;
  readonly log: EventLog;
  readonly config: Config;
  readonly sessions: Sessions;
  /** Runs that outlive whoever asked for them. docs/reference/background-runs.md */
  readonly background: BackgroundRuns;
  /** The todo lists of sessions. docs/reference/todos.md */
  readonly todos: RuntimeTodos;
  /** The tasks that sessions gave to subagents. docs/reference/subagents.md */
  readonly tasks: RuntimeTasks;
  /** How far a session is. docs/reference/progress.md */
  readonly progress: RuntimeProgress;
  /** What happened in sessions, without content. docs/reference/introspection.md */
  readonly introspection: RuntimeIntrospection;
  /** Which tools there are in a folder, without a session. */
  readonly tools: RuntimeTools;
  /** What was remembered, over all memory providers. docs/reference/providers.md */
  readonly memory: RuntimeMemory;
  /** Web search over the search providers of extensions; there is no built-in one yet. docs/reference/providers.md */
  readonly search: WebSearch;
  /** Snapshots of sessions and of files, and the way back to them. docs/reference/checkpoints.md */
  readonly checkpoints: CheckpointService;
  /** Extensions apart from any session. */
  readonly extensions: RuntimeExtensions;
  /** The features of a project. docs/reference/features.md */
  readonly features: Features;
  /** Questions beside a conversation, which it leaves alone. docs/reference/side-queries.md */
  readonly sideQuery: SideQueries;
  readonly supervision: {
    /** The supervision tree now. */
    tree(): SupervisorTree;
    /** The tree now, then after each change. */
    readonly tree$: Observable<SupervisorTree>;
  };
  readonly replay: {
    /** Replays a session. @throws SessionNotFoundError */
    verify(sessionId: string): Promise<ReplayReport>;
    /** A session after any of its facts. @throws SessionNotFoundError, InvalidVersionError */
    stateAt(sessionId: string, version?: number): Promise<StateAt>;
    /**
     * Judges the calls of stored sessions again, with other extensions or approval rules. Runs no tool, asks no model and
     * records nothing. docs/reference/what-if.md
     *
     * @throws SessionNotFoundError, InvalidExtensionsError
     */
    whatIf(sessionIds: string | readonly string[], options: WhatIfOptions): Promise<WhatIfReport>;
    /**
     * Tells which call wrote each line of a file, or one of them. docs/reference/blame.md
     *
     * @param file - relative ones start at the runtime's working directory
     * @param line - from 1
     * @throws NotFoundError, InvalidLineError, NotTextError
     */
    blame(file: string, line?: number, options?: Pick<BlameOptions, "at">): Promise<BlameLine[]>;
    /**
     * What differs between two states. `a` and `b` are versions of the session, or `OTHER@VERSION`.
     *
     * @throws SessionNotFoundError, InvalidVersionError
     */
    diff(sessionId: string, a: number | string, b: number | string): Promise<StateDiff>;
    /**
     * Finds the first fact after which a command fails or an expression holds. docs/reference/bisect.md
     *
     * @throws SessionNotFoundError, InvalidVersionError, InvalidBisectError, InvalidExpressionError, BisectError
     */
    bisect(sessionId: string, options: BisectOptions): Promise<BisectResult>;
  };
  /**
   * Shuts the sessions down, ends the workers of extensions and gives the lease back.
   *
   * @returns workers that are inside a native call and could not be ended within 2,000 ms; the process can't exit by
   * itself before that call returns
   */
  close(): Promise<readonly Zombie[]>;
}

/** What it shows of itself as it is. */
type Shown = Omit<Runtime, "supervision" | "replay" | "close" | keyof AsyncDisposable>;

/** What it closes beside that. */
interface Inner {
  readonly home: string;
  readonly dispatcher: Dispatcher;
  readonly ownsLog: boolean;
  readonly root: Supervisor;
  readonly leadership: Leadership;
  readonly journal: SupervisionJournal;
  readonly listeners: Set<(tree: SupervisorTree) => void>;
  readonly scanner: ChangesWorld["scanner"];
  readonly whatIf: Omit<WhatIfParts, "log">;
}

/** A runtime out of its parts, which are running. @internal */
export function runningRuntime(shown: Shown, inner: Inner): Runtime {
  const { log } = shown;
  const { root, listeners, dispatcher, home } = inner;
  void dispatcher.begin();
  let closing: Promise<readonly Zombie[]> | null = null;
  const close = (): Promise<readonly Zombie[]> => (closing ??= closeAll(shown, inner));
  return {
    ...shown,
    supervision: {
      tree: () => root.tree(),
      get tree$() {
        return treesOf(root, listeners);
      },
    },
    replay: {
      verify: async (sessionId) => {
        await requireSession(log, sessionId);
        return verifyReplay(log, sessionId);
      },
      stateAt: async (sessionId, version) => {
        await requireSession(log, sessionId);
        return stateAt(log, sessionStreamName(sessionId), version);
      },
      whatIf: async (sessionIds, options) => {
        const { whatIf } = await import("./what-if/what-if.ts");
        return whatIf(sessionIds, options, { ...inner.whatIf, log });
      },
      blame: (file, line, options = {}) =>
        blame(log, path.resolve(inner.whatIf.cwd, file), {
          ...options,
          ...(line === undefined ? {} : { line }),
        }),
      diff: async (sessionId, a, b) => {
        const refs = [await stateRef(sessionId, a), await stateRef(sessionId, b)] as const;
        for (const ref of refs) await requireSession(log, ref.sessionId);
        return diffStates(log, ...refs);
      },
      bisect: async (sessionId, options) => {
        await requireSession(log, sessionId);
        return bisect(log, sessionId, { ...options, skipped: [home, ...(options.skipped ?? [])] });
      },
    },
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
    },
  };
}

async function closeAll(
  { sessions, sideQuery, extensions, memory, introspection, log }: Shown,
  { dispatcher, root, leadership, journal, ownsLog, scanner }: Inner,
): Promise<readonly Zombie[]> {
  // What it works on for others goes back in line before its sessions are shut down.
  await dispatcher.close();
  await sideQuery.shutdown();
  await sessions.shutdown("shutdown");
  await scanner.close();
  await memory.close();
  const zombies = await extensions.close();
  await root.shutdown();
  await leadership.close();
  await journal.flush();
  await introspection.flush();
  if (ownsLog) await log.close();
  return zombies;
}
