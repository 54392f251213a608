/** Writes the life of the supervision tree into its own stream: starts, ends, restarts, giving up. */
import type { EventLog } from "../log/index.ts";
import type { Clock, Logger } from "../ports.ts";
import type { SupervisionEvent } from "../supervision/index.ts";
import type { Json, NewFact } from "../events/index.ts";
import type { Masker } from "../secrets/index.ts";

/** Records events in the order in which they happened. They are history, not state: a lost one stops nothing. */
export class SupervisionJournal {
  readonly stream: string;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #mask: Masker;
  #waiting: NewFact[] = [];
  #writing: Promise<void> | null = null;

  constructor(runtimeId: string, log: EventLog, clock: Clock, logger: Logger, mask: Masker) {
    this.stream = `supervision-${runtimeId}`;
    this.#log = log;
    this.#clock = clock;
    this.#logger = logger;
    this.#mask = mask;
  }

  record({ type, ...told }: SupervisionEvent): void {
    // The message of an error that crashed an actor may quote anything. Events are JSON by their type.
    const data = this.#mask.json(told as unknown as Json) as unknown as typeof told;
    const fact = {
      type,
      data,
      kind: "input" as const,
      actor: data.supervisor,
      causation: null,
      correlation: null,
    };
    this.#waiting.push({ ...fact, at: this.#clock.now() });
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
  }

  /** Resolves when all that was told so far is written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const facts = this.#waiting;
      this.#waiting = [];
      try {
        await this.#log.append(this.stream, "any", facts, { durability: "relaxed" });
      } catch (error) {
        this.#logger.warn(
          { error: error instanceof Error ? error.name : "unknown" },
          "supervision was not recorded",
        );
      }
    }
  }
}
