/** `runtime.introspection`: what people watch for, recorded beside the work and never in its way. docs/reference/introspection.md */
import { LemonError } from "../errors.ts";
import type { Fact, Json, KnownFact, NewFact, SessionLineage } from "../events/index.ts";
import {
  introspectionStream,
  isWatched,
  listRecords,
  recordOf,
  type IntrospectionDraft,
  type IntrospectionFilter,
  type IntrospectionRecord,
} from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock, Ids, Logger } from "../ports.ts";
import { redactIntrospection, redactText, shorten, type Masker } from "../secrets/index.ts";
import { hash16 } from "../tools/index.ts";

/** Milliseconds that records wait for others to be written with. */
const FLUSH_MS = 1_000;
/** So many are not waited with. */
const FLUSH_RECORDS = 256;

/** Where records go. @internal */
export interface IntrospectionDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly mask: Masker;
}

interface Waiting {
  readonly at: number;
  readonly make: () => IntrospectionDraft | null;
}

/**
 * Records of what happens in the sessions of this runtime, without content. They are collected and written together, at
 * the latest after a second and at the close: what a crash takes with it is the last second.
 */
export class RuntimeIntrospection {
  readonly #deps: IntrospectionDeps;
  #waiting: Waiting[] = [];
  #cancelTimer: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** @internal */
  constructor(deps: IntrospectionDeps) {
    this.#deps = deps;
  }

  /**
   * The records of the last 7 days that the log holds, of other processes too, the newest first.
   *
   * @throws LemonError `LEMON_INVALID_LIMIT`
   */
  async list(filter: IntrospectionFilter = {}): Promise<readonly IntrospectionRecord[]> {
    await this.flush();
    return listRecords(this.#deps.log, filter, this.#deps.clock.now());
  }

  /** Sees a durable fact of a session; `lineage` where the session is open here. Only looks at its type: the rest is done when it is written. @internal */
  take(sessionId: string, fact: Fact, lineage?: SessionLineage): void {
    if (!isWatched(fact.type)) return;
    const { sessionKey = `session:${sessionId}`, agentId = null } = lineage ?? {};
    this.#add(() => recordOf({ sessionId, sessionKey, agentId }, fact as KnownFact, hash16));
  }

  /** Records something now; resolves once it is durable, or could not be recorded, which the logger is told. @internal */
  record(draft: IntrospectionDraft): Promise<void> {
    this.#add(() => draft);
    return this.flush();
  }

  /** Resolves when all that was seen so far is written, or lost and the logger told. @internal */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 0) this.#writing = this.#writing.then(() => this.#write(batch));
    return this.#writing;
  }

  #add(make: Waiting["make"]): void {
    const { clock } = this.#deps;
    this.#waiting.push({ at: clock.now(), make });
    if (this.#waiting.length >= FLUSH_RECORDS) void this.flush();
    else this.#cancelTimer ??= clock.setTimer(FLUSH_MS, () => void this.flush(), true);
  }

  /** Never rejects: what is described has happened, whether or not it can be told. */
  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const streams = new Map<string, NewFact[]>();
      for (const { at, make } of batch) {
        const draft = make();
        if (draft === null) continue;
        const stream = introspectionStream(at);
        const facts = streams.get(stream) ?? [];
        facts.push(this.#fact(draft, at));
        streams.set(stream, facts);
      }
      for (const [stream, facts] of streams)
        await this.#deps.log.append(stream, "any", facts, { durability: "relaxed" });
    } catch (error) {
      const code = error instanceof LemonError ? error.code : "unknown";
      this.#deps.logger.warn({ code, records: batch.length }, "introspection could not be recorded");
    }
  }

  #fact(draft: IntrospectionDraft, at: number): NewFact {
    const { ids, mask } = this.#deps;
    const { runId, sessionKey, agentId, parentRunId, payload } = draft;
    const told: IntrospectionDraft & { eventId: string; engine: "lemon" } = {
      eventId: ids("evt"),
      ...draft,
      runId: named(runId),
      sessionKey: named(sessionKey),
      agentId: named(agentId),
      parentRunId: named(parentRunId),
      engine: "lemon",
      // Records are made of JSON alone.
      payload: shortened(redactIntrospection(payload as Json).value) as Record<string, Json>,
    };
    return {
      type: "introspection.recorded",
      data: mask.json(told as unknown as Json),
      kind: "input",
      actor: "introspection",
      causation: null,
      correlation: null,
      at,
    };
  }
}

/** A name that a caller gave may be anything. */
function named(name: string | null): string | null {
  return name === null ? null : shorten(redactText(name).text);
}

function shortened(value: Json): Json {
  if (typeof value === "string") return shorten(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}
