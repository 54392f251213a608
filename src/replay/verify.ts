/**
 * Replays a session: walks its hash chain, feeds its recorded inputs to the machines and compares every decision, rebuilds
 * every request to a model and compares its digest, and holds extensions against what was loaded. The first difference
 * ends it. docs/reference/time-travel.md, "Divergences"
 */
import { createHash } from "node:crypto";
import { factOf, Feed } from "../actors/feed.ts";
import { sessionActors } from "../actors/session/actors.ts";
import { requestDigest } from "../actors/session/request.ts";
import { summaryRequest } from "../actors/session/summary-request.ts";
import type { Fact, FactData, FactOf } from "../events/index.ts";
import {
  historyParts,
  storedHistoryOf,
  type EventLog,
  type HistoryPart,
  type StoredFact,
} from "../log/index.ts";
import {
  messageCount,
  messagesOf,
  project,
  sessionView,
  transcript,
  type Transcript,
} from "../projections/index.ts";
import { Chain, type ChainFault } from "./chain.ts";
import type { Divergence } from "./divergence.ts";
import {
  explainDecision,
  explainExtension,
  explainFault,
  explainPrompt,
  explainUnreadable,
} from "./explain.ts";
import {
  loadedExtensions,
  unknownAnswer,
  unknownReported,
  type LoadedExtensions,
} from "./loaded-extensions.ts";
import { restored } from "./restored.ts";

/** What a replay found. */
export interface ReplayReport {
  readonly sessionId: string;
  /** Facts that were replayed. */
  readonly facts: number;
  /** Facts among them that could not be decided again, since their data, or that of one before them, was left out. */
  readonly unavailable: number;
  /** The first difference, if any: what follows it would only repeat it. */
  readonly divergences: readonly Divergence[];
  /** SHA-256 over the actors and views at the end, in canonical JSON: equal logs give equal hashes. */
  readonly stateHash: string;
}

/** Replays a whole session. */
export async function verifyReplay(log: EventLog, sessionId: string): Promise<ReplayReport> {
  const parts = await historyParts(log, `session-${sessionId}`);
  const replay = new Replay(log, sessionId, parts);
  for await (const page of storedHistoryOf(log, parts)) {
    for (const stored of page) if (await replay.take(stored)) return replay.report();
  }
  return replay.report();
}

/** One walk over the facts of a session. */
class Replay {
  readonly #log: EventLog;
  readonly #sessionId: string;
  readonly #chain: Chain;
  readonly #feed: Feed;
  #session = sessionView.initial;
  #conversation: Transcript = transcript.initial;
  /** So many messages were in the last request whose digest was right. */
  #asked = 0;
  #loaded: LoadedExtensions | null = null;
  #facts = 0;
  #unavailable = 0;
  #divergence: Divergence | null = null;

  constructor(log: EventLog, sessionId: string, parts: readonly HistoryPart[]) {
    this.#log = log;
    this.#sessionId = sessionId;
    this.#chain = new Chain(parts);
    this.#feed = Feed.of(sessionActors(sessionId), parts);
  }

  /** Takes the next fact. @returns whether it is not as it was recorded: then nothing more is to be taken */
  async take(stored: StoredFact): Promise<boolean> {
    const fault = this.#chain.take(stored);
    if (fault !== null) this.#divergence = await this.#explain(stored, fault);
    else if (stored.redacted !== undefined || this.#unavailable > 0) this.#unavailable += 1;
    else await this.#compare(stored);
    this.#facts += 1;
    return this.#divergence !== null;
  }

  report(): ReplayReport {
    const missing = this.#divergence === null && this.#unavailable === 0 ? this.#feed.end() : null;
    if (missing !== null) this.#divergence = explainDecision(missing, this.#feed.unit);
    const state = {
      actors: this.#feed.cascade.snapshot(),
      session: this.#session,
      messages: messagesOf(this.#conversation),
    };
    return {
      sessionId: this.#sessionId,
      facts: this.#facts,
      unavailable: this.#unavailable,
      divergences: this.#divergence === null ? [] : [this.#divergence],
      stateHash: createHash("sha256").update(canonicalJson(state)).digest("hex"),
    };
  }

  async #compare(stored: StoredFact): Promise<void> {
    const fact = parsed(stored);
    if (fact === null) {
      this.#divergence = explainUnreadable(stored);
      return;
    }
    this.#divergence = this.#comparePrompt(fact) ?? (await this.#compareExtension(fact));
    if (this.#divergence !== null) return;
    // Before it is fed: an input begins another unit.
    const { unit } = this.#feed;
    const found = this.#feed.take(stored, fact);
    if (found !== null) this.#divergence = explainDecision(found, unit);
    this.#session = project(sessionView, this.#session, fact);
    this.#conversation = project(transcript, this.#conversation, fact);
  }

  /** The transcript that an answer or a summary was given to must still build the request that was sent. */
  #comparePrompt(fact: Fact): Divergence | null {
    if (fact.type !== "model.responded" && fact.type !== "session.compacted") return null;
    const { data } = fact as FactOf<"model.responded" | "session.compacted">;
    const actual = this.#digest(fact as FactOf<"model.responded" | "session.compacted">);
    if (actual !== data.requestSha256) {
      const fresh = messagesOf(this.#conversation).slice(this.#asked);
      const numbered = fresh.map(({ version }, at) => ({ index: this.#asked + at, version }));
      return explainPrompt(fact, data.requestSha256, actual, numbered);
    }
    if (fact.type === "model.responded") this.#asked = messageCount(this.#conversation);
    return null;
  }

  #digest({ type, data }: FactOf<"model.responded" | "session.compacted">): string {
    return type === "session.compacted"
      ? summaryRequest(this.#conversation, data, data.room).requestSha256
      : requestDigest(this.#session.systemPrompt, this.#conversation);
  }

  async #compareExtension(fact: Fact): Promise<Divergence | null> {
    if (fact.type !== "hook.answered" && fact.type !== "extension_status_report.published") return null;
    this.#loaded ??= await loadedExtensions(this.#log);
    const { type, data } = fact as FactOf<"hook.answered" | "extension_status_report.published">;
    const unknown =
      type === "hook.answered"
        ? unknownAnswer(this.#loaded, data.answers)
        : unknownReported(this.#loaded, data.report);
    return unknown === null ? null : explainExtension(fact, unknown);
  }

  async #explain(stored: StoredFact, fault: ChainFault): Promise<Divergence> {
    const cause = stored.kind === "decision" ? (this.#feed.unit[0]?.version ?? null) : null;
    if (fault.is === "out_of_order") return explainFault(stored, fault, { is: "unknown" }, cause);
    const texts = await this.#texts(stored);
    return explainFault(stored, fault, await restored(this.#log, fault.own, fault.before, texts), cause);
  }

  /** What its data may have been: what the machines decide here, the digest of the prompt, the code that was loaded. */
  async #texts(stored: StoredFact): Promise<string[]> {
    const texts: string[] = [];
    const { expected } = this.#feed;
    if (expected !== null) texts.push(expected.text);
    const fact = parsed(stored);
    if (fact?.type === "model.responded") {
      const said = (fact.data as FactData<"model.responded"> | null)?.requestSha256 ?? "";
      const digest = requestDigest(this.#session.systemPrompt, this.#conversation);
      texts.push(
        stored.text.replace(`"requestSha256":${JSON.stringify(said)}`, `"requestSha256":"${digest}"`),
      );
    }
    if (fact?.type === "hook.answered") {
      this.#loaded ??= await loadedExtensions(this.#log);
      for (const { module, sha256 } of answersOf(fact))
        for (const code of this.#loaded.get(module) ?? [])
          texts.push(
            stored.text.replace(
              `"sha256":${JSON.stringify(sha256)}`,
              `"sha256":${JSON.stringify(code.sha256)}`,
            ),
          );
    }
    return texts;
  }
}

/** Of a fact that may have been changed. */
function answersOf({ data }: Fact): FactData<"hook.answered">["answers"] {
  const answers = (data as Partial<FactData<"hook.answered">> | null)?.answers;
  return Array.isArray(answers) ? answers : [];
}

/** `null` when its data is no JSON. */
function parsed(stored: StoredFact): Fact | null {
  try {
    return factOf(stored);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** JSON with the members of every object in order of their names. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
