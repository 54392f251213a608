/**
 * How other rooms write into a session's stream: through its actor where this process leads it, else at the version
 * that was read. One change of a session after the other, so that none rests on a state that is gone by then.
 * docs/reference/journaled-stream.md, "Facts from outside"
 */
import { StreamClosedError, type JournaledStream, type Leadership } from "../actors/index.ts";
import { LemonError } from "../errors.ts";
import type { Fact, FactData, FactType } from "../events/index.ts";
import { lastVersionOf, sessionStreamName } from "../harness/index.ts";
import { SessionBusyError, VersionConflictError, type AppendOptions, type EventLog } from "../log/index.ts";
import type { Clock } from "../ports.ts";
import type { Masker } from "../secrets/index.ts";

/** How often a change is tried when others write at the same time. */
const TRIES = 3;

/** A fact of a type to be written. */
type SessionFactOf<Type extends FactType> = { readonly type: Type; readonly data: FactData<Type> };

/** A fact to be written. */
export type SessionFact = { [T in FactType]: SessionFactOf<T> }[FactType];

/** Records a fact; resolves when it is durable. */
export type WriteFact = (fact: SessionFact) => Promise<Fact>;

/** The stream of a session that this process leads. */
type LiveStream = Pick<JournaledStream, "version" | "closed" | "submit">;

/** What the writer needs of its runtime. */
export interface SessionWriterDeps {
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly mask: Masker;
  /** The stream of a session that is open here; `null` for any other. */
  readonly streamOf: (sessionId: string) => LiveStream | null;
  /** Told of what is written into a session that is not open here. */
  readonly written?: (sessionId: string, fact: Fact) => void;
}

/** Others wrote into a session again and again. Code `LEMON_CONFLICT`. */
class ConflictError extends LemonError {
  constructor(sessionId: string) {
    super(
      "conflict",
      `session ${sessionId} was changed by others at the same time, ${TRIES} times: try again`,
    );
  }
}

/** Writes into the sessions of a log. */
export class SessionWriter {
  readonly #deps: SessionWriterDeps;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(deps: SessionWriterDeps) {
    this.#deps = deps;
  }

  /** Whether a session is open here. */
  isOpen(sessionId: string): boolean {
    return this.#live(sessionId) !== null;
  }

  /**
   * Changes a session by one fact, or not at all.
   *
   * @param decide - makes the fact from what the stream holds up to version `to`, `null` for none; asked again when
   * somebody else wrote meanwhile
   * @throws SessionBusyError when another process leads the session; LemonError `LEMON_CONFLICT`
   */
  update(sessionId: string, decide: (to: number) => Promise<SessionFact | null>): Promise<Fact | null> {
    return this.#inOrder(sessionId, async () => {
      for (let tried = 0; tried < TRIES; tried += 1) {
        const stream = this.#live(sessionId);
        const version = stream?.version ?? (await this.#version(sessionId));
        const fact = await decide(version);
        if (fact === null) return null;
        if (stream !== null) return stream.submit(fact.type, fact.data);
        const written = await this.#append(sessionId, version, fact);
        if (written !== null) return written;
      }
      throw new ConflictError(sessionId);
    });
  }

  /**
   * The same on behalf of a call that runs in a session which is open here.
   *
   * @param record - that of the call's effect, so that nothing is written once the call has ended
   */
  updateWithin<Type extends FactType>(
    sessionId: string,
    record: (fact: SessionFactOf<Type>) => Promise<void>,
    decide: (to: number) => Promise<SessionFactOf<Type>>,
  ): Promise<SessionFactOf<Type>> {
    return this.#inOrder(sessionId, async () => {
      const stream = this.#live(sessionId);
      if (stream === null) throw new StreamClosedError(sessionStreamName(sessionId));
      // Nobody else can write between the two: who leads the session here comes after this one, and others can't.
      const fact = await decide(stream.version);
      await record(fact);
      return fact;
    });
  }

  /**
   * Leads a session for the time of a longer piece of work, of which each step is recorded.
   *
   * @throws SessionBusyError when another process leads the session
   */
  lead<Result>(sessionId: string, work: (write: WriteFact) => Promise<Result>): Promise<Result> {
    return this.#inOrder(sessionId, async () => {
      const { leadership } = this.#deps;
      if (this.#live(sessionId) !== null) return work((fact) => this.#write(sessionId, fact));
      const name = sessionStreamName(sessionId);
      await leadership.claim(name, { loseLead: () => undefined });
      try {
        return await work((fact) => this.#write(sessionId, fact, { fence: leadership.lease }));
      } finally {
        // A session that was opened meanwhile leads it from then on.
        if (this.#live(sessionId) === null) await leadership.unclaim(name);
      }
    });
  }

  async #write(sessionId: string, fact: SessionFact, options: AppendOptions = {}): Promise<Fact> {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const stream = this.#live(sessionId);
      if (stream !== null) return stream.submit(fact.type, fact.data);
      const written = await this.#append(sessionId, await this.#version(sessionId), fact, options);
      if (written !== null) return written;
    }
    throw new ConflictError(sessionId);
  }

  /** @returns `null` when the stream has moved on from `version` */
  async #append(
    sessionId: string,
    version: number,
    { type, data }: SessionFact,
    options: AppendOptions = {},
  ): Promise<Fact | null> {
    const { log, clock, mask } = this.#deps;
    const name = sessionStreamName(sessionId);
    const correlation = await openRun(log, name, version);
    const envelope = {
      kind: "input",
      actor: "caller",
      causation: null,
      correlation,
      at: clock.now(),
    } as const;
    // What was checked as JSON stays JSON when its secrets are hidden.
    const fact = { ...envelope, type, data: mask.json(data as never) };
    try {
      const [written] = await log.append(name, version === 0 ? "none" : version, [fact], options);
      if (written !== undefined) this.#deps.written?.(sessionId, written);
      return written ?? null;
    } catch (error) {
      if (error instanceof VersionConflictError) return null;
      // Opened here since we looked: its own actor takes it now.
      if (error instanceof SessionBusyError && this.#live(sessionId) !== null) return null;
      throw error;
    }
  }

  #live(sessionId: string): LiveStream | null {
    const stream = this.#deps.streamOf(sessionId);
    return stream === null || stream.closed !== null ? null : stream;
  }

  #version(sessionId: string): Promise<number> {
    return lastVersionOf(this.#deps.log, sessionStreamName(sessionId));
  }

  async #inOrder<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#last.get(sessionId) ?? Promise.resolve();
    const running = earlier.then(work);
    // Whoever comes next waits for the end and not for success.
    const ended = running.catch(() => undefined);
    this.#last.set(sessionId, ended);
    try {
      return await running;
    } finally {
      if (this.#last.get(sessionId) === ended) this.#last.delete(sessionId);
    }
  }
}

/** The run that is open at a version; facts from outside belong to it. */
async function openRun(log: EventLog, stream: string, version: number): Promise<string | null> {
  const types = ["prompt.submitted", "agent.ended", "session.forked"];
  for await (const fact of log.read(stream, { to: version, backwards: true, types }))
    return fact.type === "agent.ended" ? null : fact.correlation;
  return null;
}
