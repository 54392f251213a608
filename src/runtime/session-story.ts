/** Tells a session's subscribers what its facts mean, in the words of docs/reference/session-events.md. */
import { isKnownType, upcast, type Fact, type KnownFact } from "../events/index.ts";
import type { Logger } from "../ports.ts";
import {
  storyOf,
  tellFact,
  tellLive,
  type EventState,
  type SessionEvent,
  type SessionEventBody,
} from "../projections/index.ts";
import type { SessionStream } from "./session-stream.ts";

/** The events of one session. */
export class SessionStory {
  readonly #sessionId: string;
  readonly #logger: Logger;
  readonly #subscribers = new Set<(event: SessionEvent) => void>();
  /** `null` until the first event: the stream is read when the session starts, not when it is made. */
  #state: EventState | null = null;

  /** @param onFact - called with each fact once its events are told */
  constructor(sessionId: string, stream: SessionStream, logger: Logger, onFact: (fact: Fact) => void) {
    this.#sessionId = sessionId;
    this.#logger = logger;
    stream.subscribe((event) => {
      this.#state ??= storyOf(stream.views.session);
      if ("live" in event) this.#tell(tellLive(this.#state, event.live));
      else {
        const { fact } = event;
        if (isKnownType(fact.type)) this.#tell(tellFact(this.#state, upcast(fact) as KnownFact));
        onFact(fact);
      }
    });
  }

  /** Sees what happens from now on. @returns a function that ends it, which `using` understands too */
  subscribe(listener: (event: SessionEvent) => void): (() => void) & Disposable {
    this.#subscribers.add(listener);
    const end = (): void => void this.#subscribers.delete(listener);
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** A subscriber threw, or something that nobody waits for failed. */
  report(error: unknown): void {
    this.#logger.error(
      { sessionId: this.#sessionId, error: error instanceof Error ? error.name : "unknown" },
      "a subscriber threw",
    );
  }

  /** Something that no fact of the session tells. */
  tell(event: SessionEventBody): void {
    this.#publish(event);
  }

  #tell([state, events]: readonly [EventState, readonly SessionEventBody[]]): void {
    this.#state = state;
    for (const event of events) this.#publish(event);
  }

  #publish(event: SessionEventBody): void {
    for (const subscriber of this.#subscribers) {
      try {
        // A listener may be an async function, whatever its type says.
        const told: unknown = subscriber({ ...event, sessionId: this.#sessionId });
        if (told instanceof Promise) told.catch((error: unknown) => this.report(error));
      } catch (error) {
        this.report(error);
      }
    }
  }
}
