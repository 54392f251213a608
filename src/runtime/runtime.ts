/** Puts the rooms together: one runtime is one log, one lease, one supervision tree. */
import { createRequire } from "node:module";
import path from "node:path";
import type * as Rxjs from "rxjs";
import type { Observable } from "rxjs";
import { Leadership } from "../actors/index.ts";
import type { Features } from "../harness/index.ts";
import type { Zombie } from "../extensions/index.ts";
import { loadConfig, type Config, type ConfigOverrides } from "../config/index.ts";
import { sessionStreamName } from "../harness/index.ts";
import { defaultHome } from "../home.ts";
import { leaseOwner, type EventLog } from "../log/index.ts";
import { silentLogger, type Clock, type Ids, type Logger, type Random } from "../ports.ts";
import type { ModelSource, WebSearch } from "../providers/index.ts";
import { requireSession, stateAt, verifyReplay, type ReplayReport, type StateAt } from "../replay/index.ts";
import {
  systemClock,
  type SupervisionEvent,
  type Supervisor,
  type SupervisorTree,
} from "../supervision/index.ts";
import { createMasker } from "../secrets/index.ts";
import { runtimeFeatures } from "./features.ts";
import { House } from "./house.ts";
import { knownSecrets } from "./known-secrets.ts";
import type { Configured } from "./load-builder.ts";
import { openLog } from "./open-log.ts";
import { RuntimeTools } from "./runtime-tools.ts";
import { runtimeExtensions, type RuntimeExtensions } from "./runtime-extensions.ts";
import { RuntimeMemory, runtimeSearch } from "./memory.ts";
import { SessionFactory } from "./session-factory.ts";
import { SessionWriter } from "./session-writer.ts";
import { Sessions } from "./sessions.ts";
import { SupervisionJournal } from "./supervision-journal.ts";
import { systemIds, systemRandom } from "./system-ports.ts";
import { RuntimeTodos } from "./todos.ts";

/** How a runtime is made. All of it has a default. */
export interface RuntimeOptions {
  /** Folder of configuration and log. Default `$LEMON_HOME`, else `~/.lemon`. */
  readonly home?: string;
  /** Where sessions work unless they say otherwise, and where `.lemon/` is looked for. Default `process.cwd()`. */
  readonly cwd?: string;
  /** Path of a log, `:memory:`, or an open one, which the runtime then does not close. Default `<home>/log.db`. */
  readonly log?: string | EventLog;
  /** Extensions that run in this process. One that can't be used stands in the status report. */
  readonly extensions?: readonly unknown[];
  /** Models by `provider` or whole `provider/model-id`. */
  readonly models?: Readonly<Record<string, ModelSource>>;
  /** Laid over the configuration files. */
  readonly config?: ConfigOverrides;
  /** What the command line says; wins over all. @internal */
  readonly flags?: ConfigOverrides;
  /** May the project's configuration lead to code? Default: what was recorded for it. */
  readonly trustProject?: boolean;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Gets each line that an extension writes to its output. Default: the logger, at level info. */
  readonly onExtensionOutput?: (module: string, line: string) => void;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
  /** The environment of commands, and where API keys are looked up. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A running runtime. Close it: its sessions are shut down and its lease is given back. */
export interface Runtime extends AsyncDisposable {
  /** `rt_` and 16 hexadecimal digits. */
  readonly id: string;
  readonly log: EventLog;
  readonly config: Config;
  readonly sessions: Sessions;
  /** The todo lists of sessions. docs/reference/todos.md */
  readonly todos: RuntimeTodos;
  /** Which tools there are in a folder, without a session. */
  readonly tools: RuntimeTools;
  /** What was remembered, over all memory providers. docs/reference/providers.md */
  readonly memory: RuntimeMemory;
  /** Web search over the search providers of extensions; there is no built-in one yet. docs/reference/providers.md */
  readonly search: WebSearch;
  /** Extensions apart from any session. */
  readonly extensions: RuntimeExtensions;
  /** The features of a project. docs/reference/features.md */
  readonly features: Features;
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
  };
  /**
   * Shuts the sessions down, ends the workers of extensions and gives the lease back.
   *
   * @returns workers that are inside a native call and could not be ended within 2,000 ms; the process can't exit by
   * itself before that call returns
   */
  close(): Promise<readonly Zombie[]>;
}

/**
 * Starts a runtime: opens the log, takes a lease, starts the supervision tree.
 *
 * @throws InvalidConfigError, and the errors of opening a log
 * @example
 * await using runtime = await createRuntime({ models: { script: scriptedModel([{ text: "Hello." }]) } });
 * const session = await runtime.sessions.start({ model: "script/hello" });
 * console.log((await session.prompt("Say hello")).text);
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const {
    clock = systemClock,
    ids = systemIds,
    random = systemRandom,
    logger = silentLogger,
    env = process.env,
  } = options;
  const home = path.resolve(options.home ?? defaultHome(env));
  const cwd = path.resolve(options.cwd ?? process.cwd());
  const configure = async (folder: string): Promise<Configured> => {
    const { config: overrides, flags, trustProject } = options;
    const loaded = await loadConfig({ home, cwd: folder, env, overrides, flags, trustProject });
    for (const warning of loaded.warnings) logger.warn({}, warning);
    return loaded;
  };
  const { config } = await configure(cwd);
  const ownsLog = typeof options.log !== "object";
  const log = typeof options.log === "object" ? options.log : await openLog(options.log, home, config);
  const id = ids("rt");
  const mask = createMasker(knownSecrets(config, env));
  const journal = new SupervisionJournal(id, log, clock, logger, mask);
  const listeners = new Set<(tree: SupervisorTree) => void>();
  const house = new House();
  let leadership: Leadership | undefined;
  try {
    leadership = await Leadership.acquire(log, `runtime-${id}`, leaseOwner(), clock, logger);
    const onEvent = (event: SupervisionEvent): void => {
      journal.record(event);
      for (const listener of listeners) if (house.isBuilt) listener(house.root.tree());
    };
    await house.build({ clock, onEvent });
    const parts = { id, log, leadership, clock, ids, logger, env, home, config, configure, house };
    const extensions = runtimeExtensions(parts, {
      cwd,
      objects: options.extensions ?? [],
      models: Object.keys(options.models ?? {}),
      onOutput: options.onExtensionOutput,
    });
    // Asked once there are sessions.
    const streamOf = (sessionId: string) => sessions.streamOf(sessionId);
    const writer = new SessionWriter({ log, leadership, clock, mask, streamOf });
    const factory = new SessionFactory({
      world: { log, leadership, writer, clock, ids, random, logger, env },
      home,
      models: options.models ?? {},
      extensions: extensions.registry,
      configure,
    });
    const sessions: Sessions = new Sessions({ factory, population: () => house.sessions, cwd });
    const recall = { home, registry: extensions.registry, clock, logger, mask };
    return new RunningRuntime({
      todos: new RuntimeTodos({ log, writer, clock }),
      tools: new RuntimeTools(extensions.registry, cwd, configure),
      memory: new RuntimeMemory(recall),
      search: runtimeSearch(recall),
      id,
      log,
      ownsLog,
      config,
      sessions,
      extensions,
      features: runtimeFeatures(factory, cwd, mask),
      root: house.root,
      leadership,
      journal,
      listeners,
    });
  } catch (error) {
    if (house.isBuilt) await house.root.shutdown();
    await leadership?.close();
    if (ownsLog) await log.close();
    throw error;
  }
}

interface RuntimeParts {
  readonly todos: RuntimeTodos;
  readonly tools: RuntimeTools;
  readonly memory: RuntimeMemory;
  readonly search: WebSearch;
  readonly id: string;
  readonly log: EventLog;
  readonly ownsLog: boolean;
  readonly config: Config;
  readonly sessions: Sessions;
  readonly extensions: RuntimeExtensions;
  readonly features: Features;
  readonly root: Supervisor;
  readonly leadership: Leadership;
  readonly journal: SupervisionJournal;
  readonly listeners: Set<(tree: SupervisorTree) => void>;
}

class RunningRuntime implements Runtime {
  readonly id: string;
  readonly log: EventLog;
  readonly config: Config;
  readonly sessions: Sessions;
  readonly todos: RuntimeTodos;
  readonly extensions: RuntimeExtensions;
  readonly tools: RuntimeTools;
  readonly memory: RuntimeMemory;
  readonly search: WebSearch;
  readonly features: Features;
  readonly #parts: RuntimeParts;
  #closing: Promise<readonly Zombie[]> | null = null;

  constructor(parts: RuntimeParts) {
    this.id = parts.id;
    this.log = parts.log;
    this.config = parts.config;
    this.sessions = parts.sessions;
    this.todos = parts.todos;
    this.extensions = parts.extensions;
    this.tools = parts.tools;
    this.memory = parts.memory;
    this.search = parts.search;
    this.features = parts.features;
    this.#parts = parts;
  }

  get supervision(): Runtime["supervision"] {
    const { root, listeners } = this.#parts;
    return {
      tree: () => root.tree(),
      get tree$() {
        return treesOf(root, listeners);
      },
    };
  }

  readonly replay = {
    verify: async (sessionId: string): Promise<ReplayReport> => {
      await requireSession(this.log, sessionId);
      return verifyReplay(this.log, sessionId);
    },
    stateAt: async (sessionId: string, version?: number): Promise<StateAt> => {
      await requireSession(this.log, sessionId);
      return stateAt(this.log, sessionStreamName(sessionId), version);
    },
  };

  close(): Promise<readonly Zombie[]> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<readonly Zombie[]> {
    const { sessions, extensions, root, leadership, journal, log, ownsLog } = this.#parts;
    await sessions.shutdown("shutdown");
    await this.memory.close();
    const zombies = await extensions.close();
    await root.shutdown();
    await leadership.close();
    await journal.flush();
    if (ownsLog) await log.close();
    return zombies;
  }
}

function treesOf(root: Supervisor, listeners: RuntimeParts["listeners"]): Observable<SupervisorTree> {
  // Loading rxjs takes longer than starting a runtime, and most never look.
  const { Observable } = createRequire(import.meta.url)("rxjs") as typeof Rxjs;
  return new Observable((subscriber) => {
    const listener = (tree: SupervisorTree): void => subscriber.next(tree);
    listeners.add(listener);
    listener(root.tree());
    return () => listeners.delete(listener);
  });
}
