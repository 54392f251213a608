/**
 * Side queries against a small model, with runtimes that are closed and killed: one at a time for each session, in order, each with
 * exactly one end, which is what its caller was told.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventLog } from "../../src/log/index.ts";
import type { Model } from "../../src/providers/index.ts";
import type { Runtime } from "../../src/runtime/index.ts";
import { AskedModel, broke, said, type Request } from "../support/asked-model.ts";
import { memoryLog, tampered, type Tampering } from "../support/log-doubles.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";
import { rounds } from "../support/soak.ts";

type Step =
  | { readonly do: "ask"; readonly session: "a" | "b"; readonly timeoutMs: number }
  | { readonly do: "answer" | "refuse" | "cancel"; readonly pick: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "close" | "kill" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      session: fc.constantFrom("a" as const, "b" as const),
      timeoutMs: fc.integer({ min: 1, max: 200 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("answer" as const, "answer" as const, "refuse" as const, "cancel" as const),
      pick: fc.nat(10),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("close" as const, "kill" as const) }) },
);

interface Query {
  readonly name: string;
  readonly session: string;
  readonly endsAt: number;
  readonly abort: AbortController;
  /** As the model has it. */
  end: string | null;
  /** Its caller died with it, and is told nothing. */
  isOrphan: boolean;
  told: string | null;
}

/** Resolves once the check passes. Configurations are read from files, so turns of the event loop can't be counted. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      await check();
      return;
    } catch (error) {
      if (tried === 5_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

class World {
  readonly clock = new ManualClock();
  readonly model = new AskedModel();
  readonly queries: Query[] = [];
  readonly home = temporaryFolder();
  readonly log: EventLog;
  #now: { ms: number };
  #tampering: Tampering = {};
  #runtime: Runtime | null = null;

  private constructor(log: EventLog, now: { ms: number }) {
    this.log = log;
    this.#now = now;
  }

  static async make(): Promise<World> {
    const now = { ms: 1_000_000 };
    const world = new World(await memoryLog(() => now.ms), now);
    await world.start();
    for (const sessionId of ["a", "b"]) {
      const session = await world.runtime.sessions.start({ sessionId, model: "asked/model" });
      await session.shutdown();
    }
    return world;
  }

  get runtime(): Runtime {
    if (this.#runtime === null) throw new Error("no runtime");
    return this.#runtime;
  }

  async start(): Promise<void> {
    this.#tampering = {};
    const models = { asked: this.model as Model };
    const { home, clock } = this;
    this.#runtime = await scriptedRuntime(tampered(this.log, this.#tampering), [], { home, clock, models });
  }

  get open(): Query[] {
    return this.queries.filter(({ end }) => end === null);
  }

  /** Whose turn it is. */
  get heads(): Query[] {
    const open = this.open;
    return ["a", "b"].flatMap((session) => open.find((query) => query.session === session) ?? []);
  }

  /** Requests that nobody has answered and whose asker still waits. */
  get requests(): Request[] {
    return this.model.requests.filter(
      ({ options }) => !options.signal.aborted && !this.answered.has(options),
    );
  }

  readonly answered = new Set<unknown>();

  requestOf({ name }: Query): Request | undefined {
    return this.requests.find((request) => questionOf(request) === name);
  }

  async do(each: Step): Promise<void> {
    switch (each.do) {
      case "ask":
        return this.#ask(each.session, each.timeoutMs);
      case "wait": {
        this.clock.advance(each.ms);
        for (const query of this.open) if (query.endsAt <= this.clock.monotonic()) query.end = "timeout";
        return;
      }
      case "cancel": {
        const query = this.open[each.pick % Math.max(1, this.open.length)];
        if (query === undefined) return;
        query.abort.abort();
        query.end = "cancelled";
        return;
      }
      case "answer":
      case "refuse": {
        const query = this.heads[each.pick % Math.max(1, this.heads.length)];
        const request = query === undefined ? undefined : this.requestOf(query);
        if (query === undefined || request === undefined) return;
        this.answered.add(request.options);
        request.answer(each.do === "answer" ? said(`answer to ${query.name}`) : broke("auth"));
        query.end = each.do === "answer" ? "answered" : "query_failed";
        return;
      }
      case "close": {
        for (const query of this.open) query.end = "cancelled";
        await this.runtime.close();
        return this.start();
      }
      case "kill": {
        this.#tampering.killed = true;
        for (const query of this.open) [query.end, query.isOrphan] = ["cancelled", true];
        for (const request of this.requests) this.answered.add(request.options);
        // Its lease has to run out: its process is this one, which lives.
        this.#now.ms += 60_000;
        return this.start();
      }
    }
  }

  #ask(session: string, timeoutMs: number): void {
    const name = `question ${this.queries.length}`;
    const abort = new AbortController();
    const endsAt = this.clock.monotonic() + timeoutMs;
    const query: Query = { name, session, endsAt, abort, end: null, isOrphan: false, told: null };
    this.queries.push(query);
    const options = { timeoutMs, signal: abort.signal, model: "asked/model" };
    this.runtime.sideQuery.ask(session, name, options).then(
      ({ text }) => {
        query.told = "answered";
        expect(text).toBe(`answer to ${name}`);
      },
      (error: unknown) => (query.told = (error as { reason: string }).reason),
    );
  }

  async check(): Promise<void> {
    const facts = new Map<string, string[]>();
    for (const { stream } of await this.log.streams("side_query-")) {
      const [asked, ...ends] = await factsOf(this.log, stream);
      const { question } = (asked?.data ?? { question: "" }) as { question: string };
      facts.set(
        question,
        ends.map(({ type, data }) =>
          type === "side_query.answered" ? "answered" : (data as { reason: string }).reason,
        ),
      );
    }
    for (const { name, end, told, isOrphan } of this.queries) {
      expect([name, facts.get(name)]).toEqual([name, end === null ? [] : [end]]);
      if (!isOrphan) expect([name, told]).toEqual([name, end]);
    }
    const asked = this.requests.map(questionOf);
    expect(asked.toSorted(byText)).toEqual(this.heads.map(({ name }) => name).toSorted(byText));
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

function questionOf({ context }: Request): string {
  const last = context.messages.at(-1);
  const part = last === undefined || last.role === "tool" ? undefined : last.content[0];
  return part?.type === "text" ? part.text : "";
}

test(
  "side queries do as the model says, whatever happens to their runtime",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = await World.make();
        for (const each of steps) {
          await world.do(each);
          await eventually(() => world.check());
        }
        await world.runtime.close();
      }),
      { numRuns: rounds(15, 300, 3_000) },
    );
  },
);
