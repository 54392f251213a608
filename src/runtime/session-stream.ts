/** Puts a session's stream together: machines, effects, and the world that they reach. */
import {
  AlreadyStreamingError,
  approvalEffect,
  endOfGivenUp,
  JournaledStream,
  modelEffect,
  NotStreamingError,
  retryEffect,
  sessionActors,
  sessionViews,
  toolEffect,
  type Leadership,
  type SessionViews,
} from "../actors/index.ts";
import { LemonError } from "../errors.ts";
import { loadSchemas, type ApprovalMode, type FactType } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock, Ids, Logger, Random } from "../ports.ts";
import type { Model, ModelTool } from "../providers/index.ts";
import type { Masker } from "../secrets/index.ts";
import type { RegisteredTool, ToolRegistry } from "../tools/index.ts";

/** What all sessions of a runtime share. */
export interface SessionWorld {
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a session has of its own. */
export interface SessionParts {
  readonly mask: Masker;
  readonly registry: ToolRegistry;
  /** The model of the stream's present settings. */
  readonly model: (stream: SessionStream) => Promise<Model>;
}

/** The stream of a session. */
export type SessionStream = JournaledStream<SessionViews>;

/** Name of a session's stream. */
export function sessionStreamName(sessionId: string): string {
  return `session-${sessionId}`;
}

/** The stream of a session, not started yet. */
export async function openSessionStream(
  sessionId: string,
  world: SessionWorld,
  parts: SessionParts,
): Promise<SessionStream> {
  const { checkFact } = await loadSchemas();
  const { log, leadership, clock, ids, random, logger, env } = world;
  const { mask, registry } = parts;
  return new JournaledStream({
    stream: sessionStreamName(sessionId),
    log,
    leadership,
    actors: { ...sessionActors(sessionId), check: checkFact },
    views: sessionViews,
    lastWords: ({ session }, at) => endOfGivenUp(session, at),
    effects: (stream) => {
      const views = (): SessionViews => stream.views;
      const tools = {
        stream: stream.name,
        views,
        unmasked: (version: number) => stream.unmasked(version),
        registry: () => registry,
        putBlob: (bytes: Uint8Array) => log.putBlob(bytes),
        mask,
        clock,
        logger,
        env,
      };
      return {
        "model.requested": modelEffect({
          views,
          model: () => parts.model(stream),
          registry: () => registry,
          offered: () => registry.tools.map(offeredOf),
          approvalOf: (tool) => approvalOf(tool, stream.views.session.settings.approval),
          clock,
          ids,
          random,
          mask,
        }),
        "model.retry_scheduled": retryEffect(clock),
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
}

/** What a model is told of a tool. Made for each request: an idle session keeps no list of its own. */
function offeredOf({ tool: { name, description, parameters } }: RegisteredTool): ModelTool {
  return { name, description, parameters };
}

/** A tool that changes nothing runs without asking; all others as the session says. */
function approvalOf({ tool }: RegisteredTool, mode: ApprovalMode): ApprovalMode {
  return tool.readOnly ? "auto" : mode;
}

function refusal(sessionId: string, type: FactType): LemonError {
  switch (type) {
    case "steer.submitted":
    case "follow_up.submitted":
    case "abort.requested":
      return new NotStreamingError(sessionId);
    case "session.started":
      return new LemonError("session_exists", `session ${sessionId} has been started`);
    default:
      return new AlreadyStreamingError(sessionId);
  }
}
