/** Puts a session's stream together: machines, effects, and the world that they reach. */
import {
  AlreadyStreamingError,
  approvalEffect,
  compactionEffect,
  endOfGivenUp,
  hookEffect,
  JournaledStream,
  modelEffect,
  NotStreamingError,
  PendingReceipts,
  PlanModeUnchangedError,
  retryEffect,
  sessionActors,
  sessionViews,
  toolEffect,
  type CompactionRules,
  type HookSource,
  type Leadership,
  type SessionHooks,
  type SessionViews,
} from "../actors/index.ts";
import { LemonError } from "../errors.ts";
import {
  checkpointsOfCall,
  type CheckpointService,
  type Recorder,
  type ChangesWorld,
} from "../harness/index.ts";
import {
  isKnownType,
  loadSchemas,
  type Fact,
  type FactType,
  type KnownFact,
  type SessionLineage,
  type SessionMode,
} from "../events/index.ts";
import { sessionStreamName } from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock, Ids, Logger, Random } from "../ports.ts";
import type { Model, ModelTool } from "../providers/index.ts";
import type { Masker, RestorableSecrets } from "../secrets/index.ts";
import {
  approvalModeOf,
  type ExtensionControl,
  type RegisteredTool,
  type TaskControl,
  type ToolRegistry,
} from "../tools/index.ts";
import { maskedLogger } from "./masking.ts";
import type { TaskCall } from "./subagents/task-call.ts";
import { TaskEndedError } from "./subagents/errors.ts";
import type { SessionWriter } from "./session-writer.ts";
import { todosOfCall } from "./todos.ts";

/** What all sessions of a runtime share. */
export interface SessionWorld {
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly writer: SessionWriter;
  /** Sees every durable fact of a session that is open here. */
  readonly watch: (sessionId: string, fact: Fact, lineage: SessionLineage) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly checkpoints: CheckpointService;
  /** What the tool of subagents may do for a call. */
  readonly tasks: (call: TaskCall) => TaskControl;
  /** Where what calls change is looked at and kept. */
  readonly changes: ChangesWorld;
}

/** What a session has of its own. */
export interface SessionParts {
  readonly mask: Masker;
  /** Those that placeholders in arguments stand for. */
  readonly secrets: RestorableSecrets;
  readonly registry: (mode: SessionMode) => ToolRegistry;
  /** Whether files are kept before built-in tools change them. */
  readonly isGuarded: boolean;
  /** Whose hooks run, in their order. */
  readonly sources: () => readonly HookSource[];
  /** What the tool that shows and reloads extensions may do. */
  readonly extensions: ExtensionControl;
  /** Resolves when no reload of extensions is going on. */
  readonly reloaded: () => Promise<void>;
  readonly hooks: (stream: SessionStream) => SessionHooks;
  /** The model of the stream's present settings. */
  readonly model: (stream: SessionStream) => Promise<Model>;
  readonly compaction: CompactionRules;
}

/** The stream of a session. */
export type SessionStream = JournaledStream<SessionViews>;

/** The stream of a session, not started yet, what runs its hooks, and the receipts that it still awaits. */
export async function openSessionStream(
  sessionId: string,
  world: SessionWorld,
  parts: SessionParts,
): Promise<{
  readonly stream: SessionStream;
  readonly hooks: SessionHooks;
  readonly receipts: PendingReceipts;
}> {
  const { checkFact } = await loadSchemas();
  const { log, leadership, writer, clock, ids, random, env } = world;
  const { mask, registry } = parts;
  // What a tool logs, and the messages of errors, may hold anything.
  const logger = maskedLogger(world.logger, mask);
  const receipts = new PendingReceipts(clock, logger);
  const stream: SessionStream = new JournaledStream({
    stream: sessionStreamName(sessionId),
    log,
    leadership,
    actors: { ...sessionActors(sessionId), check: checkFact },
    views: sessionViews,
    lastWords: ({ session }, at) => endOfGivenUp(session, at),
    effects: (made) => {
      const views = (): SessionViews => made.views;
      const model = (): Promise<Model> => parts.model(made);
      const settled = async (): Promise<void> => hooks.settled();
      const tools = {
        stream: made.name,
        views,
        unmasked: (version: number) => made.unmasked(version),
        registry,
        secrets: parts.secrets,
        settled,
        extensions: parts.extensions,
        todos: todosOfCall(sessionId, { log, writer, clock }),
        tasks: (callId: string, record: TaskCall["record"]) =>
          world.tasks({
            sessionId,
            callId,
            record,
            keep: (text) => log.putBlob(mask.bytes(Buffer.from(text))),
          }),
        checkpoints: (callId: string, write: Recorder["write"]) =>
          checkpointsOfCall(world.checkpoints, sessionId, { callId, write }),
        putBlob: (bytes: Uint8Array) => log.putBlob(bytes),
        changes: world.changes,
        isGuarded: parts.isGuarded,
        receipts,
        isClosed: () => made.closed !== null,
        mask,
        clock,
        ids,
        logger,
        env,
      };
      return {
        "model.requested": modelEffect({
          views,
          model,
          compaction: parts.compaction,
          registry,
          handlers: (hook) =>
            parts.sources().reduce((sum, { hooks: counts }) => sum + (counts[hook] ?? 0), 0),
          settled: async () => {
            await settled();
            await parts.reloaded();
          },
          offered: (mode) => registry(mode).tools.map(offeredOf),
          approvalOf: (tool, args) => {
            const { toolPolicy, approval } = made.views.session.settings;
            return approvalModeOf(tool, args, toolPolicy, approval);
          },
          clock,
          ids,
          random,
          mask,
        }),
        "model.retry_scheduled": retryEffect(clock),
        "compaction.requested": compactionEffect({
          views,
          model,
          settings: parts.compaction.settings,
          clock,
        }),
        "hook.requested": hookEffect({ ...tools, sources: parts.sources }),
        "tool_call.started": toolEffect(tools),
        "approval.requested": approvalEffect(tools),
      };
    },
    clock,
    mask,
    check: checkFact,
    logger,
    refuse: (type) => refusal(sessionId, type),
  });
  const hooks: SessionHooks = parts.hooks(stream);
  stream.subscribe((event) => {
    if (!("fact" in event)) return;
    if (isKnownType(event.fact.type)) hooks.take(event.fact as KnownFact);
    world.watch(sessionId, event.fact, stream.views.session.lineage);
  });
  return { stream, hooks, receipts };
}

/** What a model is told of a tool. Made for each request: an idle session keeps no list of its own. */
function offeredOf({ tool: { name, description, parameters } }: RegisteredTool): ModelTool {
  return { name, description, parameters };
}

function refusal(sessionId: string, type: FactType): LemonError {
  switch (type) {
    case "steer.submitted":
    case "follow_up.submitted":
    case "abort.requested":
      return new NotStreamingError(sessionId);
    case "plan_mode.entered":
    case "plan_mode.exited":
      return new PlanModeUnchangedError(sessionId);
    case "subagent.started":
    case "subagent.completed":
    case "subagent.timed_out":
    case "subagent.cancelled":
    case "subagent.failed":
    case "subagent.lost":
      return new TaskEndedError();
    case "session.started":
      return new LemonError("session_exists", `session ${sessionId} has been started`);
    default:
      return new AlreadyStreamingError(sessionId);
  }
}
