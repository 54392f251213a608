import { hostname } from "node:os";
import { firstValueFrom, take, toArray } from "rxjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Lease } from "../../src/log/index.ts";
import { leaseOwner, SessionBusyError } from "../../src/log/index.ts";
import { compileLog, runChild, type Child } from "./support/child.ts";
import { collect, newFacts, openForTest, temporaryFile } from "./support/facts.ts";

let room: ReturnType<typeof compileLog>;
beforeAll(() => {
  room = compileLog();
});
afterAll(() => {
  room.remove();
});
const run = (body: string, file: string): Child => runChild(room.directory, body, file);

const APPEND_200 = `
  const log = await openEventLog(file);
  for (let n = 0; n < 200; n += 1) await log.append("session-" + process.pid, n, [fact({ n })]);
  await log.close();
  say("session-" + process.pid);
`;

test("two processes that make one log and append to it at the same time both get all of their facts in", async () => {
  const file = temporaryFile();
  const said = await Promise.all([run(APPEND_200, file).rest(), run(APPEND_200, file).rest()]);

  const log = await openForTest(file);
  for (const [stream] of said as unknown as [string][]) {
    const versions = (await collect(log.read(stream))).map((fact) => fact.version);
    expect(versions).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  }
  expect(await log.streams()).toHaveLength(2);
  expect(await collect(log.verify())).toEqual([]);
});

test("two processes on one stream take turns by its version: each fact once, every conflict told", async () => {
  const file = temporaryFile();
  const contend = `
    const log = await openEventLog(file, { durability: "relaxed" });
    let won = 0;
    for (let version = 0; won < 50; ) {
      try {
        const [added] = await log.append("shared", version, [fact({ pid: process.pid, won })]);
        version = added.version;
        won += 1;
      } catch (error) {
        if (error.code !== "LEMON_VERSION_CONFLICT") throw error;
        version = error.actual;
      }
    }
    await log.close();
    say(process.pid);
  `;
  const said = await Promise.all([run(contend, file).rest(), run(contend, file).rest()]);

  const log = await openForTest(file);
  const data = (await collect(log.read("shared"))).map((fact) => fact.data as { pid: number; won: number });
  for (const [pid] of said as unknown as [number][]) {
    expect(data.filter((each) => each.pid === pid).map(({ won }) => won)).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
  }
  expect(await collect(log.verify())).toEqual([]);
});

test("what another process appends is followed without a gap or a double, between one's own", async () => {
  const file = temporaryFile();
  const log = await openForTest(file, { durability: "relaxed" });
  await log.append("mine", "any", newFacts(3));
  const all = firstValueFrom(log.follow().pipe(take(243), toArray()));
  const child = run(APPEND_200, file);
  for (let count = 0; count < 40; count += 1) await log.append("mine", "any", newFacts(1));
  await child.rest();
  expect((await all).map((fact) => fact.position)).toEqual(
    Array.from({ length: 243 }, (_, index) => index + 1),
  );
});

test("what another handle has appended just before one's own is not jumped over", async () => {
  const file = temporaryFile();
  const [log, other] = [await openForTest(file), await openForTest(file)];
  await log.append("s", "none", newFacts(1));
  const all = firstValueFrom(log.follow().pipe(take(41), toArray()));
  await firstValueFrom(log.follow());
  for (let version = 1; version < 41; version += 2) {
    await other.append("s", version, newFacts(1));
    await log.append("s", version + 1, newFacts(1));
  }
  expect((await all).map((fact) => fact.version)).toEqual(
    Array.from({ length: 41 }, (_, index) => index + 1),
  );
});

test("a read-only handle reads and follows beside a writer", async () => {
  const file = temporaryFile();
  const child = run(
    `const log = await openEventLog(file);
     await log.append("s", "none", [fact(1)]);
     say("ready");
     process.stdin.once("data", async () => { await log.append("s", 1, [fact(2)]); await log.close(); process.exit(); });`,
    file,
  );
  await child.next();
  const log = await openForTest(file, { readOnly: true });
  const two = firstValueFrom(log.follow().pipe(take(2), toArray()));
  expect(await collect(log.read("s"))).toHaveLength(1);
  child.tell("go on");
  expect((await two).map((fact) => fact.data)).toEqual([1, 2]);
});

test("after SIGKILL every fact that was acknowledged is there, and the log is sound", async () => {
  const file = temporaryFile();
  const child = run(
    `const log = await openEventLog(file);
     for (let n = 0; ; n += 1) {
       const [added] = await log.append("s", n, [fact({ n, filler: "x".repeat(n % 5000) })]);
       say(added.version);
     }`,
    file,
  );
  let acknowledged: unknown = 0;
  while (acknowledged !== 150) acknowledged = await child.next();
  await child.kill("SIGKILL");

  const log = await openForTest(file);
  const facts = await collect(log.read("s"));
  expect(facts.length).toBeGreaterThanOrEqual(150);
  expect(facts.map((fact) => (fact.data as { n: number }).n)).toEqual(facts.map((_, index) => index));
  expect(await collect(log.verify())).toEqual([]);
  await log.append("s", facts.length, newFacts(1));
});

const HOLD = `
  const log = await openEventLog(file);
  const lease = await log.acquire("runtime", leaseOwner(), 3_600_000);
  await log.claim("s", lease);
  say(lease);
  process.stdin.resume();
`;

test("a lease of a process that still runs is refused by its process and host, and is free once that was killed", async () => {
  const file = temporaryFile();
  const child = run(HOLD, file);
  const held = (await child.next()) as Lease;
  const log = await openForTest(file);

  const refused = log.append("s", "any", newFacts(1));
  await expect(refused).rejects.toThrow(SessionBusyError);
  await expect(refused).rejects.toThrow(`process ${child.process.pid} on ${hostname()}`);
  await expect(log.acquire("runtime", leaseOwner(), 1_000)).rejects.toMatchObject({
    holder: { owner: held.owner, fence: 1 },
  });

  await child.kill("SIGKILL");
  const mine = await log.acquire("runtime", leaseOwner(), 1_000);
  expect(mine.fence).toBe(held.fence + 1);
  await log.claim("s", mine);
  await log.append("s", "none", newFacts(1), { fence: mine });
});

test("two processes that claim the same jobs at the same time: each has one holder, and no more than the slots are held", async () => {
  const file = temporaryFile();
  const log = await openForTest(file, { durability: "relaxed" });
  for (let n = 0; n < 60; n += 1)
    await log.commit((work) => {
      work.enqueueJob({ queue: "q", key: `job-${n}` });
    });
  const work = `
    const log = await openEventLog(file, { durability: "relaxed" });
    const lease = await log.acquire("lease-" + process.pid, leaseOwner(), 3_600_000);
    const done = [];
    const refusals = ["LEMON_JOB_TAKEN", "LEMON_LANE_FULL", "LEMON_VERSION_CONFLICT"];
    for (;;) {
      const jobs = await log.jobs("q");
      if (jobs.filter((job) => job.holder?.isLive).length > 1) throw new Error("more are held than there are slots");
      const next = jobs.find((job) => job.holder === null);
      if (next === undefined) break;
      try {
        await log.commit((work) => {
          work.claimJob({ queue: "q", key: next.key, lease, slots: 1 });
          work.append(next.key, "none", [fact({ pid: process.pid })]);
        });
        done.push(next.key);
        await log.commit((work) => work.settleJob("q", next.key));
      } catch (error) {
        if (!refusals.includes(error.code)) throw error;
      }
    }
    await log.close();
    say(done);
  `;
  const said = await Promise.all([run(work, file).rest(), run(work, file).rest()]);
  const done = (said as string[][][]).flat(2);
  expect(done).toHaveLength(60);
  expect(new Set(done).size).toBe(60);
  expect(await log.jobs("q")).toEqual([]);
  expect(await collect(log.verify())).toEqual([]);
});

test("a job of a process that was killed can be claimed at once, whatever its lease says", async () => {
  const file = temporaryFile();
  const child = run(
    `const log = await openEventLog(file);
     const lease = await log.acquire("runtime", leaseOwner(), 3_600_000);
     await log.commit((work) => {
       work.enqueueJob({ queue: "q", key: "a", bound: "runtime" });
       work.claimJob({ queue: "q", key: "a", lease, slots: 1 });
     });
     say(lease);
     process.stdin.resume();`,
    file,
  );
  const held = (await child.next()) as Lease;
  const log = await openForTest(file);
  const mine = await log.acquire("mine", leaseOwner(), 1_000);
  const claim = (): Promise<unknown> =>
    log.commit((work) => {
      work.claimJob({ queue: "q", key: "a", lease: mine, slots: 1 });
    });
  await expect(claim()).rejects.toMatchObject({ code: "LEMON_JOB_TAKEN", because: "held" });
  expect(await log.holderOf("runtime")).toMatchObject({ owner: held.owner });
  await child.kill("SIGKILL");
  expect(await log.holderOf("runtime")).toBeNull();
  expect(await log.jobs("q")).toMatchObject([{ isBoundLive: false, holder: { isLive: false } }]);
  await claim();
});

/** Fails the import of a package that takes long to load. */
const REFUSE_SLOW_PACKAGES = dataUrl(`
  import { register } from "node:module";
  register(${JSON.stringify(
    dataUrl(`export function resolve(name, context, next) {
      if (/^(rxjs|zod)($|\\/)/.test(name)) throw new Error(name + " was loaded");
      return next(name, context);
    }`),
  )});
`);

test("reading a log loads neither rxjs nor zod", async () => {
  const file = temporaryFile();
  const log = await openForTest(file);
  await log.append("s", "none", newFacts(1));
  const read = `
    const log = await openEventLog(file, { readOnly: true });
    for await (const each of log.read("s")) say(each.version);
    await log.close();`;
  const guarded = (body: string): Child =>
    runChild(room.directory, body, file, { nodeOptions: ["--import", REFUSE_SLOW_PACKAGES] });
  expect(await guarded(read).rest()).toEqual([1]);
  await expect(guarded(read.replace("readOnly: true", "")).rest()).rejects.toThrow("zod was loaded");
});

function dataUrl(module: string): string {
  return `data:text/javascript,${encodeURIComponent(module)}`;
}
