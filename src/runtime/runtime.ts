/** Puts the rooms together: one runtime is one log, one lease, one supervision tree. */
import path from "node:path";
import type { Observable } from "rxjs";
import { Leadership } from "../actors/index.ts";
import type { Fact } from "../events/index.ts";
import type { Zombie } from "../extensions/index.ts";
import { loadConfig, type Config } from "../config/index.ts";
import {
  sessionStreamName,
  type ChangesWorld,
  type CheckpointService,
  type Features,
} from "../harness/index.ts";
import { defaultHome } from "../home.ts";
import { leaseOwner, type EventLog } from "../log/index.ts";
import { silentLogger } from "../ports.ts";
import type { WebSearch } from "../providers/index.ts";
import { requireSession, stateAt, verifyReplay, type ReplayReport, type StateAt } from "../replay/index.ts";
import {
  systemClock,
  type SupervisionEvent,
  type Supervisor,
  type SupervisorTree,
} from "../supervision/index.ts";
import { createMasker } from "../secrets/index.ts";
import { changesWorld } from "./changes.ts";
import { controlPlaneSecrets } from "./control-plane-token.ts";
import { runtimeFeatures } from "./features.ts";
import { runtimeCheckpoints } from "./checkpoints.ts";
import { House } from "./house.ts";
import { knownSecrets } from "./known-secrets.ts";
import { RuntimeIntrospection } from "./introspection.ts";
import type { Configured } from "./load-builder.ts";
import { openLog } from "./open-log.ts";
import { RuntimeProgress } from "./progress.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import { RuntimeTools } from "./runtime-tools.ts";
import { runtimeExtensions, type RuntimeExtensions } from "./runtime-extensions.ts";
import { RuntimeMemory, runtimeSearch } from "./memory.ts";
import { SessionFactory } from "./session-factory.ts";
import { SessionWriter } from "./session-writer.ts";
import { Sessions } from "./sessions.ts";
import { SupervisionJournal } from "./supervision-journal.ts";
import { systemIds, systemRandom } from "./system-ports.ts";
import { RuntimeTodos } from "./todos.ts";
import { treesOf } from "./trees.ts";

/** A running runtime. Close it: its sessions are shut down and its lease is given back. */
export interface Runtime extends AsyncDisposable {
  /** `rt_` and 16 hexadecimal digits. */
  readonly id: string;
  readonly log: EventLog;
  readonly config: Config;
  readonly sessions: Sessions;
  /** The todo lists of sessions. docs/reference/todos.md */
  readonly todos: RuntimeTodos;
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
  const secretsOfHome = await controlPlaneSecrets(home);
  const mask = createMasker([...knownSecrets(config, env), ...secretsOfHome]);
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
    const parts = {
      id,
      log,
      leadership,
      clock,
      ids,
      logger,
      env,
      home,
      config,
      configure,
      house,
      secretsOfHome,
    };
    const extensions = runtimeExtensions(parts, {
      cwd,
      objects: options.extensions ?? [],
      models: Object.keys(options.models ?? {}),
      onOutput: options.onExtensionOutput,
    });
    const introspection = new RuntimeIntrospection({ log, clock, ids, logger, mask });
    // Asked once there are sessions.
    const streamOf = (sessionId: string) => sessions.streamOf(sessionId);
    const watch = (sessionId: string, fact: Fact): void => introspection.take(sessionId, fact);
    const writer = new SessionWriter({ log, leadership, clock, mask, streamOf, written: watch });
    const shared = { log, clock, ids, logger, mask, cwd };
    const checkpoints = runtimeCheckpoints({ ...shared, sessions: writer, settings: config.checkpoints });
    const changes = changesWorld({ log, checkpoints, home, logger, scanner: options.scanner });
    const factory = new SessionFactory({
      world: { log, leadership, writer, watch, checkpoints, clock, ids, random, logger, env, changes },
      home,
      models: options.models ?? {},
      extensions: extensions.registry,
      configure,
      secretsOfHome,
    });
    const recover = (sessionId: string): Promise<void> => checkpoints.recover(sessionId);
    const sessions: Sessions = new Sessions({ factory, population: () => house.sessions, cwd, recover });
    const recall = { home, registry: extensions.registry, clock, logger, mask };
    const features = runtimeFeatures(factory, cwd, mask);
    return new RunningRuntime({
      todos: new RuntimeTodos({ log, writer, clock }),
      progress: new RuntimeProgress({ log, load: (folder) => features.load(folder) }),
      introspection,
      tools: new RuntimeTools(extensions.registry, cwd, configure),
      memory: new RuntimeMemory(recall),
      search: runtimeSearch(recall),
      checkpoints,
      id,
      log,
      ownsLog,
      config,
      sessions,
      extensions,
      features,
      root: house.root,
      leadership,
      journal,
      listeners,
      scanner: changes.scanner,
    });
  } catch (error) {
    if (house.isBuilt) await house.root.shutdown();
    await leadership?.close();
    if (ownsLog) await log.close();
    throw error;
  }
}

/** What it shows of itself, and what it closes. */
interface RuntimeParts extends Omit<Runtime, "supervision" | "replay" | "close" | keyof AsyncDisposable> {
  readonly ownsLog: boolean;
  readonly extensions: RuntimeExtensions;
  readonly root: Supervisor;
  readonly leadership: Leadership;
  readonly journal: SupervisionJournal;
  readonly listeners: Set<(tree: SupervisorTree) => void>;
  readonly scanner: ChangesWorld["scanner"];
}

class RunningRuntime implements Runtime {
  readonly id: string;
  readonly log: EventLog;
  readonly config: Config;
  readonly sessions: Sessions;
  readonly todos: RuntimeTodos;
  readonly progress: RuntimeProgress;
  readonly introspection: RuntimeIntrospection;
  readonly extensions: RuntimeExtensions;
  readonly tools: RuntimeTools;
  readonly memory: RuntimeMemory;
  readonly search: WebSearch;
  readonly features: Features;
  readonly checkpoints: CheckpointService;
  readonly #parts: RuntimeParts;
  #closing: Promise<readonly Zombie[]> | null = null;

  constructor(parts: RuntimeParts) {
    this.id = parts.id;
    this.log = parts.log;
    this.config = parts.config;
    this.sessions = parts.sessions;
    this.todos = parts.todos;
    this.progress = parts.progress;
    this.introspection = parts.introspection;
    this.extensions = parts.extensions;
    this.tools = parts.tools;
    this.memory = parts.memory;
    this.search = parts.search;
    this.features = parts.features;
    this.checkpoints = parts.checkpoints;
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
    const { sessions, extensions, root, leadership, journal, log, ownsLog, scanner } = this.#parts;
    await sessions.shutdown("shutdown");
    await scanner.close();
    await this.memory.close();
    const zombies = await extensions.close();
    await root.shutdown();
    await leadership.close();
    await journal.flush();
    await this.introspection.flush();
    if (ownsLog) await log.close();
    return zombies;
  }
}
