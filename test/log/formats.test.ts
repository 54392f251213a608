/** Logs of older formats: read as they are, and given today's format when they are opened for writing. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { EventLog } from "../../src/log/index.ts";
import { LogFullError, openEventLog, SessionBusyError } from "../../src/log/index.ts";
import { compileLog, runChild } from "./support/child.ts";
import {
  collect,
  newFact,
  newFacts,
  openForTest,
  temporaryDirectory,
  temporaryFile,
} from "./support/facts.ts";

let room: ReturnType<typeof compileLog>;
beforeAll(() => {
  room = compileLog();
});
afterAll(() => {
  room.remove();
});

function oldLog(file = temporaryFile(), format = 1): string {
  copyFileSync(path.resolve(import.meta.dirname, `../fixtures/formats/format-${format}.db`), file);
  return file;
}

const inThatTime = (): number => 1_700_000_000_000;

/** All that stood in the log before. */
async function contentOf(log: EventLog): Promise<unknown> {
  return {
    facts: await collect(log.readAll()),
    findings: await collect(log.verify()),
    snapshots: (await log.loadSnapshots("s")).map(({ name, version, text }) => ({ name, version, text })),
    holder: await log.holderOf("runtime-1"),
  };
}

const enqueue = (log: EventLog, key: string): Promise<unknown> =>
  log.commit((work) => {
    work.enqueueJob({ queue: "q", key });
  });

const versionOf = (file: string): unknown => {
  const db = new Sqlite(file);
  const version = db.pragma("user_version", { simple: true });
  db.close();
  return version;
};

test("opened read-only, a log of format 1 stays as it is and has no jobs", async () => {
  const file = oldLog();
  const before = readFileSync(file);
  const log = await openForTest(file, { readOnly: true, now: inThatTime });
  expect(await log.info()).toMatchObject({ formatVersion: 1, facts: 3 });
  expect(await contentOf(log)).toMatchObject({
    facts: [{ data: { n: 1 } }, { data: { n: 2 } }, { stream: "t" }],
    findings: [],
    snapshots: [{ name: "views", version: 2, text: "{}" }],
    holder: { owner: "ann", fence: 1 },
  });
  expect(await log.jobs("q")).toEqual([]);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("opened to write, it keeps all that it has and can hold jobs, which a reader that was there sees", async () => {
  const file = oldLog();
  const reader = await openForTest(file, { readOnly: true, now: inThatTime });
  const before = await contentOf(reader);
  const log = await openForTest(file, { now: inThatTime });
  expect(await log.info()).toMatchObject({ formatVersion: 3 });
  expect(await contentOf(log)).toEqual(before);
  await expect(log.append("s", "any", newFacts(1))).rejects.toThrow(SessionBusyError);
  await log.append("t", 1, newFacts(1));
  await enqueue(log, "a");
  expect(await log.jobs("q")).toMatchObject([{ key: "a", order: 4 }]);
  expect(await reader.jobs("q")).toEqual(await log.jobs("q"));
  expect(await reader.info()).toMatchObject({ formatVersion: 3 });
});

test("a log of format 2 keeps all that it has, and can then hold facts whose data was left out", async () => {
  const file = oldLog(temporaryFile(), 2);
  const reader = await openForTest(file, { readOnly: true, now: inThatTime });
  expect(await reader.info()).toMatchObject({ formatVersion: 2, facts: 3 });
  const before = await contentOf(reader);
  expect(await reader.jobs("q")).toMatchObject([{ key: "waiting" }]);
  const log = await openForTest(file, { now: inThatTime });
  expect(await log.info()).toMatchObject({ formatVersion: 3 });
  expect(await contentOf(log)).toEqual(before);
  expect(await log.jobs("q")).toMatchObject([{ key: "waiting" }]);
  await log.append("t", 1, [newFact(null, { redacted: "0".repeat(64) })]);
  expect(await collect(log.verify())).toEqual([]);
});

test("a backup of it is a log of today's format", async () => {
  const log = await openForTest(oldLog(), { readOnly: true });
  const copy = temporaryFile();
  await log.backup(copy);
  expect(await (await openForTest(copy, { readOnly: true })).info()).toMatchObject({
    formatVersion: 3,
    facts: 3,
  });
});

test("of several processes that open it to write at once each can go on", async () => {
  const file = oldLog();
  const body = `
    const log = await openEventLog(file);
    await log.commit((work) => work.enqueueJob({ queue: "q", key: String(process.pid) }));
    await log.close();
    say(process.pid);`;
  const children = Array.from({ length: 4 }, () => runChild(room.directory, body, file));
  const said = (await Promise.all(children.map((child) => child.rest()))).flat();
  const log = await openForTest(file);
  expect(new Set((await log.jobs("q")).map(({ key }) => Number(key)))).toEqual(new Set(said));
  expect(await collect(log.verify())).toEqual([]);
});

test("killed in the middle of it, the log is what it was, and the next opening does it", async () => {
  const file = oldLog();
  const child = runChild(
    room.directory,
    `import Sqlite from "better-sqlite3";
     import { migrate } from "./log/sqlite/schema.js";
     const db = new Sqlite(file);
     // Just before it commits: the last that it does is to set the version.
     const pragma = db.pragma.bind(db);
     db.pragma = (source, options) => {
       const result = pragma(source, options);
       if (source.startsWith("user_version =")) process.kill(process.pid, "SIGKILL");
       return result;
     };
     migrate(db);
     say("not killed");`,
    file,
  );
  await expect(child.next()).rejects.toThrow(/ended/);
  expect(versionOf(file)).toBe(1);
  const log = await openForTest(file);
  await enqueue(log, "a");
  expect(await collect(log.verify())).toEqual([]);
});

const system = { mount: "mount", unmount: "umount" };

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const directory = mkdtempSync(path.join(tmpdir(), "lemon-mount-"));
  const isMounted =
    spawnSync(system.mount, ["-t", "tmpfs", "-o", "size=64k", "tmpfs", directory]).status === 0;
  if (isMounted) spawnSync(system.unmount, [directory]);
  rmSync(directory, { recursive: true, force: true });
  return isMounted;
}

test.runIf(canMount())(
  "on a full disk it is refused as full and stays what it was, until there is room",
  async () => {
    const disk = path.join(temporaryDirectory(), "disk");
    mkdirSync(disk);
    expect(spawnSync(system.mount, ["-t", "tmpfs", "-o", "size=512k", "tmpfs", disk]).status).toBe(0);
    onTestFinished(() => void spawnSync(system.unmount, [disk]));
    const file = oldLog(path.join(disk, "work.db"));
    const ballast = path.join(disk, "ballast");
    const free = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc((free.bavail - 1) * free.bsize));
    await expect(openEventLog(file)).rejects.toThrow(LogFullError);
    rmSync(ballast);
    expect(versionOf(file)).toBe(1);
    const log = await openEventLog(file);
    await enqueue(log, "a");
    expect(await collect(log.verify())).toEqual([]);
    await log.close();
  },
);
