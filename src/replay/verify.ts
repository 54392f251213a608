/**
 * Replays a session: feeds its recorded inputs to the machines and compares every decision, and rebuilds every
 * request to a model and compares its digest.
 */
import { createHash } from "node:crypto";
import { factOf, Feed, type FedDivergence } from "../actors/feed.ts";
import { sessionActors } from "../actors/session/actors.ts";
import { requestDigest } from "../actors/session/request.ts";
import { summaryRequest } from "../actors/session/summary-request.ts";
import type { Fact, FactOf } from "../events/index.ts";
import { historyParts, storedHistoryOf, type EventLog } from "../log/index.ts";
import type { Divergence } from "./divergence.ts";
import { leafDifferences } from "./leaf-differences.ts";
import { messagesOf, project, sessionView, transcript, type Transcript } from "../projections/index.ts";

/** What a replay found. */
export interface ReplayReport {
  readonly sessionId: string;
  /** Facts that were replayed. */
  readonly facts: number;
  /** Facts that could not be decided again, since what they hold was removed. */
  readonly unavailable: number;
  /** The first difference, if any: what follows it would only repeat it. */
  readonly divergences: readonly Divergence[];
  /** SHA-256 over the actors and views at the end, in canonical JSON: equal logs give equal hashes. */
  readonly stateHash: string;
}

/** Replays a whole session. */
export async function verifyReplay(log: EventLog, sessionId: string): Promise<ReplayReport> {
  const parts = await historyParts(log, `session-${sessionId}`);
  const feed = Feed.of(sessionActors(sessionId), parts);
  let session = sessionView.initial;
  let conversation: Transcript = transcript.initial;
  let facts = 0;
  let divergence: Found | null = null;
  for await (const page of storedHistoryOf(log, parts)) {
    for (const stored of page) {
      if (divergence !== null) break;
      const fact = factOf(stored);
      divergence = compareRequest(fact, session.systemPrompt, conversation) ?? feed.take(stored, fact);
      session = project(sessionView, session, fact);
      conversation = project(transcript, conversation, fact);
      facts += 1;
    }
  }
  divergence ??= feed.end();
  const state = { actors: feed.cascade.snapshot(), session, messages: messagesOf(conversation) };
  return {
    sessionId,
    facts,
    unavailable: 0,
    divergences: divergence === null ? [] : [told(divergence)],
    stateHash: createHash("sha256").update(canonicalJson(state)).digest("hex"),
  };
}

type Found = Omit<FedDivergence, "kind"> & Pick<Divergence, "kind">;

function told(found: Found): Divergence {
  const differences = leafDifferences(found.expected, found.actual);
  return { ...found, differences, cause: null, explanation: "" };
}

/** The transcript that an answer or a summary was given to must still build the request that was sent. */
function compareRequest(fact: Fact, systemPrompt: string, conversation: Transcript): Found | null {
  if (fact.type !== "model.responded" && fact.type !== "session.compacted") return null;
  const { type, data, version, position } = fact as FactOf<"model.responded" | "session.compacted">;
  const actual =
    type === "session.compacted"
      ? summaryRequest(conversation, data, data.room).requestSha256
      : requestDigest(systemPrompt, conversation);
  if (actual === data.requestSha256) return null;
  const shown = (requestSha256: string): unknown => ({ version, type, requestSha256 });
  return {
    position,
    version,
    kind: "prompt_changed",
    expected: shown(data.requestSha256),
    actual: shown(actual),
  };
}

/** JSON with the members of every object in order of their names. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
