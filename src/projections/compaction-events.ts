/** What a session's subscribers are told of a compaction. docs/reference/session-events.md */
import type { FactOf } from "../events/index.ts";
import type { SessionEventBody } from "./session-event.ts";

type CompactionFact = FactOf<
  "compaction.requested" | "session.compacted" | "compaction.failed" | "compaction.lost"
>;
type CompactionEnd = Extract<SessionEventBody, { type: "compaction_end" }>;

/** The event of a fact. */
export function compactionEvent(fact: CompactionFact): SessionEventBody {
  switch (fact.type) {
    case "compaction.requested": {
      const { reason, tokens } = fact.data;
      return { type: "compaction_start", reason, tokens };
    }
    case "session.compacted": {
      const { summary, tokensAfter: tokens } = fact.data;
      return { ...endOf("completed"), summary, tokens };
    }
    case "compaction.failed":
      return { ...endOf("failed"), class: fact.data.class };
    case "compaction.lost":
      return endOf("lost");
  }
}

/** The end of one that nothing came of. */
export function endOf(status: CompactionEnd["status"]): CompactionEnd {
  return { type: "compaction_end", status, class: null, summary: null, tokens: null };
}
