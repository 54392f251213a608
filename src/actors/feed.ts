/**
 * Feeds recorded inputs to a cascade and compares what it decides with what was recorded. Starting a stream and
 * verifying a replay are this one thing. A fork's history is fed like any other, its ancestors' facts first.
 */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../errors.ts";
import { isKnownType, upcast, type Fact, type FactData, type FactOf } from "../events/index.ts";
import type { HistoryPart, StoredFact } from "../log/index.ts";
import { Cascade, type CascadeInput, type StreamActors, type UnitFact } from "./cascade.ts";

/** How what is decided now differs from the log. */
export interface FedDivergence {
  /** Position of the recorded fact; `null` when the log has none there. */
  readonly position: number | null;
  readonly version: number;
  /**
   * `decision_changed`: decided otherwise. `decision_extra`: recorded, but not decided. `decision_missing`: decided, but
   * not recorded. `crashed`: an actor threw.
   */
  readonly kind: "decision_changed" | "decision_extra" | "decision_missing" | "crashed";
  /** What the log holds; `null` for nothing. */
  readonly expected: unknown;
  /** What the machines decide now; `null` for nothing. */
  readonly actual: unknown;
}

/** Compares, fact by fact, in version order. Stops being of use after the first divergence. */
export class Feed {
  #cascade: Cascade;
  #undecided: readonly UnitFact[] = [];
  #next = 0;

  constructor(cascade: Cascade) {
    this.#cascade = cascade;
  }

  /** For the whole of a history: it begins with the actors of the oldest ancestor. */
  static of(actors: StreamActors, parts: readonly HistoryPart[]): Feed {
    const [oldest] = parts;
    if (oldest === undefined || oldest.shift === 0) return new Feed(new Cascade(actors));
    const { ofSession, check } = actors;
    const first = ofSession?.(oldest.stream.slice("session-".length)) ?? actors;
    const cascade = new Cascade({ ...first, ...(check === undefined ? {} : { check }) });
    cascade.pass(-oldest.shift);
    return new Feed(cascade);
  }

  /** The actors as they stand after the last fact that was taken, and what they decided after it. */
  get cascade(): Cascade {
    return this.#cascade;
  }

  /** The last input that was taken, and what is decided upon it; empty before the first. */
  get unit(): readonly UnitFact[] {
    return this.#undecided;
  }

  /** What should follow now; `null` for an input. */
  get expected(): UnitFact | null {
    return this.#undecided[this.#next] ?? null;
  }

  /**
   * Takes the next recorded fact of the stream.
   *
   * @param fact - the same fact as `factOf` gives it: whoever feeds folds it too, and parses it once
   * @returns the difference, `null` when there is none
   */
  take(stored: StoredFact, fact: Fact): FedDivergence | null {
    if (!isKnownType(stored.type)) {
      this.#cascade.pass(stored.version);
      return null;
    }
    if (fact.type === "session.forked") {
      const { type, version, at, actor, causation, data } = fact as FactOf<"session.forked">;
      this.#undecided = this.fork({ type, version, at, actor, causation, data, text: stored.text });
      this.#next = 1;
      return null;
    }
    if (stored.kind === "decision") return this.#compare(stored);
    const missing = this.end();
    if (missing !== null) return { ...missing, position: stored.position, expected: shown(stored) };
    return this.#input(stored, fact);
  }

  /** After the last recorded fact: a decision that should have followed, or `null`. */
  end(): FedDivergence | null {
    const next = this.#undecided[this.#next];
    if (next === undefined) return null;
    return {
      position: null,
      version: next.version,
      kind: "decision_missing",
      expected: null,
      actual: shown(next),
    };
  }

  /**
   * Begins a fork after the last fact that was taken: its actors are other ones from here on, which stand where the
   * parent's stood. What those decided beyond that fact is decided in the fork.
   *
   * @returns the fork's first fact and these decisions
   */
  fork(
    forked: CascadeInput & { readonly version: number; readonly data: FactData<"session.forked"> },
  ): UnitFact[] {
    const decided = this.#undecided.slice(this.#next);
    const parent = this.#cascade;
    const { version } = forked;
    const fork = parent.fork(forked.data.sessionId, version - 1);
    const facts = fork.take(forked);
    // Of the parent's fact, or of another one beyond it.
    const caused = (by: number): number => Math.max(by, version - 1) + 1;
    for (const fact of decided) {
      const causedBy = fact.causation === null ? null : caused(fact.causation);
      facts.push({
        ...fact,
        version: fact.version + 1,
        causation: causedBy,
        actor: fork.pathAs(fact.actor, parent),
      });
    }
    fork.pass(version + decided.length);
    this.#cascade = fork;
    return facts;
  }

  #input(stored: StoredFact, fact: Fact): FedDivergence | null {
    try {
      const facts = this.#cascade.take({
        type: fact.type as UnitFact["type"],
        data: fact.data,
        text: stored.text,
        at: fact.at,
        actor: fact.actor,
        causation: fact.causation,
      });
      this.#undecided = facts;
      this.#next = 1;
      return null;
    } catch (error) {
      const { position, version } = stored;
      const actual = {
        error: messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error),
      };
      return { position, version, kind: "crashed", expected: shown(stored), actual };
    }
  }

  #compare(stored: StoredFact): FedDivergence | null {
    const decided = this.#undecided[this.#next];
    this.#next += 1;
    const { position, version } = stored;
    const expected = (): unknown => shown(stored);
    if (decided === undefined)
      return { position, version, kind: "decision_extra", expected: expected(), actual: null };
    if (sameDecision(stored, decided)) return null;
    return { position, version, kind: "decision_changed", expected: expected(), actual: shown(decided) };
  }
}

/** A stored fact with its data parsed, in its newest shape. */
export function factOf(stored: StoredFact): Fact {
  const { position, stream, version, type, schemaVersion, at, actor, causation, correlation, kind, hash } =
    stored;
  const data: unknown = JSON.parse(stored.text);
  if (stored.redacted !== undefined) {
    const { text: _none, ...rest } = stored;
    return { ...rest, data };
  }
  // Written out: spreading costs as much as parsing.
  return upcast({
    position,
    stream,
    version,
    type,
    schemaVersion,
    at,
    actor,
    causation,
    correlation,
    kind,
    data,
    hash,
  });
}

function sameDecision(stored: StoredFact, decided: UnitFact): boolean {
  return (
    stored.type === decided.type &&
    stored.version === decided.version &&
    stored.causation === decided.causation &&
    stored.actor === decided.actor &&
    stored.at === decided.at &&
    stored.correlation === decided.correlation &&
    // The text first: it is nearly always the same, and parsing costs more than the whole comparison.
    (stored.text === decided.text || isDeepStrictEqual(factOf(stored).data, decided.data))
  );
}

/** The part of a fact that replay compares, for people. */
function shown(fact: StoredFact | UnitFact): unknown {
  const { version, type, at, kind, actor, causation, correlation, text } = fact;
  return { version, type, at, kind, actor, causation, correlation, data: JSON.parse(text) as unknown };
}
