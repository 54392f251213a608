/** Random histories against a model that is nothing but arrays. */
import fc from "fast-check";
import type { Subscription } from "rxjs";
import { expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import { openEventLog, type EventLog, type Lease } from "../../src/log/index.ts";
import { collect, newFact, temporaryFile } from "./support/facts.ts";
import { rounds } from "../support/soak.ts";

const STREAMS = ["a", "b", "c"] as const;
const OWNERS = ["ann", "bob"] as const;
type Stream = (typeof STREAMS)[number];
type Owner = (typeof OWNERS)[number];
const TTL_MS = 100;

/** What the log must look like. */
interface Model {
  readonly facts: { readonly stream: Stream; readonly version: number; readonly data: unknown }[];
  readonly leases: Map<Owner, { lease: Lease; expiresAt: number }>;
  readonly leaders: Map<Stream, { owner: Owner; fence: number }>;
  now: number;
}

/** The log, and everything that hangs on it. */
interface Real {
  readonly file: string;
  readonly clock: { now: number };
  log: EventLog;
  readonly abandoned: EventLog[];
  readonly followed: Fact[];
  following: Subscription;
}

type Command = fc.AsyncCommand<Model, Real>;

const versionOf = (model: Model, stream: Stream): number =>
  model.facts.filter((fact) => fact.stream === stream).length;

/** The outcome that the rules ask for: a refusal's code, or none. */
function refusal(model: Model, stream: Stream, owner: Owner | null, expected: number | "any"): string | null {
  const own = owner === null ? undefined : model.leases.get(owner);
  if (own !== undefined && own.expiresAt <= model.now) return "LEMON_FENCED";
  const leader = model.leaders.get(stream);
  const leading = leader === undefined ? undefined : model.leases.get(leader.owner);
  const isLed =
    leading !== undefined && leading.lease.fence === leader?.fence && leading.expiresAt > model.now;
  if (isLed && leader?.owner !== owner) return "LEMON_SESSION_BUSY";
  return expected === "any" || expected === versionOf(model, stream) ? null : "LEMON_VERSION_CONFLICT";
}

async function codeOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

function add(model: Model, stream: Stream, data: readonly unknown[]): void {
  for (const each of data) model.facts.push({ stream, version: versionOf(model, stream) + 1, data: each });
}

class Append implements Command {
  readonly stream: Stream;
  readonly owner: Owner | null;
  readonly behind: number | "any";
  readonly data: readonly fc.JsonValue[];
  constructor(stream: Stream, owner: Owner | null, behind: number | "any", data: readonly fc.JsonValue[]) {
    this.stream = stream;
    this.owner = owner;
    this.behind = behind;
    this.data = data;
  }
  check = (model: Readonly<Model>): boolean => this.owner === null || model.leases.has(this.owner);
  async run(model: Model, { log }: Real): Promise<void> {
    const { stream, owner, behind, data } = this;
    const expected = behind === "any" ? "any" : Math.max(0, versionOf(model, stream) - behind);
    const lease = owner === null ? undefined : model.leases.get(owner)?.lease;
    const append = log.append(
      stream,
      expected,
      data.map((each) => newFact(each)),
      lease === undefined ? {} : { fence: lease },
    );
    expect(await codeOf(append)).toBe(refusal(model, stream, owner, expected));
    if (refusal(model, stream, owner, expected) === null) add(model, stream, data);
  }
  toString = (): string =>
    `append(${this.stream}, ${String(this.owner)}, -${this.behind}, ${this.data.length})`;
}

class Commit implements Command {
  readonly appends: readonly { stream: Stream; behind: number }[];
  constructor(appends: readonly { stream: Stream; behind: number }[]) {
    this.appends = appends;
  }
  check = (): boolean => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const planned: Model = { ...model, facts: [...model.facts] };
    let expectedCode: string | null = null;
    const commit = log.commit((work) => {
      for (const { stream, behind } of this.appends) {
        const expected = Math.max(0, versionOf(planned, stream) - behind);
        work.append(stream, expected, [newFact("committed")]);
        expectedCode ??= refusal(planned, stream, null, expected);
        add(planned, stream, ["committed"]);
      }
    });
    expect(await codeOf(commit)).toBe(expectedCode);
    if (expectedCode === null) model.facts.splice(0, model.facts.length, ...planned.facts);
  }
  toString = (): string =>
    `commit(${this.appends.map(({ stream, behind }) => `${stream}-${behind}`).join(", ")})`;
}

/** Many appends in one tick, of which each second one is stale. */
class AppendTogether implements Command {
  check = (model: Readonly<Model>): boolean =>
    STREAMS.every((stream) => refusal(model, stream, null, "any") === null);
  async run(model: Model, { log }: Real): Promise<void> {
    const asked = STREAMS.flatMap((stream) => {
      const version = versionOf(model, stream);
      return [
        log.append(stream, version, [newFact("first")]),
        log.append(stream, version, [newFact("second")]),
      ];
    });
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(STREAMS.flatMap(() => ["fulfilled", "rejected"]));
    for (const stream of STREAMS) add(model, stream, ["first"]);
  }
  toString = (): string => "appendTogether";
}

class Acquire implements Command {
  readonly owner: Owner;
  constructor(owner: Owner) {
    this.owner = owner;
  }
  check = (): boolean => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const held = model.leases.get(this.owner);
    const lease = await log.acquire(this.owner, this.owner, TTL_MS);
    const isLive = held !== undefined && held.expiresAt > model.now;
    expect(lease.fence).toBe((held?.lease.fence ?? 0) + (isLive ? 0 : 1));
    model.leases.set(this.owner, { lease, expiresAt: model.now + TTL_MS });
  }
  toString = (): string => `acquire(${this.owner})`;
}

class Claim implements Command {
  readonly stream: Stream;
  readonly owner: Owner;
  constructor(stream: Stream, owner: Owner) {
    this.stream = stream;
    this.owner = owner;
  }
  check = (model: Readonly<Model>): boolean => model.leases.has(this.owner);
  async run(model: Model, { log }: Real): Promise<void> {
    const { lease } = model.leases.get(this.owner) as { lease: Lease };
    const code = refusal(model, this.stream, this.owner, "any");
    expect(await codeOf(log.claim(this.stream, lease))).toBe(code);
    if (code === null) model.leaders.set(this.stream, { owner: this.owner, fence: lease.fence });
  }
  toString = (): string => `claim(${this.stream}, ${this.owner})`;
}

class PassTime implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    model.now += this.ms;
    real.clock.now = model.now;
  }
  toString = (): string => `passTime(${this.ms})`;
}

/** Opens the log again; `kill` drops the old handle as it is, `close` ends it properly. */
class Reopen implements Command {
  readonly how: "kill" | "close";
  constructor(how: "kill" | "close") {
    this.how = how;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    if (this.how === "close") await real.log.close();
    else real.abandoned.push(real.log);
    real.following.unsubscribe();
    real.log = await open(real.file, real.clock);
    follow(real);
    expect((await real.log.info()).facts).toBe(model.facts.length);
  }
  toString = (): string => this.how;
}

class Check implements Command {
  check = (): boolean => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const strip = ({ stream, version, data }: Fact): unknown => ({ stream, version, data });
    const all = await collect(log.readAll());
    expect(all.map(strip)).toEqual(model.facts);
    expect(all.map(({ position }) => position)).toEqual(model.facts.map((_, index) => index + 1));
    for (const stream of STREAMS) {
      const own = model.facts.filter((fact) => fact.stream === stream);
      expect((await collect(log.read(stream, { backwards: true }))).toReversed().map(strip)).toEqual(own);
    }
    expect(await collect(log.verify())).toEqual([]);
  }
  toString = (): string => "check";
}

function open(file: string, clock: { readonly now: number }): Promise<EventLog> {
  return openEventLog(file, { durability: "relaxed", now: () => clock.now });
}

/** Goes on behind the last fact that was seen, as a subscriber does that comes back. */
function follow(real: Real): void {
  const last = real.followed.at(-1);
  real.following = real.log
    .follow(last === undefined ? {} : { after: real.log.cursorOf(last) })
    .subscribe((fact) => real.followed.push(fact));
}

const stream = fc.constantFrom(...STREAMS);
const owner = fc.constantFrom(...OWNERS);
/** Mostly right, at times stale. */
const behind = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 }));
const commands = [
  fc
    .tuple(
      stream,
      fc.option(owner, { freq: 2 }),
      fc.oneof(behind, fc.constant("any" as const)),
      fc.array(fc.jsonValue({ stringUnit: "grapheme" }), { maxLength: 4 }),
    )
    .map(([name, by, at, data]) => new Append(name, by, at, data)),
  fc
    .array(fc.record({ stream, behind }), { minLength: 1, maxLength: 4 })
    .map((appends) => new Commit(appends)),
  fc.constant(new AppendTogether()),
  owner.map((by) => new Acquire(by)),
  fc.tuple(stream, owner).map(([name, by]) => new Claim(name, by)),
  fc.constantFrom(30, TTL_MS).map((ms) => new PassTime(ms)),
  fc.constantFrom("kill" as const, "close" as const).map((how) => new Reopen(how)),
  fc.constant(new Check()),
];

test("any history of appends, commits, leases, kills and reopenings leaves what the model says, and followers see all of it once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (history) => {
      const clock = { now: 1_000 };
      const file = temporaryFile();
      const real: Real = {
        file,
        clock,
        log: await open(file, clock),
        abandoned: [],
        followed: [],
        following: { unsubscribe: () => undefined } as Subscription,
      };
      follow(real);
      const model: Model = { facts: [], leases: new Map(), leaders: new Map(), now: clock.now };
      try {
        await fc.asyncModelRun(() => ({ model, real }), history);
        await new Check().run(model, real);
        const last = await real.log.append("end", "any", [newFact("end")]);
        await new Promise<void>((resolve) => {
          const isDone = (): boolean => real.followed.at(-1)?.position === last[0]?.position;
          const look = (): unknown => (isDone() ? resolve() : setImmediate(look));
          look();
        });
        expect(real.followed).toEqual(await collect(real.log.readAll()));
      } finally {
        real.following.unsubscribe();
        for (const log of [real.log, ...real.abandoned]) await log.close();
      }
    }),
    { numRuns: rounds(60, 400, 2_000) },
  );
}, 600_000);
