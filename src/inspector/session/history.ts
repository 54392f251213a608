/** Reads parts of a session's history, facts of the sessions that it was forked from included. */
import type { Fact } from "../../events/index.ts";
import { historyParts, type EventLog, type HistoryPart } from "../../log/index.ts";

/** The facts of one session with the versions that they have for it: its own from 1, those of ancestors 0 and less. */
export class History {
  readonly #log: Pick<EventLog, "read">;
  readonly #parts: readonly HistoryPart[];

  private constructor(log: Pick<EventLog, "read">, parts: readonly HistoryPart[]) {
    this.#log = log;
    this.#parts = parts;
  }

  /** @throws LogCorruptError when forks follow each other in a circle */
  static async of(log: Pick<EventLog, "read">, stream: string): Promise<History> {
    return new History(log, await historyParts(log, stream));
  }

  /** Version of its first fact: 1 for a session that is no fork, else 0 or less. */
  get first(): number {
    return 1 - (this.#parts[0] as HistoryPart).shift;
  }

  /** Facts from one version to another, both included, oldest first. */
  async *read(from: number, to: number, types?: readonly string[]): AsyncGenerator<Fact> {
    for (const { stream, to: end, shift } of this.#parts) {
      const range = { from: Math.max(1, from + shift), to: Math.min(end ?? Infinity, to + shift) };
      if (range.from > range.to) continue;
      const facts = this.#log.read(stream, types === undefined ? range : { ...range, types });
      if (shift === 0) yield* facts;
      else for await (const fact of facts) yield shifted(fact, shift);
    }
  }
}

function shifted(fact: Fact, shift: number): Fact {
  const { version, causation } = fact;
  return { ...fact, version: version - shift, causation: causation === null ? null : causation - shift };
}
