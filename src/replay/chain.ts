/** The hash chains of a history, fact by fact: whether each is what was written, where it was written. */
import { factHash, factHashOf, GENESIS, type HistoryPart, type StoredFact } from "../log/index.ts";

/** Where a stream stood before a fact. */
export interface Before {
  readonly version: number;
  readonly position: number;
  readonly hash: string;
}

/** Why a fact is not where, or what, it was. */
export interface ChainFault {
  readonly is: "out_of_order" | "not_the_hash";
  readonly before: Before;
  /** As its stream has it: with the version that it has there. */
  readonly own: StoredFact;
}

const start: Before = { version: 0, position: 0, hash: GENESIS };

/** The chains of the streams that a history is made of. After the first fault it is of no use any more. */
export class Chain {
  readonly #shifts: ReadonlyMap<string, number>;
  readonly #heads = new Map<string, Before>();

  constructor(parts: readonly HistoryPart[]) {
    this.#shifts = new Map(parts.map(({ stream, shift }) => [stream, shift]));
  }

  /** Takes the next fact. @returns what is wrong with it, `null` for nothing */
  take(stored: StoredFact): ChainFault | null {
    const { stream, position, hash } = stored;
    const own = ownForm(stored, this.#shifts.get(stream) ?? 0);
    const before = this.#heads.get(stream) ?? start;
    if (own.version !== before.version + 1 || position <= before.position)
      return { is: "out_of_order", before, own };
    if (hashOf(before.hash, own) !== hash) return { is: "not_the_hash", before, own };
    this.#heads.set(stream, { version: own.version, position, hash });
    return null;
  }
}

/** The hash of a fact behind another. */
export function hashOf(previous: string, fact: StoredFact): string {
  return fact.redacted === undefined
    ? factHash(previous, fact, fact.text)
    : factHashOf(previous, fact, fact.redacted);
}

function ownForm(stored: StoredFact, shift: number): StoredFact {
  if (shift === 0) return stored;
  const { version, causation } = stored;
  return { ...stored, version: version + shift, causation: causation === null ? null : causation + shift };
}
