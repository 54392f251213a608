/** Puts the rooms together: one runtime is one log, one lease, one supervision tree. */
import path from "node:path";
import { Leadership } from "../actors/index.ts";
import type { Fact, SessionLineage } from "../events/index.ts";
import { loadConfig } from "../config/index.ts";
import { familyOf } from "../harness/index.ts";
import { defaultHome } from "../home.ts";
import { leaseOwner } from "../log/index.ts";
import { silentLogger } from "../ports.ts";
import {
  systemClock,
  type SupervisionEvent,
  type Supervisor,
  type SupervisorTree,
} from "../supervision/index.ts";
import { createMasker } from "../secrets/index.ts";
import { backgroundRuns } from "./background/open.ts";
import type { TaskControl } from "../tools/index.ts";
import { changesWorld } from "./changes.ts";
import { controlPlaneSecrets } from "./control-plane-token.ts";
import { runtimeFeatures } from "./features.ts";
import { runtimeCheckpoints } from "./checkpoints.ts";
import { House } from "./house.ts";
import { Lane } from "./lane.ts";
import { knownSecrets } from "./known-secrets.ts";
import { RuntimeIntrospection } from "./introspection.ts";
import type { Configured } from "./load-builder.ts";
import { openLog } from "./open-log.ts";
import { RuntimeProgress } from "./progress.ts";
import { runningRuntime, type Runtime } from "./running-runtime.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import { RuntimeTools } from "./runtime-tools.ts";
import { runtimeExtensions } from "./runtime-extensions.ts";
import { RuntimeMemory, runtimeSearch } from "./memory.ts";
import { SessionFactory } from "./session-factory.ts";
import { SessionWriter } from "./session-writer.ts";
import { Sessions } from "./sessions.ts";
import { SideQueries } from "./side-queries.ts";
import { SupervisionJournal } from "./supervision-journal.ts";
import type { TaskCall } from "./subagents/task-call.ts";
import { RuntimeTasks } from "./subagents/runtime-tasks.ts";
import { Subagents } from "./subagents/subagents.ts";
import { systemIds, systemRandom } from "./system-ports.ts";
import { RuntimeTodos } from "./todos.ts";

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
    const { role = "library", leaseKey = `runtime-${id}` } = options.background ?? {};
    leadership = await Leadership.acquire(log, leaseKey, leaseOwner(), clock, logger);
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
    const watch = (sessionId: string, fact: Fact, lineage?: SessionLineage): void => {
      introspection.take(sessionId, fact, lineage);
      subagents.take(fact);
    };
    const writer = new SessionWriter({ log, leadership, clock, mask, streamOf, written: watch });
    const shared = { log, clock, ids, logger, mask, cwd };
    const checkpoints = runtimeCheckpoints({ ...shared, sessions: writer, settings: config.checkpoints });
    const changes = changesWorld({ log, checkpoints, home, logger, scanner: options.scanner });
    const tasks = (call: TaskCall): TaskControl => subagents.controlOf(call);
    const factory = new SessionFactory({
      world: { log, leadership, writer, watch, checkpoints, clock, ids, random, logger, env, changes, tasks },
      home,
      models: options.models ?? {},
      extensions: extensions.registry,
      configure,
      secretsOfHome,
    });
    const subagents: Subagents = new Subagents({
      log,
      clock,
      ids,
      logger,
      home,
      lane: new Lane(config.lanes.subagent),
      sessions: () => sessions,
      supervisor: () => house.subagents,
      isTrusted: async (folder) => (await configure(folder)).isProjectTrusted,
    });
    const recover = async (sessionId: string): Promise<void> => {
      await checkpoints.recover(sessionId);
      await subagents.recover(sessionId);
    };
    const leave = (sessionId: string): Promise<void> => subagents.leave(sessionId);
    const lane = new Lane(config.lanes.main ?? options.mainLane ?? Infinity);
    const sessions: Sessions = new Sessions({
      factory,
      population: () => house.sessions,
      cwd,
      recover,
      leave,
      lane,
    });
    const population = (): Supervisor => house.sideQueries;
    const sideQuery = new SideQueries({ factory, sessions, population, introspection });
    await sideQuery.recover();
    const recall = { home, registry: extensions.registry, clock, logger, mask };
    const { background, dispatcher } = await backgroundRuns({
      ...parts,
      cwd,
      sessions,
      factory,
      mask,
      introspection,
      role,
      slots: config.lanes.background,
      onRestart: config.background.onRestart,
      hasObjects: (options.extensions ?? []).length > 0,
      sessionsOf: (runId) => familyOf(log, runId),
    });
    const features = runtimeFeatures(factory, cwd, mask);
    return runningRuntime(
      {
        todos: new RuntimeTodos({ log, writer, clock }),
        tasks: new RuntimeTasks({ log, writer }),
        progress: new RuntimeProgress({ log, load: (folder) => features.load(folder) }),
        introspection,
        tools: new RuntimeTools(extensions.registry, cwd, configure),
        memory: new RuntimeMemory(recall),
        search: runtimeSearch(recall),
        checkpoints,
        id,
        log,
        config,
        sessions,
        background,
        extensions,
        features,
        sideQuery,
      },
      {
        home,
        ownsLog,
        dispatcher,
        root: house.root,
        leadership,
        journal,
        listeners,
        scanner: changes.scanner,
        whatIf: { ...parts, cwd, onExtensionOutput: options.onExtensionOutput },
      },
    );
  } catch (error) {
    if (house.isBuilt) await house.root.shutdown();
    await leadership?.close();
    if (ownsLog) await log.close();
    throw error;
  }
}
