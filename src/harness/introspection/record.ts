/** What of a session's facts people watch for, told without content. Pure. docs/reference/introspection.md, "What is recorded" */
import type { FactData, KnownFact } from "../../events/index.ts";
import { taskStatusOf } from "../../projections/index.ts";

/** A record, before its secrets are taken out and it is given an id. */
export type IntrospectionDraft = Omit<FactData<"introspection.recorded">, "eventId" | "engine">;

/** More than these are counted only. */
const MAX_HASHES = 1_000;

/**
 * The record of a fact; `null` for a fact that nobody watches for.
 *
 * @param hash - gives a path the name under which it may be shown
 */
export function recordOf(
  session: Pick<IntrospectionDraft, "sessionId" | "sessionKey" | "agentId">,
  fact: KnownFact,
  hash: (path: string) => string,
): IntrospectionDraft | null {
  const told = tell(fact, hash);
  if (told === null) return null;
  const [eventType, payload] = told;
  return {
    eventType,
    runId: fact.correlation,
    ...session,
    parentRunId: null,
    provenance: "direct",
    payload: { ...payload, sessionVersion: fact.version },
  };
}

/** Whether `recordOf` gives a record of such a fact. */
export function isWatched(type: string): boolean {
  return watched.has(type);
}

const watched: ReadonlySet<string> = new Set<KnownFact["type"]>([
  "session.started",
  "session.forked",
  "session.shut_down",
  "tool_call.started",
  "session.compacted",
  "checkpoint.created",
  "checkpoint.deleted",
  "checkpoint.restored",
  "subagent.queued",
  "subagent.started",
  "subagent.completed",
  "subagent.timed_out",
  "subagent.cancelled",
  "subagent.failed",
  "subagent.lost",
]);

function tell(
  fact: KnownFact,
  hash: (path: string) => string,
): readonly [string, Readonly<Record<string, unknown>>] | null {
  const paths = (named: readonly { readonly path: string }[]): object => ({
    pathCount: named.length,
    pathHashes: named.slice(0, MAX_HASHES).map(({ path }) => hash(path)),
  });
  switch (fact.type) {
    case "session.started":
    case "session.forked":
      return ["session_started", { model: fact.data.model }];
    case "session.shut_down":
      return ["session_ended", {}];
    case "tool_call.started":
      return ["tool_dispatched", { toolName: fact.data.name }];
    case "session.compacted": {
      const { messages, tokensBefore, tokensAfter } = fact.data;
      return ["session_compacted", { messages, tokensBefore, tokensAfter }];
    }
    case "checkpoint.created": {
      const { checkpointId, kind, origin, tool, files } = fact.data;
      return ["checkpoint_created", { checkpointId, kind, origin, tool, ...paths(files) }];
    }
    case "checkpoint.deleted": {
      const { checkpointId, cause } = fact.data;
      return ["checkpoint_deleted", { checkpointId, cause }];
    }
    case "checkpoint.restored": {
      const { checkpointId, status, results } = fact.data;
      return ["checkpoint_restored", { checkpointId, status, ...paths(results) }];
    }
    case "subagent.queued": {
      const { taskId, role, isAsync } = fact.data;
      return ["task_queued", { taskId, role, isAsync }];
    }
    case "subagent.started":
      return ["task_started", { taskId: fact.data.taskId }];
    case "subagent.completed":
    case "subagent.timed_out":
    case "subagent.cancelled":
    case "subagent.failed":
    case "subagent.lost":
      return ["task_ended", { taskId: fact.data.taskId, status: taskStatusOf(fact.type) }];
    default:
      return null;
  }
}
