/**
 * Feeds recorded inputs to a cascade and compares what it decides with what was recorded. Starting a stream and
 * verifying a replay are this one thing.
 */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../errors.ts";
import { isKnownType, upcast, type Fact } from "../events/index.ts";
import type { StoredFact } from "../log/index.ts";
import type { Cascade, UnitFact } from "./cascade.ts";

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
  readonly cascade: Cascade;
  #undecided: readonly UnitFact[] = [];
  #next = 0;

  constructor(cascade: Cascade) {
    this.cascade = cascade;
  }

  /**
   * Takes the next recorded fact of the stream.
   *
   * @param fact - the same fact as `factOf` gives it: whoever feeds folds it too, and parses it once
   * @returns the difference, `null` when there is none
   */
  take(stored: StoredFact, fact: Fact): FedDivergence | null {
    if (!isKnownType(stored.type)) {
      this.cascade.pass(stored.version);
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

  #input(stored: StoredFact, fact: Fact): FedDivergence | null {
    try {
      const facts = this.cascade.take({
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
