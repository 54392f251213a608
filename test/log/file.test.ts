/** The file itself: its format, its guards, and what is refused before it is touched. */
import { chmodSync, mkdirSync, readFileSync, statSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { NotFoundError } from "../../src/errors.ts";
import { LogNewerError, LogReadOnlyError, LogUnavailableError, openEventLog } from "../../src/log/index.ts";
import { SqliteEventLog } from "../../src/log/sqlite/engine.ts";
import { openFile } from "../../src/log/sqlite/open-file.ts";
import { collect, newFacts, openForTest, temporaryDirectory, temporaryFile } from "./support/facts.ts";

async function madeLog(count = 3): Promise<string> {
  const file = temporaryFile();
  const log = await openEventLog(file);
  await log.append("s", "none", newFacts(count));
  await log.close();
  return file;
}

describe("opening", () => {
  test("a path and a file: URL lead to the same log", async () => {
    const file = await madeLog();
    const log = await openForTest(pathToFileURL(file).href);
    expect(await log.info()).toMatchObject({
      facts: 3,
      location: file,
      engine: "sqlite",
      durability: "strict",
    });
  });

  test("a name with spaces, percent and question marks is taken as it is", async () => {
    const file = path.join(temporaryDirectory(), "a b%20?c#d.db");
    const log = await openForTest(file);
    await log.append("s", "none", newFacts(1));
    expect(readdirSync(path.dirname(file))).toContain("a b%20?c#d.db");
  });

  test("closing and opening again changes nothing", async () => {
    const file = await madeLog();
    const log = await openForTest(file);
    const [fact] = await log.append("s", 3, newFacts(1));
    expect(fact).toMatchObject({ position: 4, version: 4 });
    expect(await collect(log.verify())).toEqual([]);
  });

  test("an empty file becomes a log", async () => {
    const file = temporaryFile();
    writeFileSync(file, "");
    const log = await openForTest(file);
    await log.append("s", "none", newFacts(1));
  });

  test.each([
    ["an unknown scheme", "mysql://host/db", "unknown_scheme", /mysql/],
    ["a missing directory", "missing/work.db", "no_directory", /missing does not exist/],
    ["a file for a directory", "file/work.db", "no_directory", /file is not a directory/],
    ["a directory for a file", "directory", "not_a_file", /is a directory/],
    ["white space at the end of the name", "work.db ", "cannot_open", /white space/],
    ["a text", "text", "not_a_log", /not an SQLite database/],
    ["a short text", "short", "not_a_log", /not an SQLite database/],
    ["a database of another program", "other.db", "not_a_log", /another program/],
  ])("%s is refused, and nothing is touched", async (_name, place, because, message) => {
    const directory = temporaryDirectory();
    mkdirSync(path.join(directory, "directory"));
    writeFileSync(path.join(directory, "file"), "");
    writeFileSync(path.join(directory, "text"), "to be or not to be ".repeat(100));
    writeFileSync(path.join(directory, "short"), "to be");
    const other = new Sqlite(path.join(directory, "other.db"));
    other.exec("CREATE TABLE notes (text)");
    other.close();
    const listing = (): unknown[] =>
      readdirSync(directory).map((name) => [
        name,
        name === "directory" || readFileSync(path.join(directory, name), "hex"),
      ]);
    const before = listing();

    for (const readOnly of [false, true]) {
      const open = openEventLog(place.includes("://") ? place : path.join(directory, place), { readOnly });
      if (place === "missing/work.db" && readOnly) await expect(open).rejects.toThrow(NotFoundError);
      else {
        await expect(open).rejects.toThrow(LogUnavailableError);
        await expect(open).rejects.toMatchObject({ code: "LEMON_LOG_UNAVAILABLE", because });
        await expect(open).rejects.toThrow(message);
      }
    }
    expect(listing()).toEqual(before);
  });

  test("a log of a newer version is refused with both versions named, and not touched", async () => {
    const file = await madeLog();
    const db = new Sqlite(file);
    db.pragma("user_version = 9");
    db.close();
    const before = readFileSync(file, "hex");
    for (const readOnly of [false, true]) {
      const open = openEventLog(file, { readOnly });
      await expect(open).rejects.toThrow(LogNewerError);
      await expect(open).rejects.toMatchObject({ code: "LEMON_LOG_NEWER", found: 9, supported: 3 });
    }
    expect(readFileSync(file, "hex")).toBe(before);
  });

  test("read-only, a missing log is not found, and none is made", async () => {
    const file = temporaryFile();
    await expect(openEventLog(file, { readOnly: true })).rejects.toThrow(NotFoundError);
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test("read-only, everything that writes is refused", async () => {
    const file = await madeLog();
    const log = await openForTest(file, { readOnly: true });
    const lease = { key: "k", owner: "o", fence: 1, expiresAt: 1 };
    for (const write of [
      log.append("s", "any", newFacts(1)),
      log.commit((work) => {
        work.append("s", "any", newFacts(1));
      }),
      log.putBlob(Uint8Array.from([1])),
      log.acquire("k", "o", 1),
      log.claim("s", lease),
    ]) {
      await expect(write).rejects.toThrow(LogReadOnlyError);
    }
    expect(await collect(log.read("s"))).toHaveLength(3);
    expect(await collect(log.verify())).toEqual([]);
  });
});

describe("the tables", () => {
  async function opened(): Promise<Sqlite.Database> {
    return new Sqlite(await madeLog());
  }

  test.each([
    ["UPDATE facts SET data = '{}' WHERE position = 1", /never changed/],
    ["DELETE FROM facts WHERE position = 3", /never deleted/],
    ["INSERT OR REPLACE INTO facts SELECT * FROM facts WHERE position = 2", /never replaced/],
    [
      "INSERT OR REPLACE INTO facts SELECT 4, stream, 2, type, schema_version, at, kind, actor, NULL, NULL, data, hash FROM facts WHERE position = 3",
      /never replaced/,
    ],
    [
      "REPLACE INTO facts SELECT NULL, stream, 4, type, schema_version, at, kind, actor, NULL, NULL, data, hash FROM facts WHERE position = 3",
      /never replaced/,
    ],
    [
      "INSERT INTO facts SELECT 9, stream, 4, type, schema_version, at, kind, actor, NULL, NULL, data, hash FROM facts WHERE position = 3",
      /numbered one after the other/,
    ],
    ["UPDATE OR REPLACE facts SET version = 1 WHERE position = 2", /never changed/],
  ])("refuse: %s", async (sql, message) => {
    const db = await opened();
    const all = db.prepare("SELECT * FROM facts").all();
    expect(() => db.exec(sql)).toThrow(message);
    expect(db.prepare("SELECT * FROM facts").all()).toEqual(all);
    db.close();
  });

  test("are strict, in a file that says whose it is", async () => {
    const db = await opened();
    expect(db.pragma("application_id", { simple: true })).toBe(Buffer.from("LEMN").readUInt32BE());
    expect(db.pragma("user_version", { simple: true })).toBe(3);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    const loose = db
      .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0")
      .pluck()
      .all();
    expect(loose).toEqual(["sqlite_schema"]);
    db.close();
  });
});

test("a commit waits for the disk as its strictest unit asks, and otherwise as the log does", async () => {
  const location = temporaryFile();
  const db = openFile(location, { readOnly: false });
  const log = new SqliteEventLog(
    { db, location, readOnly: false },
    { durability: "relaxed", now: Date.now, checkFact: () => undefined, onWarning: () => undefined },
  );
  onTestFinished(() => log.close());
  const synchronous = (): unknown => db.pragma("synchronous", { simple: true });
  expect(synchronous()).toBe(1);
  await Promise.all([
    log.append("s", "any", newFacts(1)),
    log.append("s", "any", newFacts(1), { durability: "strict" }),
  ]);
  expect(synchronous()).toBe(2);
  await log.append("s", "any", newFacts(1));
  expect(synchronous()).toBe(1);
});

describe("the head file", () => {
  test("names the last fact after closing", async () => {
    const file = await madeLog();
    const log = await openForTest(file, { readOnly: true });
    expect(JSON.parse(readFileSync(`${file}.head`, "utf8"))).toEqual((await log.info()).head);
  });

  test("is written by who committed, and not for memory or by a reader", async () => {
    const file = await madeLog();
    const before = readFileSync(`${file}.head`, "utf8");
    const writer = await openEventLog(file);
    const idle = await openEventLog(file);
    await writer.append("s", 3, newFacts(1));
    await writer.close();
    const after = readFileSync(`${file}.head`, "utf8");
    expect(after).not.toBe(before);
    await idle.close();
    expect(readFileSync(`${file}.head`, "utf8")).toBe(after);
  });

  test("of a process that is further on is left alone", async () => {
    const file = await madeLog();
    const slow = await openEventLog(file);
    const fast = await openEventLog(file);
    await slow.append("s", 3, newFacts(1));
    await fast.append("s", 4, newFacts(5));
    await fast.close();
    await slow.close();
    expect(JSON.parse(readFileSync(`${file}.head`, "utf8"))).toMatchObject({ position: 9 });
  });

  test("that can't be written is a warning, and the facts are safe", async () => {
    const file = temporaryFile();
    const warnings: string[] = [];
    mkdirSync(`${file}.head`); // a directory in its place: nobody can read or rename it away
    const open = (): Promise<string> =>
      openEventLog(file, { onWarning: (message) => warnings.push(message) }).then(async (log) => {
        await log.append("s", "any", newFacts(1));
        await log.close();
        return "closed";
      });
    expect(await open()).toBe("closed");
    expect(warnings.join("\n")).toMatch(/work\.db\.head/);
  });
});

describe("backup", () => {
  test("copies a log that is in use to one that verifies, head file included", async () => {
    const file = await madeLog(2_000);
    const log = await openForTest(file, { durability: "relaxed" });
    const target = path.join(path.dirname(file), "copy.db");
    const done = { is: false };
    const backup = log.backup(target).finally(() => (done.is = true));
    for (let count = 0; !done.is && count < 200; count += 1) await log.append("s", "any", newFacts(1));
    await backup;

    expect(
      readdirSync(path.dirname(file))
        .filter((name) => name.startsWith("copy"))
        .toSorted(),
    ).toEqual(["copy.db", "copy.db.head"]);
    const copy = await openForTest(target);
    expect(await collect(copy.verify())).toEqual([]);
    expect((await copy.info()).facts).toBeGreaterThanOrEqual(2_000);
    expect((await copy.info()).head).toEqual(JSON.parse(readFileSync(`${target}.head`, "utf8")));
  });

  test("refuses a name that is taken, and a directory that is missing", async () => {
    const file = await madeLog();
    const log = await openForTest(file);
    await expect(log.backup(file)).rejects.toMatchObject({ because: "already_exists" });
    await expect(log.backup(path.join(path.dirname(file), "no/copy.db"))).rejects.toMatchObject({
      because: "no_directory",
    });
  });

  test("of a log in memory is a log in a file", async () => {
    const log = await openForTest(":memory:");
    const facts = await log.append("s", "none", newFacts(3));
    const target = temporaryFile();
    await log.backup(target);
    expect(await collect((await openForTest(target)).read("s"))).toEqual(facts);
  });
});

test("a new log, what belongs to it and its backup are their owner's alone; an old one keeps its mode", async () => {
  const file = path.join(temporaryDirectory(), "log.db");
  const copy = path.join(temporaryDirectory(), "copy.db");
  const log = await openEventLog(file);
  await log.append("a", "none", newFacts(1));
  const modeOf = (name: string): string => (statSync(name).mode & 0o777).toString(8);
  expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(["600", "600", "600"]);
  await log.backup(copy);
  await log.close();
  expect([`${file}.head`, copy, `${copy}.head`].map(modeOf)).toEqual(["600", "600", "600"]);
  chmodSync(file, 0o640);
  await (await openEventLog(file)).close();
  expect(modeOf(file)).toBe("640");
});
