/** `runtime.sideQuery`: questions beside a conversation, which it leaves alone. docs/reference/side-queries.md */
import {
  asSideQueryError,
  Deadline,
  endAbandonedQueries,
  endOf,
  failedQuery,
  Line,
  openSideQueryStream,
  SideQueryError,
  type SideQueryEnd,
  type SideQueryStream,
} from "../actors/index.ts";
import type { FactData, KnownFact, Usage } from "../events/index.ts";
import { codeForLog } from "../errors.ts";
import { recordOfSideQuery } from "../harness/index.ts";
import type { Child, Supervisor } from "../supervision/index.ts";
import type { RuntimeIntrospection } from "./introspection.ts";
import { Overdue } from "./overdue.ts";
import type { LentModel, SessionFactory, SessionOptions } from "./session-factory.ts";
import { readOptions, readQuestion, type ReadOptions, type SideQueryOptions } from "./side-query-options.ts";
import {
  SideQuerySources,
  type FoundSource,
  type Reading,
  type SideQuerySource,
} from "./side-query-source.ts";
import type { Sessions } from "./sessions.ts";

/** An answer. */
export interface SideQueryResult {
  /** Without reasoning. */
  readonly text: string;
  /** `sq_` and 16 hexadecimal digits. */
  readonly id: string;
  readonly sessionKey: `side_query:${string}`;
  /** `provider/model-id` */
  readonly model: string;
  /** Tokens of all its requests. */
  readonly usage: Usage;
  readonly durationMs: number;
  /** Version of the session that was read; `null` for a conversation that the caller gave. */
  readonly sourceVersion: number | null;
  readonly parentHistoryChanged: false;
  readonly tools: readonly [];
}

/** What side queries need of their runtime. @internal */
export interface SideQueriesDeps {
  readonly factory: SessionFactory;
  readonly sessions: Sessions;
  /** The supervisor of side queries, as it is now. */
  readonly population: () => Supervisor;
  readonly introspection: RuntimeIntrospection;
}

interface Query {
  readonly id: string;
  readonly found: FoundSource;
  readonly question: string;
  readonly options: SideQueryOptions;
  readonly given: ReadOptions;
  readonly deadline: Deadline;
}

/** The side queries of a runtime. */
export class SideQueries {
  readonly #deps: SideQueriesDeps;
  readonly #sources: SideQuerySources;
  readonly #line = new Line();
  /** Those that are open, and what ends them. */
  readonly #open = new Map<Deadline, Promise<unknown>>();
  #isClosed = false;

  /** @internal */
  constructor(deps: SideQueriesDeps) {
    this.#deps = deps;
    this.#sources = new SideQuerySources(deps.factory.world.log, deps.sessions);
  }

  /**
   * Asks a model a question about a conversation. It has no tools, and nothing is added to the conversation.
   *
   * One question at a time for each session, in the order in which they are asked.
   *
   * @throws SideQueryError, and nothing else
   */
  async ask(
    source: SideQuerySource,
    question: string,
    options: SideQueryOptions = {},
  ): Promise<SideQueryResult> {
    try {
      const asked = readQuestion(question);
      const given = readOptions(options);
      if (this.#isClosed) throw new SideQueryError("cancelled");
      const { clock, ids } = this.#deps.factory.world;
      const deadline = new Deadline(clock, given.timeoutMs, options.signal);
      const answer = deadline
        .bound(() => this.#sources.find(source))
        .then((found) => this.#run({ id: ids("sq"), found, question: asked, options, given, deadline }));
      this.#open.set(deadline, answer);
      try {
        return await answer;
      } finally {
        deadline.close();
        this.#open.delete(deadline);
      }
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** Ends those whose process is gone. Never rejects: the runtime does its work without. @internal */
  async recover(): Promise<void> {
    const { log, leadership, clock } = this.#deps.factory.world;
    try {
      await endAbandonedQueries({ log, leadership, clock });
    } catch (error) {
      this.#warn(error, "side queries of runtimes that are gone could not be ended");
    }
  }

  /** Cancels all that are open. @internal */
  async shutdown(): Promise<void> {
    this.#isClosed = true;
    for (const deadline of this.#open.keys()) deadline.cancel();
    await Promise.allSettled(this.#open.values());
  }

  async #run(query: Query): Promise<SideQueryResult> {
    // Whoever has found its source first comes first, however long the start of an actor takes.
    const turn = this.#turn(query.found, query.deadline.signal);
    try {
      return await this.#answer(query, turn);
    } finally {
      // It may come after the end.
      void turn.then((leave) => leave()).catch(() => undefined);
    }
  }

  async #answer(query: Query, turn: Promise<() => void>): Promise<SideQueryResult> {
    const { id, deadline } = query;
    const supervisor = this.#deps.population();
    const lending: Promise<LentModel>[] = [];
    const stream = await this.#stream(query, turn, lending);
    const overdue = new Overdue(this.#deps.factory.world.clock, deadline.signal);
    const starting = supervisor.startChild({ id, restart: "temporary", start: () => stream.start() });
    try {
      const { child } = await overdue.race(starting);
      if (child === undefined) throw new SideQueryError("query_failed");
      const ended = this.#end(query, stream, child);
      await overdue.race(stream.submit("side_query.asked", askedOf(query)));
      return resultOf(id, await overdue.race(ended));
    } finally {
      const stopping = starting.then(
        ({ child }) => child && supervisor.terminateChild(child),
        () => undefined,
      );
      // Its supervisor sees to it, however long that takes.
      await overdue.race(stopping).catch((error: unknown) => this.#warn(error, STOPPING));
      overdue.cancel();
      // What it was lent may come after its end.
      for (const lent of lending) void lent.then(({ release }) => release()).catch(() => undefined);
    }
  }

  /** Its turn; a conversation of the caller's own needs none. */
  #turn({ sessionId }: FoundSource, signal: AbortSignal): Promise<() => void> {
    if (sessionId === null) return Promise.resolve(() => undefined);
    const turn = this.#line.enter(sessionId, signal);
    // It may be over before anybody waits for it.
    turn.catch(() => undefined);
    return turn;
  }

  async #stream(
    query: Query,
    turn: Promise<() => void>,
    lending: Promise<LentModel>[],
  ): Promise<SideQueryStream> {
    const { factory } = this.#deps;
    const { log, leadership, clock, ids, random, logger } = factory.world;
    const { id, found, given, deadline } = query;
    let reading: Reading | null = null;
    return openSideQueryStream({
      id,
      log,
      leadership,
      clock,
      ids,
      random,
      logger,
      deadline,
      mask: await deadline.bound(() => factory.maskOf(found.cwd)),
      turn,
      read: async () => (reading = await this.#sources.read(found, given.limit)),
      model: () => {
        const lent = this.#model(query, reading);
        lending.push(lent);
        return lent;
      },
      systemPrompt: given.systemPrompt,
    });
  }

  async #model({ found, options, given }: Query, reading: Reading | null): Promise<LentModel> {
    const { factory } = this.#deps;
    const { script, extensions } = options;
    const said: SessionOptions = {
      ...(given.thinkingLevel === null ? {} : { thinkingLevel: given.thinkingLevel }),
      ...(given.model === null ? {} : { model: given.model }),
      ...(script === undefined ? {} : { script }),
      ...(extensions === undefined ? {} : { extensions }),
    };
    const session = reading?.session ?? null;
    const settings =
      session === null
        ? await factory.newSettings(found.cwd, said)
        : await factory.changedSettings(session.settings, said);
    return factory.modelOf(session?.cwd ?? found.cwd, settings);
  }

  /** How it ended; rejects when it has come to an end without. */
  #end({ id, found }: Query, stream: SideQueryStream, child: Child): Promise<SideQueryEnd> {
    const ended = new Promise<SideQueryEnd>((resolve, reject) => {
      stream.subscribe((event) => {
        if (!("fact" in event)) return;
        const record = recordOfSideQuery(id, found.sessionId, event.fact as KnownFact);
        if (record !== null) void this.#deps.introspection.record(record);
        const end = endOf(event.fact);
        if (end !== null) resolve(end);
      });
      void child.exited.then(() => reject(new SideQueryError(this.#isClosed ? "cancelled" : "query_failed")));
    });
    // It may fail before anybody waits for it.
    ended.catch(() => undefined);
    return ended;
  }

  /** The one error that a caller is told; what was behind it, if it is no word of ours, goes to the logger. */
  #told(error: unknown): SideQueryError {
    if (!(error instanceof SideQueryError)) this.#warn(error, "a side query failed");
    return asSideQueryError(error);
  }

  #warn(error: unknown, what: string): void {
    const code = codeForLog(error);
    this.#deps.factory.world.logger.warn({ code }, what);
  }
}

const STOPPING = "a side query could not be stopped in time";

function askedOf({ id, found, question, options, given }: Query): FactData<"side_query.asked"> {
  const { model, thinkingLevel, timeoutMs, limit } = given;
  return {
    queryId: id,
    question,
    sourceSessionId: found.sessionId,
    source: found.kind,
    model: options.script === undefined ? model : "scripted/script",
    thinkingLevel,
    timeoutMs,
    limit,
  };
}

/** @throws SideQueryError */
function resultOf(id: string, end: SideQueryEnd): SideQueryResult {
  if (end.type === "side_query.failed") throw failedQuery(end.data.reason, end.data.why);
  const { text, model, usage, durationMs, sourceVersion } = end.data;
  return {
    text,
    id,
    sessionKey: `side_query:${id}`,
    model,
    usage,
    durationMs,
    sourceVersion,
    parentHistoryChanged: false,
    tools: [],
  };
}
