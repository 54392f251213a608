import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { build } from "esbuild";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createMemory,
  type LocalMemory,
  localMemory,
  type MemoryDocument,
  type MemoryScope,
  MemoryUnavailableError,
} from "../../src/providers/index.ts";
import { silentLogger } from "../../src/ports.ts";
import { systemClock } from "../../src/supervision/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

const root = path.resolve(import.meta.dirname, "../..");
/** From here, packages are found. */
const cache = path.join(root, "node_modules/.cache");

/** Puts 50 documents into a file, as fast as it can. */
const victim = `
  import { localMemory } from "./src/providers/memory/local.ts";
  import { systemClock } from "./src/supervision/clock.ts";
  const [, , file, who] = process.argv;
  const local = localMemory({ file, clock: systemClock });
  const options = { scope: "all", limit: 1, signal: AbortSignal.timeout(20_000), config: {} };
  for (let index = 0; index < 50; index += 1)
    await local.put({ id: who + index, scope: "all", content: "word", createdAt: index, metadata: {} }, options);
  local.close();
`;

let home = "";
let file = "";
let local: LocalMemory;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "lemon-memory-"));
  file = path.join(home, "deep", "memory.db");
  local = localMemory({ file, clock: new ManualClock() });
});
afterEach(() => {
  local.close();
  rmSync(home, { recursive: true, force: true });
});

const options = (scope: MemoryScope = "all", limit = 10) => ({
  scope,
  limit,
  signal: new AbortController().signal,
  config: {},
});
const put = (id: string, content: string, more: Partial<MemoryDocument> = {}): Promise<void> =>
  local.put(
    { id, scope: "workspace", content, createdAt: 1, metadata: {}, ...more },
    options(more.scope ?? "workspace"),
  );
const idsFor = async (query: string, scope?: MemoryScope): Promise<string[]> =>
  (await local.search(query, options(scope))).map(({ id }) => id);

describe("the built-in memory", () => {
  it("makes its file, for its owner alone, with the first document and not before", async () => {
    expect(await idsFor("anything")).toEqual([]);
    expect(existsSync(path.dirname(file))).toBe(false);
    await put("a", "anything goes");
    expect(await idsFor("anything")).toEqual(["a"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("gives back what it was given, also after it was closed", async () => {
    const metadata = { tags: ["x"], __proto__x: null, n: 1.5 };
    await put("a", "naïve café", { createdAt: 1_700_000_000_000.5, metadata, scope: "agent" });
    local.close();
    expect(await local.search("cafe", options())).toEqual([
      { id: "a", scope: "agent", content: "naïve café", createdAt: 1_700_000_000_000.5, metadata },
    ]);
  });

  it("has a document with a known id take the other's place", async () => {
    await put("a", "old words");
    await put("a", "new words", { scope: "session", createdAt: 2 });
    expect([await idsFor("old"), await idsFor("new")]).toEqual([[], ["a"]]);
  });

  it("finds any of the words, those that fit best first, and no more than asked for", async () => {
    await put("one", "the deploy script failed");
    await put("both", "deploy key rotation");
    await put("none", "lunch");
    expect(await idsFor("key deploy")).toEqual(["both", "one"]);
    expect(await local.search("key deploy", options("all", 1))).toHaveLength(1);
  });

  it("looks in a scope for what is of it and of all, and in all for everything", async () => {
    for (const scope of ["session", "agent", "workspace", "all"] as const)
      await put(scope, "word", { scope });
    expect((await idsFor("word", "session")).toSorted()).toEqual(["all", "session"]);
    expect((await idsFor("word", "all")).toSorted()).toEqual(["agent", "all", "session", "workspace"]);
  });

  it("takes a very long query", async () => {
    await put("a", "foo-bar baz");
    expect(await idsFor("x ".repeat(5_000))).toEqual([]);
  });

  it.each([
    ["foo-bar", ["a"]],
    ["content:foo", []],
    ['"foo', ["a"]],
    ["foo AND", ["a"]],
    ["NOT foo", ["a"]],
    ["NEAR(foo bar)", ["a"]],
    ["foo*", ["a"]],
    ["fo*", []],
    ["FOO", ["a"]],
    ["foo\0bar", ["a"]],
    ["-- ? ()", []],
    ["", []],
  ])("takes %j for words and nothing else", async (query, expected) => {
    await put("a", "foo-bar baz");
    expect(await idsFor(query)).toEqual(expected);
  });

  it("answers any query at all", async () => {
    await put("a", "foo-bar baz");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (query) => {
        expect(await idsFor(`${query} baz`)).toEqual(["a"]);
      }),
    );
  });
});

describe("a file that goes away", () => {
  it("is made again with the next document", async () => {
    await put("a", "word");
    rmSync(path.dirname(file), { recursive: true });
    expect(await idsFor("word")).toEqual([]);
    await put("b", "word");
    expect(await idsFor("word")).toEqual(["b"]);
    local.close();
    expect(await idsFor("word")).toEqual(["b"]);
  });
});

describe("a file that can't be used", () => {
  const failing = async (): Promise<unknown[]> => [
    await put("a", "word").catch((error: unknown) => error),
    await local.search("word", options()).catch((error: unknown) => error),
  ];

  it("because it is no database is refused and not touched", async () => {
    mkdirSync(path.dirname(file));
    writeFileSync(file, "not a database, but a text that somebody needs".repeat(50));
    const before = readFileSync(file);
    for (const error of await failing()) expect(error).toMatchObject({ code: "SQLITE_NOTADB" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("because it is another program's is refused and not touched", async () => {
    mkdirSync(path.dirname(file));
    new Sqlite(file).exec("CREATE TABLE bookmarks (url)").close();
    const before = readFileSync(file);
    for (const error of await failing()) expect(error).toBeInstanceOf(MemoryUnavailableError);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("because a newer version wrote it is refused", async () => {
    await put("a", "word");
    local.close();
    const db = new Sqlite(file);
    db.pragma("user_version = 99");
    db.close();
    for (const error of await failing()) expect(error).toMatchObject({ code: "LEMON_MEMORY_UNAVAILABLE" });
  });

  it("because it is a directory is refused", async () => {
    mkdirSync(file, { recursive: true });
    for (const error of await failing()) expect(error).toBeInstanceOf(MemoryUnavailableError);
  });

  it("because it was damaged is that provider's failure, and is used again once it is mended", async () => {
    for (let index = 0; index < 200; index += 1) await put(`d${index}`, `word number ${index}`);
    local.close();
    const whole = readFileSync(file);
    writeFileSync(file, Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 0x5a)]));
    const team = { put: () => undefined, search: () => [] };
    const lines: object[] = [];
    const memory = createMemory({
      providers: [
        { id: "local", provider: local, source: "builtin" },
        { id: "team", provider: team, source: "extension:team" },
      ],
      clock: systemClock,
      logger: { ...silentLogger, warn: (fields) => void lines.push(fields) },
      mask: (value) => value,
    });
    memory.put({ id: "a", scope: "all", content: "word", createdAt: 1, metadata: {} });
    expect(await memory.search("word")).toEqual([]);
    await memory.settled();
    expect(lines).toEqual([
      expect.objectContaining({
        provider: "local",
        operation: "put",
        failure: expect.stringMatching(/^SQLITE_/),
      }),
      expect.objectContaining({
        provider: "local",
        operation: "search",
        failure: expect.stringMatching(/^SQLITE_/),
      }),
    ]);
    writeFileSync(file, whole);
    expect(await memory.search("number")).toHaveLength(5);
  });

  it("because its folder can't be made is that provider's failure", async () => {
    writeFileSync(path.dirname(file), "a file where a folder should be");
    const [refused] = await failing();
    expect(refused).toMatchObject({ code: "ENOTDIR" });
  });

  it.skipIf(process.getuid?.() === 0)("because it is write-protected can still be searched", async () => {
    await put("a", "word");
    local.close();
    const { chmodSync } = await import("node:fs");
    chmodSync(file, 0o400);
    expect(await idsFor("word")).toEqual(["a"]);
    await expect(put("b", "word")).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_READONLY/) });
  });
});

describe("a file that another process uses", () => {
  it("is waited for without keeping the thread, and given up at the deadline", async () => {
    await put("a", "word");
    const other = new Sqlite(file);
    other.exec("BEGIN IMMEDIATE");
    const clock = new ManualClock();
    const waiting = localMemory({ file, clock });
    const abort = new AbortController();
    const putting = waiting.put(
      { id: "b", scope: "all", content: "word", createdAt: 2, metadata: {} },
      { ...options(), signal: abort.signal },
    );
    await expect.poll(() => clock.pending).toBe(1);
    expect(await idsFor("word")).toEqual(["a"]);
    other.exec("COMMIT");
    clock.advance(25);
    await putting;
    expect((await idsFor("word")).toSorted()).toEqual(["a", "b"]);

    other.exec("BEGIN IMMEDIATE");
    abort.abort();
    const late = waiting.put(
      { id: "c", scope: "all", content: "word", createdAt: 2, metadata: {} },
      { ...options(), signal: abort.signal },
    );
    await expect(late).rejects.toMatchObject({ code: "SQLITE_BUSY" });
    other.close();
    waiting.close();
  });

  it("takes the documents of several processes that begin at once", async () => {
    const script = path.join(cache, `memory-${process.pid}.mjs`);
    await build({
      stdin: { contents: victim, resolveDir: root, loader: "ts" },
      outfile: script,
      bundle: true,
      format: "esm",
      platform: "node",
    });
    const exits = ["a", "b", "c"].map(
      (who) =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, [script, file, who], {
            stdio: ["ignore", "inherit", "inherit"],
          });
          child.on("exit", resolve);
        }),
    );
    expect(await Promise.all(exits)).toEqual([0, 0, 0]);
    rmSync(script);
    expect(await local.search("word", options("all", 1_000))).toHaveLength(150);
  });
});
