/** What the runtimes of a log told of their supervision trees, read once and followed. */
import type { Fact } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { RuntimeTree } from "../api.ts";
import { knownFact } from "../derive/fact-columns.ts";
import { isAbout, isSupervisionFact, runtimeTree, type SupervisionFact } from "../derive/supervision.ts";

const PREFIX = "supervision-";

/** The supervision streams. */
export class SupervisionBook {
  readonly #log: EventLog;
  readonly #facts = new Map<string, SupervisionFact[]>();
  readonly #versions = new Map<string, number>();
  #reading: Promise<void> | null = null;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** The trees of the runtimes that had led a session by a position of the log; the one that did so last is the last. */
  async treesAt(sessionId: string, position: number): Promise<RuntimeTree[]> {
    this.#reading ??= this.#readOn().finally(() => (this.#reading = null));
    await this.#reading;
    const led: { readonly stream: string; readonly since: number }[] = [];
    for (const [stream, facts] of this.#facts) {
      const last = facts.findLast((fact) => fact.position <= position && isAbout(fact, sessionId));
      if (last !== undefined) led.push({ stream, since: last.position });
    }
    return led
      .sort((a, b) => a.since - b.since)
      .map(({ stream }) =>
        runtimeTree(stream.slice(PREFIX.length), this.#facts.get(stream) ?? [], { sessionId, position }),
      );
  }

  async #readOn(): Promise<void> {
    for (const { stream, version } of await this.#log.streams(PREFIX)) {
      const read = this.#versions.get(stream) ?? 0;
      if (version <= read) continue;
      for await (const fact of this.#log.read(stream, { from: read + 1 })) this.#take(fact);
    }
  }

  #take(fact: Fact): void {
    this.#versions.set(fact.stream, fact.version);
    const known = knownFact(fact);
    if (known === null || !isSupervisionFact(known)) return;
    const facts = this.#facts.get(fact.stream);
    if (facts === undefined) this.#facts.set(fact.stream, [known]);
    else facts.push(known);
  }
}
