/** What of a side query people watch for, told without content. Pure. docs/reference/introspection.md, "What is recorded" */
import type { KnownFact } from "../../events/index.ts";
import type { IntrospectionDraft } from "./record.ts";

/**
 * The record of a fact of a side query; `null` for any other.
 *
 * @param sourceSessionId - the session that it is about; `null`: none
 */
export function recordOfSideQuery(
  queryId: string,
  sourceSessionId: string | null,
  fact: KnownFact,
): IntrospectionDraft | null {
  const told = tell(fact);
  if (told === null) return null;
  const [eventType, payload] = told;
  return {
    eventType,
    runId: null,
    sessionId: sourceSessionId,
    sessionKey: `side_query:${queryId}`,
    agentId: null,
    parentRunId: null,
    provenance: "direct",
    payload: { queryId, ...payload },
  };
}

function tell(fact: KnownFact): readonly [string, Readonly<Record<string, unknown>>] | null {
  switch (fact.type) {
    case "side_query.asked":
      return ["side_query_asked", { source: fact.data.source }];
    case "side_query.answered": {
      const { model, durationMs } = fact.data;
      return ["side_query_answered", { model, durationMs }];
    }
    case "side_query.failed": {
      const { reason, durationMs } = fact.data;
      return ["side_query_failed", { reason, durationMs }];
    }
    default:
      return null;
  }
}
