/** Disks that are full or read-only, and callers without permission. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LogFullError, openEventLog } from "../../src/log/index.ts";
import { SqliteEventLog } from "../../src/log/sqlite/engine.ts";
import { openFile } from "../../src/log/sqlite/open-file.ts";
import { compileLog, runChild } from "./support/child.ts";
import {
  collect,
  newFact,
  newFacts,
  openForTest,
  temporaryDirectory,
  temporaryFile,
} from "./support/facts.ts";

/** Commands of the system that mounts, not of a package. */
const system = { mount: "mount", unmount: "umount" };

const big = (): ReturnType<typeof newFact> => newFact("x".repeat(20_000));

/** A log whose database may not grow beyond so many pages: SQLite then says the disk is full. */
async function limitedLog(pages: number): Promise<{ log: SqliteEventLog; db: Database }> {
  const location = temporaryFile();
  const db = openFile(location, { readOnly: false });
  const log = new SqliteEventLog(
    { db, location, readOnly: false },
    { durability: "strict", now: Date.now, checkFact: () => undefined, onWarning: () => undefined },
  );
  onTestFinished(() => log.close());
  db.pragma(`max_page_count = ${pages}`);
  return { log, db };
}

test("when the log is full the whole batch is refused, reading goes on, and the next append after freeing works", async () => {
  const { log, db } = await limitedLog(60);
  let version = 0;
  const fill = async (): Promise<void> => {
    for (;;) {
      await log.append("s", version, [big()]);
      version += 1;
    }
  };
  await expect(fill()).rejects.toThrow(LogFullError);
  const [small, conflict, large] = await Promise.allSettled([
    log.append("t", "none", newFacts(1)),
    log.append("t", 5, newFacts(1)),
    log.append("s", version, [big(), big()]),
  ]);
  for (const outcome of [small, conflict, large]) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "LEMON_LOG_FULL" } });
  }
  expect(await collect(log.read("s"))).toHaveLength(version);
  expect(await log.streams()).toEqual([{ stream: "s", version }]);

  db.pragma("max_page_count = 1000000");
  const [fact] = await log.append("t", "none", newFacts(1));
  expect(fact).toMatchObject({ version: 1, position: version + 1 });
  await log.append("s", version, [big()]);
  expect(await collect(log.verify())).toEqual([]);
});

test("a database that SQLite may not write refuses appends as read-only, and reading goes on", async () => {
  const { log, db } = await limitedLog(1_000);
  await log.append("s", "none", newFacts(1));
  db.pragma("query_only = 1");
  await expect(log.append("s", 1, newFacts(1))).rejects.toMatchObject({ code: "LEMON_LOG_READ_ONLY" });
  expect(await collect(log.read("s"))).toHaveLength(1);
  db.pragma("query_only = 0");
  await log.append("s", 1, newFacts(1));
  expect(await collect(log.verify())).toEqual([]);
});

test.runIf(canMount())(
  "on a disk that is really full an append is refused by the log's name, and works when there is room",
  async () => {
    const disk = path.join(temporaryDirectory(), "disk");
    mkdirSync(disk);
    run(system.mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk);
    onTestFinished(() => {
      run(system.unmount, disk);
    });
    const file = path.join(disk, "work.db");
    const ballast = path.join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(500_000));
    const log = await openEventLog(file, { onWarning: () => undefined });
    let version = 0;
    const fill = async (): Promise<void> => {
      for (;;) {
        await log.append("s", version, [big()]);
        version += 1;
      }
    };
    const filling = fill();
    await expect(filling).rejects.toThrow(LogFullError);
    await expect(filling).rejects.toThrow(file);
    expect(statfsSync(disk).bavail * statfsSync(disk).bsize).toBeLessThan(25_000);
    expect((await collect(log.read("s"))).map((fact) => fact.version)).toEqual(
      Array.from({ length: version }, (_, n) => n + 1),
    );

    rmSync(ballast);
    await log.append("s", version, [big()]);
    expect(await collect(log.verify())).toEqual([]);
    await log.close();
    const reopened = await openEventLog(file, { readOnly: true });
    expect(await collect(reopened.read("s"))).toHaveLength(version + 1);
    await reopened.close();
  },
);

test("while another process holds the lock, appends wait without stopping the event loop, then go in", async () => {
  const file = temporaryFile();
  const log = await openForTest(file, { durability: "relaxed" });
  await log.append("s", "none", newFacts(1));
  const other = new Sqlite(file);
  other.exec("BEGIN IMMEDIATE");
  const appended = log.append("s", 1, newFacts(1));
  let turns = 0;
  while (turns < 20) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  expect(await collect(log.read("s"))).toHaveLength(1);
  other.exec("COMMIT");
  other.close();
  expect((await appended)[0]?.version).toBe(2);
});

describe("without permission", () => {
  let room: ReturnType<typeof compileLog>;
  beforeAll(() => {
    room = compileLog();
  });
  afterAll(() => {
    room.remove();
  });
  /** Root may do anything, so the log is then used by nobody. */
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const uid = nobody.uid ?? process.getuid?.() ?? 0;

  /** What a process of nobody is told. */
  async function told(file: string, body: string): Promise<unknown> {
    const child = runChild(
      room.directory,
      `try { ${body} } catch (error) { say({ code: error.code, because: error.because, message: error.message }); }`,
      file,
      nobody,
    );
    return child.next();
  }

  /** A closed log that belongs to nobody, in a directory of its own that does too. */
  async function nobodysLog(): Promise<string> {
    const outer = temporaryDirectory();
    chmodSync(outer, 0o755);
    const directory = path.join(outer, "of-nobody");
    mkdirSync(directory);
    const file = path.join(directory, "work.db");
    const log = await openEventLog(file);
    await log.append("s", "none", newFacts(3));
    await log.close();
    for (const each of [directory, file, `${file}.head`]) chownSync(each, uid, uid);
    onTestFinished(() => {
      chmodSync(directory, 0o755); // so that it can be removed
    });
    return file;
  }

  const READ = `
    const log = await openEventLog(file, { readOnly: true });
    const versions = [];
    for await (const each of log.read("s")) versions.push(each.version);
    for await (const finding of log.verify()) throw new Error(finding.message);
    const refusal = await log.append("s", "any", [fact(1)]).catch((error) => error.code);
    await log.close();
    say({ versions, refusal });
  `;
  const readsAndRefuses = { versions: [1, 2, 3], refusal: "LEMON_LOG_READ_ONLY" };

  test("a read-only file is refused for writing and can be read", async () => {
    const file = await nobodysLog();
    chmodSync(file, 0o444);
    expect(await told(file, "await openEventLog(file);")).toMatchObject({
      code: "LEMON_LOG_READ_ONLY",
      message: expect.stringContaining(file) as string,
    });
    expect(await told(file, READ)).toEqual(readsAndRefuses);
  });

  test("a read-only directory too, though SQLite can put nothing beside the file", async () => {
    const file = await nobodysLog();
    chmodSync(path.dirname(file), 0o555);
    expect(await told(file, "await openEventLog(file);")).toMatchObject({ code: "LEMON_LOG_READ_ONLY" });
    expect(await told(file, READ)).toEqual(readsAndRefuses);
    chmodSync(file, 0o444);
    expect(await told(file, READ)).toEqual(readsAndRefuses);
  });

  test("a log in a read-only directory that has facts in its write-ahead log is not read without them", async () => {
    const file = await nobodysLog();
    const log = await openForTest(file);
    await log.append("s", 3, newFacts(1));
    const copy = path.join(path.dirname(file), "copy.db");
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    for (const each of [copy, `${copy}-wal`]) chownSync(each, uid, uid);
    chmodSync(path.dirname(file), 0o555);
    expect(await told(copy, READ)).toMatchObject({
      code: expect.stringMatching(/^LEMON_LOG_(UNAVAILABLE|READ_ONLY)$/) as string,
    });
  });

  test("a file that may not be read, and a directory in which no log may be made, are named", async () => {
    const file = await nobodysLog();
    chmodSync(file, 0o000);
    const unreadable = {
      code: "LEMON_LOG_UNAVAILABLE",
      because: "no_permission",
      message: expect.stringContaining(file) as string,
    };
    expect(await told(file, "await openEventLog(file);")).toMatchObject(unreadable);
    expect(await told(file, "await openEventLog(file, { readOnly: true });")).toMatchObject(unreadable);

    chmodSync(path.dirname(file), 0o555);
    const fresh = path.join(path.dirname(file), "fresh.db");
    expect(await told(fresh, "await openEventLog(file);")).toMatchObject({
      code: "LEMON_LOG_UNAVAILABLE",
      because: "no_permission",
      message: expect.stringContaining(fresh) as string,
    });
  });
});

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const directory = mkdtempSync(path.join(tmpdir(), "lemon-mount-"));
  const mounted = spawnSync(system.mount, ["-t", "tmpfs", "-o", "size=64k", "tmpfs", directory]).status === 0;
  if (mounted) spawnSync(system.unmount, [directory]);
  rmSync(directory, { recursive: true, force: true });
  return mounted;
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}
