import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { later, Place } from "./place.ts";

const sha = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const MIB = 1024 * 1024;

/** The same workspace and cache, from another runtime. */
const second = (place: Place, options = {}): Place =>
  new Place({ cacheFile: place.cacheFile, inProcess: later, ...options }, place.folder);

function query(place: Place, sql: string): unknown[] {
  const db = new Sqlite(place.cacheFile, { readonly: true });
  try {
    return db.prepare(sql).pluck().all();
  } finally {
    db.close();
  }
}

describe("the cache", () => {
  it("saves reading what has not changed, also for the next runtime", async () => {
    const place = new Place({ inProcess: later });
    place.write({ "a.txt": "a", "b.txt": "b" });
    await place.around(() => undefined);
    await place.scanner.close();
    const other = second(place, { limits: { readBytes: 1 } });
    const outcome = await other.around(() => other.write({ "b.txt": "c" }));
    expect(outcome).toMatchObject({ coverage: "full", files: [{ beforeSha256: sha("b") }] });
  });

  it("is for the user's eyes only", async () => {
    const place = new Place();
    await place.around(() => undefined);
    for (const name of readdirSync(dirname(place.cacheFile)))
      expect(statSync(join(dirname(place.cacheFile), name)).mode & 0o077).toBe(0);
  });

  it("leaves nothing of a window that has ended", async () => {
    const place = new Place({ inProcess: later });
    place.write({ "a.txt": "a" });
    const window = await place.open();
    place.write({ "a.txt": "bb" });
    const inner = await place.open();
    await inner.discard();
    expect(query(place, "SELECT count(*) FROM entry WHERE until IS NOT NULL")).toEqual([1]);
    await window.close();
    expect(query(place, "SELECT count(*) FROM call_window")).toEqual([0]);
    expect(query(place, "SELECT count(*) FROM entry WHERE until IS NOT NULL")).toEqual([0]);
    expect(query(place, "SELECT sha256 FROM kept")).toEqual([sha("a")]);
    await window.discard();
    expect(query(place, "SELECT sha256 FROM kept")).toEqual([]);
  });

  it.each([
    ["an empty file", () => ""],
    ["a text", () => "this is my diary"],
    ["noise", () => randomBytes(100_000)],
    [
      "another program's database",
      (file: string) => (new Sqlite(file).exec("CREATE TABLE t (x)").close(), null),
    ],
  ])("takes the place of %s", async (_, make) => {
    const place = new Place();
    const content = make(place.cacheFile);
    if (content !== null) writeFileSync(place.cacheFile, content);
    place.write({ "a.txt": "a" });
    const outcome = await place.around(() => place.write({ "a.txt": "b" }));
    expect(outcome).toMatchObject({ coverage: "full", files: [{ beforeSha256: sha("a") }] });
    expect(query(place, "SELECT count(*) FROM content")).toEqual([2]);
  });

  it.each([
    ["a folder in its place", (file: string) => mkdirSync(file)],
    ["no folder to be in", (file: string) => rmSync(dirname(file), { recursive: true })],
  ])("does without a file when there is %s", async (_, spoil) => {
    const place = new Place();
    spoil(place.cacheFile);
    place.write({ "a.txt": "a" });
    const window = await place.open();
    place.write({ "a.txt": "b" });
    expect(await window.close()).toMatchObject({ coverage: "full", files: [{ beforeSha256: sha("a") }] });
    expect(Buffer.from((await window.bytes(sha("a"))) ?? "").toString()).toBe("a");
  });

  it("may be deleted in the midst of a call, and is made anew by the next", async () => {
    const place = new Place({ inProcess: later });
    place.write({ "a.txt": "a" });
    const window = await place.open();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(place.cacheFile + suffix, { force: true });
    place.write({ "a.txt": "bb" });
    expect(await window.close()).toMatchObject({ coverage: "full", files: [{ beforeSha256: sha("a") }] });
    expect(Buffer.from((await window.bytes(sha("a"))) ?? "").toString()).toBe("a");
    const next = await place.around(() => place.write({ "a.txt": "ccc" }));
    expect(next).toMatchObject({ coverage: "full", files: [{ beforeSha256: sha("bb") }] });
    expect(existsSync(place.cacheFile)).toBe(true);
    expect(Buffer.from((await window.bytes(sha("a"))) ?? "").toString()).toBe("a");
  });

  it.each([
    ["overwritten", (file: string) => writeFileSync(file, randomBytes(statSync(file).size), { flag: "r+" })],
    ["cut off", (file: string) => truncateSync(file, 5_000)],
  ])("may be %s in the midst of a call: what changed is known all the same", async (_, spoil) => {
    const place = new Place({ inProcess: later });
    const noise = randomBytes(3_000_000).toString("hex");
    place.write({ "a.txt": "a", "noise.txt": noise });
    await place.around(() => undefined);
    const window = await place.open();
    new Sqlite(place.cacheFile).pragma("wal_checkpoint(TRUNCATE)");
    spoil(place.cacheFile);
    place.write({ "a.txt": "bb" });
    const outcome = await window.close();
    expect(outcome.files).toMatchObject([{ beforeSha256: sha("a"), afterSha256: sha("bb") }]);
    const bytes = await window.bytes(sha("a"));
    if (bytes !== null) expect(Buffer.from(bytes).toString()).toBe("a");
    const next = await place.open();
    place.write({ "a.txt": "ccc" });
    expect((await next.close()).files).toMatchObject([{ beforeSha256: sha("bb"), afterSha256: sha("ccc") }]);
    const third = await place.open();
    place.write({ "a.txt": "dddd" });
    await third.close();
    expect(Buffer.from((await third.bytes(sha("ccc"))) ?? "").toString()).toBe("ccc");
  });

  it("does not give bytes that are not what their hash says", async () => {
    const place = new Place({ inProcess: later });
    place.write({ "a.txt": "a" });
    const window = await place.open();
    const db = new Sqlite(place.cacheFile);
    db.exec("UPDATE content SET bytes = x'00'");
    db.close();
    place.write({ "a.txt": "bb" });
    await window.close();
    expect(await window.bytes(sha("a"))).toBeNull();
    const again = await place.open();
    place.write({ "a.txt": "ccc" });
    await again.close();
    expect(Buffer.from((await again.bytes(sha("bb"))) ?? "").toString()).toBe("bb");
  });

  it("stays below its size: old versions and idle workspaces go, what a window needs stays", async () => {
    const cacheBytes = 4 * MIB;
    let clock = Date.now() + 60_000;
    const inProcess = { now: () => (clock += 1_000), monotonic: () => performance.now() };
    const idle = new Place({ limits: { cacheBytes }, inProcess });
    idle.write({ "idle.bin": randomBytes(400_000).toString("hex") });
    await idle.around(() => undefined);
    const place = new Place({ cacheFile: idle.cacheFile, limits: { cacheBytes }, inProcess });
    const first = randomBytes(250_000).toString("hex");
    place.write({ "needed.txt": first });
    const window = await place.open("session-s:needed");
    for (let version = 0; version < 20; version += 1) {
      await place.around(() => place.write({ "needed.txt": randomBytes(250_000 + version).toString("hex") }));
      expect(statSync(place.cacheFile).size).toBeLessThanOrEqual(cacheBytes);
    }
    expect(query(place, "SELECT path FROM root")).toEqual([place.root]);
    await window.close();
    expect(sha(Buffer.from((await window.bytes(sha(first))) ?? ""))).toBe(sha(first));
  });

  it("that is too small for the workspace holds the smallest files, and says so", async () => {
    const place = new Place({ limits: { cacheBytes: MIB }, inProcess: later });
    const large = "x".repeat(900_000);
    const small = "y".repeat(1_000);
    place.write({ "large.txt": large, "larger.txt": `${large}x`, "small.txt": small });
    const window = await place.open();
    place.write({ "large.txt": "1", "larger.txt": "2", "small.txt": "3" });
    const outcome = await window.close();
    expect(outcome.coverageReasons).toEqual(["byte_limit"]);
    for (const { beforeSha256 } of outcome.files) {
      if (beforeSha256 !== null) expect(await window.bytes(beforeSha256)).not.toBeNull();
    }
    expect(outcome.files.find(({ path }) => path.endsWith("small.txt"))?.beforeSha256).toBe(sha(small));
  });

  it("is shared: each runtime sees what the other has read, and its own windows", async () => {
    const one = new Place({ inProcess: later });
    const two = second(one);
    one.write({ "a.txt": "1" });
    const first = await one.open("one");
    one.write({ "a.txt": "22" });
    const other = await two.open("two");
    one.write({ "a.txt": "333" });
    expect((await first.close()).files).toMatchObject([{ beforeSha256: sha("1"), afterSha256: sha("333") }]);
    expect((await other.close()).files).toMatchObject([{ beforeSha256: sha("22"), afterSha256: sha("333") }]);
    expect(Buffer.from((await first.bytes(sha("1"))) ?? "").toString()).toBe("1");
    const third = await one.around(() => one.write({ "a.txt": "4444" }));
    expect(third.files).toMatchObject([{ beforeSha256: sha("333") }]);
  });

  it("waits for nobody long: with a lock on it scans go on", async () => {
    const place = new Place({ inProcess: later });
    place.write({ "a.txt": "a" });
    await place.around(() => undefined);
    const db = new Sqlite(place.cacheFile);
    db.exec("BEGIN IMMEDIATE");
    const outcome = await place.around(() => place.write({ "a.txt": "bb" }));
    db.exec("ROLLBACK");
    db.close();
    expect(outcome.files).toMatchObject([{ beforeSha256: sha("a"), afterSha256: sha("bb") }]);
    expect(readFileSync(join(place.root, "a.txt"), "utf8")).toBe("bb");
  });
});
