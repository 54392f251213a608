/** What every engine of the EventLog port must do. */
import { createHash } from "node:crypto";
import { firstValueFrom, take, toArray } from "rxjs";
import { beforeEach, describe, expect, test } from "vitest";
import { InvalidValueError, type Fact, type NewFact } from "../../src/events/index.ts";
import {
  CursorAheadError,
  FencedError,
  InvalidCursorError,
  InvalidEnvelopeError,
  LogClosedError,
  SessionBusyError,
  VersionConflictError,
  type EventLog,
} from "../../src/log/index.ts";
import { NotFoundError } from "../../src/errors.ts";
import { collect, newFact, newFacts } from "../log/support/facts.ts";
import { describeJobs } from "./jobs.ts";

/** @param open - an empty log with that lease clock, closed after the test */
export function describeEventLog(engine: string, open: (now: () => number) => Promise<EventLog>): void {
  describe(engine, () => {
    let log: EventLog;
    let now: number;
    beforeEach(async () => {
      now = 1_000_000;
      log = await open(() => now);
    });
    const read = (stream: string): Promise<Fact[]> => collect(log.read(stream));
    const versions = async (stream: string): Promise<number[]> =>
      (await read(stream)).map((fact) => fact.version);

    describe("append", () => {
      test("numbers facts within their stream and over the log, and gives them back as they will be read", async () => {
        const first = await log.append("a", "none", newFacts(2));
        const other = await log.append("b", "none", newFacts(1));
        const next = await log.append("a", 2, [
          newFact({ n: 3 }, { causation: 2, correlation: "run-1", at: 5 }),
        ]);

        expect(
          [...first, ...other, ...next].map(({ stream, version, position }) => [stream, version, position]),
        ).toEqual([
          ["a", 1, 1],
          ["a", 2, 2],
          ["b", 1, 3],
          ["a", 3, 4],
        ]);
        expect(await read("a")).toEqual([...first, ...next]);
        expect(next[0]).toMatchObject({
          at: 5,
          causation: 2,
          correlation: "run-1",
          schemaVersion: 1,
          kind: "input",
        });
      });

      test("takes the log's clock where a fact has no time", async () => {
        const [fact] = await log.append("a", "any", [newFact(null)]);
        expect(fact?.at).toBe(1_000_000);
      });

      test.each([
        ["none", 2],
        [0, 2],
        [1, 2],
        [3, 2],
      ] as const)("refuses expected version %s at version %i, and adds nothing", async (expected, actual) => {
        await log.append("a", "none", newFacts(2));
        const append = log.append("a", expected, newFacts(1));
        await expect(append).rejects.toThrow(VersionConflictError);
        await expect(append).rejects.toMatchObject({
          code: "LEMON_VERSION_CONFLICT",
          stream: "a",
          expected,
          actual,
        });
        expect(await versions("a")).toEqual([1, 2]);
      });

      test("takes version 0 and none alike for a stream that does not exist", async () => {
        await log.append("a", 0, newFacts(1));
        await log.append("b", "none", newFacts(1));
        expect(await log.streams()).toEqual([
          { stream: "a", version: 1 },
          { stream: "b", version: 1 },
        ]);
      });

      test("an append of nothing checks the version and makes no stream", async () => {
        expect(await log.append("a", "none", [])).toEqual([]);
        await expect(log.append("a", 1, [])).rejects.toThrow(VersionConflictError);
        expect(await log.streams()).toEqual([]);
      });

      test("of two appends at one version that are asked for together, the first wins alone", async () => {
        const [first, second, elsewhere] = await Promise.allSettled([
          log.append("a", "none", newFacts(1)),
          log.append("a", "none", newFacts(1)),
          log.append("b", "none", newFacts(1)),
        ]);
        expect([first.status, second.status, elsewhere.status]).toEqual([
          "fulfilled",
          "rejected",
          "fulfilled",
        ]);
        expect((await collect(log.readAll())).map((fact) => fact.position)).toEqual([1, 2]);
      });

      test("appends that are asked for together are done in that order, however many", async () => {
        const appends = Array.from({ length: 1_000 }, (_, index) => log.append("a", index, newFacts(1)));
        const facts = (await Promise.all(appends)).flat();
        expect(facts.map((fact) => fact.version)).toEqual(facts.map((_, index) => index + 1));
        expect(await read("a")).toEqual(facts);
      });

      test("one unit may be larger than a commit usually is", async () => {
        await log.append("a", "none", newFacts(1_000));
        expect((await versions("a")).length).toBe(1_000);
      });

      test("what the caller does to its object afterwards does not reach the fact", async () => {
        const data = { list: [1], gone: undefined };
        const append = log.append("a", "none", [newFact(data)]);
        data.list.push(2);
        const [fact] = await append;
        expect(fact?.data).toStrictEqual({ list: [1] });
        expect(await read("a")).toStrictEqual([fact]);
      });

      test("text that comes with a fact is stored as it is", async () => {
        await log.append("a", "none", [newFact({ n: 1 }, { text: '{ "n": 1 }' })]);
        const [page] = await collect(log.readStored("a"));
        expect(page?.map((fact) => fact.text)).toEqual(['{ "n": 1 }']);
        expect((await read("a"))[0]?.data).toEqual({ n: 1 });
      });
    });

    describe("an invalid fact is refused, naming type and field, and adds nothing", () => {
      test.each<[string, Partial<NewFact>]>([
        ["type", { type: "" }],
        ["type", { type: "a\0b" }],
        ["actor", { actor: "a\ud800" }],
        ["actor", { actor: 5 as unknown as string }],
        ["correlation", { correlation: "" }],
        ["causation", { causation: 0 }],
        ["causation", { causation: 1.5 }],
        ["schemaVersion", { schemaVersion: 0 }],
        ["at", { at: 1.5 }],
        ["at", { at: Number.NaN }],
        ["kind", { kind: "guess" as "input" }],
        ["data", { text: 5 as unknown as string }],
      ])("%s %j", async (field, wrong) => {
        const append = log.append("a", "any", [newFact(1), newFact(2, wrong)]);
        await expect(append).rejects.toThrow(InvalidEnvelopeError);
        await expect(append).rejects.toMatchObject({ code: "LEMON_INVALID_ENVELOPE", field });
        expect(await log.streams()).toEqual([]);
      });

      test("a stream without a name", async () => {
        await expect(log.append("", "any", newFacts(1))).rejects.toMatchObject({ field: "stream" });
      });

      test("data that JSON can't hold", async () => {
        const append = log.append("a", "any", [newFact({ list: [0, Number.NaN] })]);
        await expect(append).rejects.toThrow(InvalidValueError);
        await expect(append).rejects.toMatchObject({ field: "data.list.1" });
        await expect(append).rejects.toThrow(/test\.noted.*data\.list\.1/);
      });

      test("data that doesn't match the schema of a known type", async () => {
        const append = log.append("a", "any", [
          newFact({ callId: 7 }, { type: "tool_call.started", kind: "decision" }),
        ]);
        await expect(append).rejects.toMatchObject({ code: "LEMON_INVALID_FACT", field: "data.callId" });
        await expect(append).rejects.toThrow(/tool_call\.started/);
        expect(await log.streams()).toEqual([]);
      });
    });

    describe("commit", () => {
      test("adds to several streams in the order that was said, and gives all facts", async () => {
        const facts = await log.commit((work) => {
          work.append("a", "none", newFacts(1));
          work.append("b", "none", newFacts(1));
          work.append("a", 1, newFacts(1));
        });
        expect(facts.map(({ stream, version }) => `${stream}${version}`)).toEqual(["a1", "b1", "a2"]);
        expect(await collect(log.readAll())).toEqual(facts);
      });

      test("adds nothing when one of its appends is refused", async () => {
        const commit = log.commit((work) => {
          work.append("a", "none", newFacts(1));
          work.append("b", 7, newFacts(1));
          work.saveSnapshot({ stream: "a", name: "n", version: 1, writer: "w", text: "{}" });
        });
        await expect(commit).rejects.toThrow(VersionConflictError);
        expect(await log.streams()).toEqual([]);
        expect(await log.loadSnapshots("a")).toEqual([]);
      });

      test("adds nothing when collecting it throws", async () => {
        const commit = log.commit((work) => {
          work.append("a", "none", newFacts(1));
          throw new Error("changed my mind");
        });
        await expect(commit).rejects.toThrow("changed my mind");
        expect(await log.streams()).toEqual([]);
      });
    });

    describe("read", () => {
      beforeEach(async () => {
        await log.append("a", "none", newFacts(600));
      });

      test("from and to are inclusive, and backwards turns the order", async () => {
        const ranged = async (options: object): Promise<number[]> =>
          (await collect(log.read("a", options))).map((fact) => fact.version);
        expect(await ranged({ from: 598 })).toEqual([598, 599, 600]);
        expect(await ranged({ to: 2 })).toEqual([1, 2]);
        expect(await ranged({ from: 5, to: 7, backwards: true })).toEqual([7, 6, 5]);
        expect(await ranged({ from: 7, to: 5 })).toEqual([]);
        expect(await ranged({ from: -3, to: 900 })).toHaveLength(600);
        expect((await ranged({ backwards: true })).at(-1)).toBe(1);
      });

      test("types pass over all others, over any distance and in both directions", async () => {
        const many = Array.from({ length: 9_000 }, (_, index) =>
          newFact(index, { type: index % 4_500 === 0 ? "test.rare" : "test.noted" }),
        );
        await log.append("many", "none", many);
        const rare = async (options: object): Promise<number[]> =>
          (await collect(log.read("many", { types: ["test.rare"], ...options }))).map(
            ({ version }) => version,
          );
        expect(await rare({})).toEqual([1, 4_501]);
        expect(await rare({ backwards: true })).toEqual([4_501, 1]);
        expect(await rare({ from: 2, to: 4_501 })).toEqual([4_501]);
        expect(await rare({ from: 2, to: 4_500, backwards: true })).toEqual([]);
        expect(await rare({ types: [] })).toEqual([]);
      });

      test("of a stream that does not exist gives nothing", async () => {
        expect(await read("nobody")).toEqual([]);
      });

      test("ends where the stream ended when it began, and other calls may come in between", async () => {
        const seen: number[] = [];
        for await (const fact of log.read("a", { from: 590 })) {
          seen.push(fact.version);
          await log.append("a", "any", newFacts(1));
        }
        expect(seen.at(-1)).toBe(600);
      });

      test("readStored gives the same facts with the text of their data", async () => {
        const stored = (await collect(log.readStored("a", { from: 2, backwards: true }))).flat();
        const parsed = stored.map(({ text, ...envelope }) => ({
          ...envelope,
          data: JSON.parse(text) as unknown,
        }));
        expect(parsed).toEqual(await collect(log.read("a", { from: 2, backwards: true })));
      });
    });

    describe("readAll", () => {
      test("goes on after a cursor, and keeps to types and limit", async () => {
        const facts = await log.append(
          "a",
          "none",
          Array.from({ length: 9 }, (_, index) =>
            newFact(index, { type: index % 3 === 0 ? "test.third" : "test.noted" }),
          ),
        );
        const [, second] = facts as [Fact, Fact];
        const all = async (options: object): Promise<number[]> =>
          (await collect(log.readAll(options))).map((fact) => fact.position);
        expect(await all({ after: log.cursorOf(second) })).toEqual([3, 4, 5, 6, 7, 8, 9]);
        expect(await all({ types: ["test.third"] })).toEqual([1, 4, 7]);
        expect(await all({ types: ["test.third"], limit: 2 })).toEqual([1, 4]);
        expect(await all({ types: [] })).toEqual([]);
        expect(await all({ limit: 0 })).toEqual([]);
        expect(await all({ after: log.cursorOf(second), limit: 1 })).toEqual([3]);
      });

      test("refuses a cursor that is not one, or lies beyond the end", async () => {
        await log.append("a", "none", newFacts(1));
        const [fact] = await read("a");
        await expect(collect(log.readAll({ after: "yesterday" }))).rejects.toThrow(InvalidCursorError);
        if (fact === undefined) throw new Error("nothing was read");
        const ahead = log.cursorOf({ ...fact, position: 2 });
        await expect(collect(log.readAll({ after: ahead }))).rejects.toThrow(CursorAheadError);
      });
    });

    describe("follow", () => {
      test("catches up, then goes on live, without a gap or a double", async () => {
        await log.append("a", "none", newFacts(700));
        const all = firstValueFrom(log.follow().pipe(take(1_000), toArray()));
        for (let version = 700; version < 1_000; version += 1) await log.append("a", version, newFacts(1));
        expect((await all).map((fact) => fact.position)).toEqual(
          Array.from({ length: 1_000 }, (_, index) => index + 1),
        );
      });

      test("begins after a cursor and keeps to streams with a prefix", async () => {
        const [first] = await log.append("x-1", "none", newFacts(1));
        if (first === undefined) throw new Error("nothing was added");
        const two = firstValueFrom(
          log.follow({ after: log.cursorOf(first), streams: "x-" }).pipe(take(2), toArray()),
        );
        await log.append("y-1", "none", newFacts(3));
        await log.append("x-1", 1, newFacts(1));
        await log.append("x-2", "none", newFacts(1));
        expect((await two).map(({ stream, version }) => `${stream}@${version}`)).toEqual(["x-1@2", "x-2@1"]);
      });

      test("shows a fact only once it is durable, and after the append that brought it has resolved", async () => {
        const order: string[] = [];
        const subscription = log.follow().subscribe(({ version }) => order.push(`followed ${version}`));
        for (const version of [0, 1, 2]) {
          await log.append("a", version, newFacts(1));
          order.push(`resolved ${version + 1}`);
        }
        await firstValueFrom(log.follow().pipe(take(3), toArray()));
        subscription.unsubscribe();
        const places = [1, 2, 3].map((version) => [
          order.indexOf(`resolved ${version}`),
          order.indexOf(`followed ${version}`),
        ]);
        for (const [resolved, followed] of places) expect(followed).toBeGreaterThan(resolved ?? 9);
        expect(order.filter((event) => event.startsWith("followed"))).toEqual([
          "followed 1",
          "followed 2",
          "followed 3",
        ]);
      });

      test("a refused append shows nothing", async () => {
        await log.append("a", "none", newFacts(1));
        const two = firstValueFrom(log.follow().pipe(take(2), toArray()));
        await expect(log.append("a", "none", newFacts(1))).rejects.toThrow(VersionConflictError);
        await log.append("a", 1, newFacts(1));
        expect((await two).map((fact) => fact.version)).toEqual([1, 2]);
      });

      test("many followers see the same facts, and one that throws harms no other", async () => {
        const follow = (): Promise<Fact[]> => firstValueFrom(log.follow().pipe(take(3), toArray()));
        const followers = [follow(), follow(), follow()];
        await log.append("a", "none", newFacts(3));
        const seen = await Promise.all(followers);
        expect(seen[0]).toEqual(await read("a"));
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[2]).toEqual(seen[0]);
      });

      test("ends with an error for a bad cursor, and completes when the log is closed", async () => {
        await expect(firstValueFrom(log.follow({ after: "yesterday" }))).rejects.toThrow(InvalidCursorError);
        const rest = firstValueFrom(log.follow().pipe(toArray()));
        await log.close();
        expect(await rest).toEqual([]);
      });
    });

    describe("streams", () => {
      test("lists those whose name begins with a prefix, and takes no letter of it for a pattern", async () => {
        for (const stream of ["a%1", "ab1", "a%2", "A%3"]) await log.append(stream, "none", newFacts(1));
        expect((await log.streams("a%")).map(({ stream }) => stream)).toEqual(["a%1", "a%2"]);
        expect(await log.streams()).toHaveLength(4);
      });
    });

    describe("blobs", () => {
      test("are named by their SHA-256 and come back the same", async () => {
        const bytes = Uint8Array.from([0, 255, 10, 13, 0]);
        const sha256 = await log.putBlob(bytes);
        expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
        expect(await log.putBlob(bytes)).toBe(sha256);
        expect([...(await log.getBlob(sha256))]).toEqual([...bytes]);
        expect([...(await log.getBlob(await log.putBlob(new Uint8Array())))]).toEqual([]);
      });

      test("the caller may use its buffer again at once", async () => {
        const bytes = Uint8Array.from([1, 2, 3]);
        const put = log.putBlob(bytes);
        bytes.fill(9);
        expect([...(await log.getBlob(await put))]).toEqual([1, 2, 3]);
      });

      test("one that is missing is not found", async () => {
        await expect(log.getBlob("0".repeat(64))).rejects.toThrow(NotFoundError);
      });
    });

    describe("snapshots", () => {
      test("the newest of each stream and name is kept", async () => {
        const save = (name: string, version: number, text: string): Promise<Fact[]> =>
          log.commit((work) => {
            work.saveSnapshot({ stream: "a", name, version, writer: "w", text });
          });
        await save("views", 5, "five");
        await save("views", 9, "nine");
        await save("views", 7, "late");
        await save("actors", 1, "one");
        expect(
          (await log.loadSnapshots("a")).map(({ name, version, text }) => [name, version, text]),
        ).toEqual([
          ["actors", 1, "one"],
          ["views", 9, "nine"],
        ]);
        const chosen = await log.loadSnapshots("a", (heads) => heads.filter(({ version }) => version > 1));
        expect(chosen.map(({ name }) => name)).toEqual(["views"]);
        expect(await log.loadSnapshots("b")).toEqual([]);
        await expect(save("views", Number.NaN, "none")).rejects.toMatchObject({ field: "version" });
      });
    });

    describe("leases", () => {
      test("one owner at a time, until the time is over; each change of hands raises the fence", async () => {
        const first = await log.acquire("runtime", "ann", 1_000);
        expect(first).toEqual({ key: "runtime", owner: "ann", fence: 1, expiresAt: 1_001_000 });
        now += 999;
        const refused = log.acquire("runtime", "bob", 1_000);
        await expect(refused).rejects.toThrow(SessionBusyError);
        await expect(refused).rejects.toMatchObject({
          code: "LEMON_SESSION_BUSY",
          holder: { owner: "ann", fence: 1, since: 1_000_000, expiresAt: 1_001_000 },
        });
        now += 1;
        expect(await log.acquire("runtime", "bob", 1_000)).toMatchObject({ owner: "bob", fence: 2 });
      });

      test("its own owner gets a live lease again with the same fence, and an expired one with the next", async () => {
        await log.acquire("runtime", "ann", 1_000);
        now += 500;
        expect(await log.acquire("runtime", "ann", 1_000)).toMatchObject({ fence: 1, expiresAt: 1_001_500 });
        now += 1_000;
        expect(await log.acquire("runtime", "ann", 1_000)).toMatchObject({ fence: 2 });
      });

      test("renewing gives the whole time again; an expired lease is not renewed", async () => {
        const lease = await log.acquire("runtime", "ann", 1_000);
        now += 900;
        const renewed = await log.renew(lease);
        expect(renewed).toEqual({ ...lease, expiresAt: 1_001_900 });
        now += 1_000;
        await expect(log.renew(renewed)).rejects.toMatchObject({ code: "LEMON_FENCED", because: "expired" });
      });

      test("a released lease is free at once, and of no use to who had it", async () => {
        const lease = await log.acquire("runtime", "ann", 1_000);
        await log.release(lease);
        await expect(log.renew(lease)).rejects.toThrow(FencedError);
        const next = await log.acquire("runtime", "bob", 1_000);
        expect(next.fence).toBe(2);
        await log.release(lease); // not held any more: harmless
        expect((await log.renew(next)).owner).toBe("bob");
      });

      test.each([
        ["key", "", "ann", 1],
        ["owner", "k", "a\0b", 1],
        ["ttlMs", "k", "ann", Number.NaN],
        ["ttlMs", "k", "ann", 0],
      ])(
        "an impossible %s is refused, and nobody else's request with it",
        async (field, key, owner, ttlMs) => {
          const others = log.append("a", "none", newFacts(1));
          await expect(log.acquire(key, owner, ttlMs)).rejects.toMatchObject({
            code: "LEMON_INVALID_ENVELOPE",
            field,
          });
          await others;
        },
      );

      test("different keys have nothing to do with each other", async () => {
        await log.acquire("one", "ann", 1_000);
        expect((await log.acquire("two", "bob", 1_000)).fence).toBe(1);
      });
    });

    describe("leading a stream", () => {
      test("while a live lease leads it, others may not append, claim, or say nothing of a lease", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        const bob = await log.acquire("bob", "bob", 1_000);
        await log.append("s", "none", newFacts(2));
        expect(await log.leaderOf("s")).toBeNull();
        expect(await log.claim("s", ann)).toBe(2);
        expect(await log.leaderOf("s")).toMatchObject({ owner: "ann", fence: ann.fence });
        expect(await log.leaderOf("nobody's")).toBeNull();

        for (const refused of [
          log.append("s", "any", newFacts(1)),
          log.append("s", "any", newFacts(1), { fence: bob }),
          log.append("s", 77, newFacts(1)),
          log.claim("s", bob),
        ]) {
          await expect(refused).rejects.toThrow(SessionBusyError);
          await expect(refused).rejects.toMatchObject({ holder: { owner: "ann" } });
        }
        await log.append("s", 2, newFacts(1), { fence: ann });
        expect(await versions("s")).toEqual([1, 2, 3]);
      });

      test("a stream may be claimed before it exists, and again by its leader", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        expect(await log.claim("s", ann)).toBe(0);
        expect(await log.claim("s", ann)).toBe(0);
        expect(await log.streams()).toEqual([]);
        await expect(log.append("s", "none", newFacts(1))).rejects.toThrow(SessionBusyError);
      });

      test("a stream that nobody leads takes appends without a lease and with any live one", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        await log.append("s", "none", newFacts(1));
        await log.append("s", 1, newFacts(1), { fence: ann });
        expect(await versions("s")).toEqual([1, 2]);
      });

      test("an append under one's own dead lease is always refused", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        await log.claim("s", ann);
        now += 1_000;
        const expired = log.append("free", "any", newFacts(1), { fence: ann });
        await expect(expired).rejects.toMatchObject({ code: "LEMON_FENCED", because: "expired" });
        const next = await log.acquire("ann", "ann", 1_000);
        const old = log.append("s", "any", newFacts(1), { fence: ann });
        await expect(old).rejects.toMatchObject({ code: "LEMON_FENCED", because: "changed_hands" });
        await expect(log.claim("s", ann)).rejects.toThrow(FencedError);
        await log.claim("s", next);
        await log.append("s", "none", newFacts(1), { fence: next });
        expect(await log.streams()).toEqual([{ stream: "s", version: 1 }]);
      });

      test("when the leader's lease dies, another may claim, and the old leader is fenced out", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        const bob = await log.acquire("bob", "bob", 5_000);
        await log.claim("s", ann);
        now += 1_000;
        expect(await log.leaderOf("s")).toBeNull();
        await log.claim("s", bob);
        expect(await log.leaderOf("s")).toMatchObject({ owner: "bob" });
        await expect(log.append("s", "any", newFacts(1), { fence: ann })).rejects.toThrow(FencedError);
        const again = await log.acquire("ann", "ann", 1_000);
        await expect(log.append("s", "any", newFacts(1), { fence: again })).rejects.toThrow(SessionBusyError);
        await log.append("s", "none", newFacts(1), { fence: bob });
      });

      test("unclaim lets the stream go, for its leader only", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        const bob = await log.acquire("bob", "bob", 1_000);
        await log.claim("s", ann);
        await log.unclaim("s", bob);
        await expect(log.append("s", "any", newFacts(1))).rejects.toThrow(SessionBusyError);
        await log.unclaim("s", ann);
        await log.append("s", "none", newFacts(1));
      });

      test("a heartbeat keeps all of its streams led, also for a writer with the older lease object", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        await log.claim("s", ann);
        now += 900;
        await log.renew(ann);
        now += 900;
        await log.append("s", "none", newFacts(1), { fence: ann });
      });

      test("a refusal in a batch is that unit's alone", async () => {
        const ann = await log.acquire("ann", "ann", 1_000);
        await log.claim("s", ann);
        const outcomes = await Promise.allSettled([
          log.append("s", "any", newFacts(1)),
          log.append("s", 0, newFacts(1), { fence: ann }),
          log.append("t", 5, newFacts(1)),
          log.append("t", 0, newFacts(1)),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual([
          "rejected",
          "fulfilled",
          "rejected",
          "fulfilled",
        ]);
      });
    });

    describeJobs(open);

    describe("verify and info", () => {
      test("a sound log has no findings, and says where it stands", async () => {
        await log.append("a", "none", newFacts(300));
        const facts = await log.append("b", "none", newFacts(2));
        await log.putBlob(Uint8Array.from([1]));
        expect(await collect(log.verify())).toEqual([]);
        expect(await collect(log.verify("b"))).toEqual([]);
        expect(await collect(log.verify("nobody"))).toEqual([]);
        const { position, stream, version, hash } = facts.at(-1) as Fact;
        expect(await log.info()).toMatchObject({
          formatVersion: 3,
          facts: 302,
          streams: 2,
          head: { position, stream, version, hash },
        });
      });

      test("an empty log is sound and has no head", async () => {
        expect(await collect(log.verify())).toEqual([]);
        expect(await log.info()).toMatchObject({ facts: 0, streams: 0, head: null });
      });
    });

    describe("close", () => {
      test("writes what was asked for before; what comes after is refused", async () => {
        const append = log.append("a", "none", newFacts(1));
        await Promise.all([log.close(), log.close()]);
        expect(await append).toHaveLength(1);
        await expect(log.append("a", "any", newFacts(1))).rejects.toThrow(LogClosedError);
        await expect(read("a")).rejects.toThrow(LogClosedError);
        await expect(log.info()).rejects.toThrow(LogClosedError);
        await expect(collect(log.verify())).rejects.toThrow(LogClosedError);
        await expect(firstValueFrom(log.follow())).rejects.toThrow(LogClosedError);
      });

      test("a reader that is in the middle of a stream hears of it", async () => {
        await log.append("a", "none", newFacts(600));
        const facts = log.read("a")[Symbol.asyncIterator]();
        await facts.next();
        await log.close();
        const rest = async (): Promise<void> => {
          while ((await facts.next()).done !== true);
        };
        await expect(rest()).rejects.toThrow(LogClosedError);
      });
    });
  });
}
