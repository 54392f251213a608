/** Damage of each kind, and what `verify` says of it. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import {
  LogCorruptError,
  openEventLog,
  type EventLog,
  type Finding,
  type OpenOptions,
} from "../../src/log/index.ts";
import { collect, newFact, newFacts, openForTest, temporaryFile } from "./support/facts.ts";

const quiet: OpenOptions = { durability: "relaxed", onWarning: () => undefined };

async function madeLog(fill: (log: EventLog) => Promise<unknown>): Promise<string> {
  const file = temporaryFile();
  const log = await openEventLog(file, quiet);
  await fill(log);
  await log.close();
  return file;
}

/** Fifty facts in each of two streams, by turns: `a` has the odd positions. */
const twoStreams = (): Promise<string> =>
  madeLog(async (log) => {
    for (let version = 0; version < 50; version += 1) {
      await log.append("a", version, [newFact({ secret: `needle-${version + 1}` })]);
      await log.append("b", version, newFacts(1));
    }
  });

/** What somebody can do who goes past the guards. */
function tamper(file: string, sql: string): void {
  const db = new Sqlite(file);
  db.pragma("foreign_keys = OFF");
  db.exec("DROP TRIGGER facts_never_change; DROP TRIGGER facts_stay; DROP TRIGGER facts_are_numbered");
  db.exec(sql);
  db.close();
}

async function findings(file: string, stream?: string): Promise<Finding[]> {
  const log = await openForTest(file, { ...quiet, readOnly: true });
  return collect(log.verify(stream));
}

/** Turns one bit in the first place where `needle` stands. */
function flipBit(file: string, needle: string, from = 0): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(needle, from);
  expect(at, `${needle} is in ${file}`).toBeGreaterThan(0);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
}

test("a flipped bit in a payload, which SQLite's own check does not see, is found at its position", async () => {
  const file = await twoStreams();
  flipBit(file, "needle-30");
  const db = new Sqlite(file);
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  db.close();

  const found = [
    expect.objectContaining({
      level: "error",
      code: "hash_mismatch",
      stream: "a",
      version: 30,
      position: 59,
    }),
  ];
  expect(await findings(file)).toEqual(found);
  expect(await findings(file, "a")).toEqual(found);
  expect(await findings(file, "b")).toEqual([]);
});

test.each([
  ["actor", "UPDATE facts SET actor = 'somebody' WHERE position = 7", ["hash_mismatch"], 7],
  ["causation", "UPDATE facts SET causation = 1 WHERE position = 7", ["hash_mismatch"], 7],
  ["time", "UPDATE facts SET at = at + 1 WHERE position = 7", ["hash_mismatch"], 7],
  [
    "hash",
    "UPDATE facts SET hash = substr(hash, 2) || '0' WHERE position = 7",
    ["hash_mismatch", "hash_mismatch"],
    7,
  ],
  [
    "name of a stream",
    "UPDATE streams SET name = 'c' WHERE name = 'a'",
    expect.arrayContaining(["hash_mismatch"]),
    1,
  ],
  ["whole stream", "DELETE FROM streams WHERE name = 'a'", expect.arrayContaining(["hash_mismatch"]), 1],
  [
    "fact in the middle",
    "DELETE FROM facts WHERE position = 7",
    ["position_gap", "version_gap", "hash_mismatch"],
    7,
  ],
  ["last facts", "DELETE FROM facts WHERE position > 90", ["facts_cut_off"], 91],
  [
    "last facts, and others since",
    "UPDATE facts SET hash = 'f' WHERE position = 100",
    ["hash_mismatch", "head_mismatch"],
    100,
  ],
] as const)("a changed %s is found", async (_name, sql, codes, position) => {
  const file = await twoStreams();
  tamper(file, sql);
  const found = await findings(file);
  expect(found.map(({ code }) => code)).toEqual(codes);
  expect(found[0]?.position).toBe(position);
});

test("a changed blob is found, and not given out", async () => {
  let sha256 = "";
  const file = await madeLog(async (log) => {
    sha256 = await log.putBlob(Buffer.from("what stood in the file"));
  });
  flipBit(file, "what stood");
  expect(await findings(file)).toMatchObject([{ code: "blob_mismatch", position: null }]);
  const log = await openForTest(file, quiet);
  await expect(log.getBlob(sha256)).rejects.toThrow(LogCorruptError);
});

test("a page that can't be read is a finding with the first bad position; what stands before is read", async () => {
  const file = await madeLog((log) => log.append("a", "none", newFacts(3_000)));
  const pages = new Sqlite(file);
  const leaf = pages
    .prepare<[], { pageno: number }>(
      "SELECT pageno FROM dbstat WHERE name = 'facts' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 20",
    )
    .get();
  pages.close();
  const bytes = readFileSync(file);
  bytes.fill(0xa5, ((leaf?.pageno ?? 0) - 1) * 4096, (leaf?.pageno ?? 0) * 4096);
  writeFileSync(file, bytes);

  const log = await openForTest(file, { ...quiet, readOnly: true });
  const found = await collect(log.verify());
  const unreadable = found.find(({ code }) => code === "unreadable");
  expect(unreadable).toMatchObject({ level: "error", position: expect.any(Number) as number });
  expect(found.every(({ level }) => level === "error")).toBe(true);

  const read: number[] = [];
  const reading = (async (): Promise<void> => {
    for await (const fact of log.readAll()) read.push(fact.position);
  })();
  await expect(reading).rejects.toThrow(LogCorruptError);
  await expect(reading).rejects.toMatchObject({ code: "LEMON_LOG_CORRUPT", position: unreadable?.position });
  expect(read).toEqual(Array.from({ length: (unreadable?.position ?? 0) - 1 }, (_, index) => index + 1));
});

test("a file whose first page is destroyed can't be opened as a log", async () => {
  const file = await twoStreams();
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 100, 4096);
  writeFileSync(file, bytes);
  await expect(openEventLog(file, quiet)).rejects.toThrow(LogCorruptError);
});

test("a flipped bit in the write-ahead log cuts history silently, and the head file tells", async () => {
  const file = temporaryFile();
  const log = await openEventLog(file, quiet);
  for (let version = 0; version < 60; version += 1)
    await log.append("a", version, [newFact(`needle-${version + 1}`)]);
  // As after a kill: the files as they are, nothing moved out of the write-ahead log by closing.
  const copy = `${file}.copy`;
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix);
  await log.close();
  copyFileSync(`${file}.head`, `${copy}.head`);
  flipBit(`${copy}-wal`, "needle-41");

  const warnings: string[] = [];
  const cut = await openForTest(copy, { onWarning: (message) => warnings.push(message) });
  const last = (await cut.info()).facts;
  expect(last).toBeLessThan(60);
  expect(warnings).toEqual([expect.stringContaining("position 60")]);
  const found = { code: "facts_cut_off", level: "error", stream: "a", version: 60, position: last + 1 };
  expect(await collect(cut.verify())).toEqual([expect.objectContaining(found)]);

  // Going on does not cover it up: neither before the old end is reached, nor after.
  await cut.append("a", last, newFacts(1));
  await cut.close();
  expect(await findings(copy)).toMatchObject([{ code: "facts_cut_off" }]);
  const again = await openForTest(copy, quiet);
  await again.append("a", last + 1, newFacts(100));
  await again.close();
  expect(await findings(copy)).toMatchObject([{ code: "head_mismatch", position: 60 }]);
});

test("a head file that can't be understood is a warning, and the next commit replaces it", async () => {
  const file = await twoStreams();
  writeFileSync(`${file}.head`, "{");
  expect(await findings(file)).toMatchObject([{ level: "warning", code: "head_unreadable" }]);
  const log = await openForTest(file, quiet);
  await log.append("a", 50, newFacts(1));
  await log.close();
  expect(await findings(file)).toEqual([]);
});

test("a log without its head file is sound as far as it goes", async () => {
  const file = await twoStreams();
  rmSync(`${file}.head`);
  expect(await findings(file)).toEqual([]);
});

test("a stored state whose bytes changed is a warning, and not given out", async () => {
  const snapshot = {
    stream: "a",
    name: "views",
    version: 1,
    writer: "w",
    text: '{"said":"what stood in the state"}',
  };
  const file = await madeLog(async (log) => {
    await log.append("a", "none", newFacts(1));
    await log.commit((work) => {
      work.saveSnapshot(snapshot);
      work.saveSnapshot({ ...snapshot, name: "other", text: "{}" });
    });
  });
  flipBit(file, "what stood");
  expect(await findings(file)).toMatchObject([{ code: "snapshot_mismatch", level: "warning", stream: "a" }]);
  const log = await openEventLog(file, { readOnly: true });
  expect((await log.loadSnapshots("a")).map(({ name }) => name)).toEqual(["other"]);
  await log.close();
});
