/** Bundles that somebody else made: whatever is wrong with them, they fail with a code and change nothing. */
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LemonError } from "../../src/errors.ts";
import { factHashOf, GENESIS, openEventLog, type EventLog } from "../../src/log/index.ts";
import { exportBundle, importBundle } from "../../src/replay/index.ts";
import { collect } from "../log/support/facts.ts";
import { scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";
import { rounds } from "../support/soak.ts";

let folder: string;
let source: EventLog;
let lines: string[];

beforeAll(async () => {
  folder = temporaryFolder();
  source = await openEventLog(path.join(folder, "source.db"));
  const turns = [
    { text: "Look", toolCalls: [{ name: "bash", args: { command: "printf '\\377out'" } }] },
    { text: "Done" },
  ];
  const runtime = await scriptedRuntime(source, turns, { home: folder });
  const session = await runtime.sessions.start({ sessionId: "s", model: "s/m" });
  await session.prompt("canary-prompt");
  await runtime.close();
  const file = path.join(folder, "s.lemon");
  await exportBundle(source, "s", file);
  lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n").slice(0, -1);
});
afterAll(async () => {
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function fileOf(content: string | Buffer): string {
  files += 1;
  const file = path.join(folder, `${files}.lemon`);
  writeFileSync(file, content);
  return file;
}

/** The lines with an end that fits them. */
function sealed(changed: readonly string[]): string {
  const body = changed
    .slice(0, -1)
    .map((line) => `${line}\n`)
    .join("");
  const sha256 = createHash("sha256").update(body).digest("hex");
  return `${body}${JSON.stringify({ record: "end", lines: changed.length - 1, sha256 })}\n`;
}

async function refusal(content: string | Buffer): Promise<string> {
  const log = await openEventLog(":memory:");
  try {
    const error: unknown = await importBundle(log, fileOf(content)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(await log.info()).toMatchObject({ facts: 0, streams: 0 });
    if (error === null) return "imported";
    expect(error).toBeInstanceOf(LemonError);
    return (error as LemonError).reason;
  } finally {
    await log.close();
  }
}

type Line = Record<string, unknown>;
const edited = (index: number, edit: (line: Line) => void): string[] =>
  lines.map((line, at) => {
    if (at !== index) return line;
    const value = JSON.parse(line) as Line;
    edit(value);
    return JSON.stringify(value);
  });

/** A chain that whoever made it computed rightly. */
function rechained(edit: (line: Line, version: number) => void): string {
  let previous = GENESIS;
  const made = lines.map((text) => {
    const line = JSON.parse(text) as Line;
    if (line["record"] !== "fact") return text;
    edit(line, line["version"] as number);
    const digest = createHash("sha256")
      .update(line["text"] as string)
      .digest("hex");
    previous = factHashOf(previous, line as never, digest);
    return JSON.stringify({ ...line, hash: previous });
  });
  return sealed(made);
}

test("unpacked, with the same lines, it is imported", async () => {
  const log = await openEventLog(":memory:");
  expect(await importBundle(log, fileOf(sealed(lines)))).toMatchObject({ added: lines.length - 3 });
  const hashes = async (of: EventLog): Promise<string[]> =>
    (await collect(of.read("session-s"))).map(({ hash }) => hash);
  expect(await hashes(log)).toEqual(await hashes(source));
  await log.close();
});

test("any bit that is turned in the packed file, and any cut, is refused", async () => {
  const packed = gzipSync(sealed(lines));
  const property = fc.asyncProperty(fc.nat(packed.length * 8 - 1), fc.boolean(), async (bit, isCut) => {
    const bytes = Buffer.from(packed);
    const at = bit >> 3;
    // The header of gzip holds a time and a system, which change nothing.
    fc.pre(at > 9);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit & 7)), at);
    expect(await refusal(isCut ? packed.subarray(0, at) : bytes)).toBe("bundle_invalid");
  });
  await fc.assert(property, { numRuns: rounds(40, 400, 4000) });
});

test("any line that is left out, doubled or moved is refused, also when the end was made to fit", async () => {
  const index = fc.integer({ min: 0, max: lines.length - 2 });
  const property = fc.asyncProperty(
    index,
    index,
    fc.constantFrom("leave", "double", "swap"),
    async (a, b, how) => {
      fc.pre(how !== "swap" || a !== b);
      const changed = [...lines];
      const line = changed[a] ?? "";
      if (how === "leave") changed.splice(a, 1);
      else if (how === "double") changed.splice(b, 0, line);
      else [changed[a], changed[b]] = [changed[b] ?? "", line];
      expect(await refusal(sealed(changed))).toBe("bundle_invalid");
    },
  );
  await fc.assert(property, { numRuns: rounds(40, 400, 4000) });
});

test.each<[string, () => string | Buffer, string]>([
  ["an empty file", () => "", "bundle_invalid"],
  ["a file of another kind", () => "hello\n", "bundle_invalid"],
  [
    "bytes that are not UTF-8",
    () => Buffer.concat([Buffer.from(sealed(lines)), Buffer.from([0xff, 0x0a])]),
    "bundle_invalid",
  ],
  ["more behind the end", () => `${sealed(lines)}${lines[1]}\n`, "bundle_invalid"],
  ["a newer format", () => sealed(edited(0, (line) => (line["lemonBundle"] = 2))), "bundle_newer"],
  ["a member that nobody knows", () => sealed(edited(1, (line) => (line["more"] = 1))), "bundle_invalid"],
  [
    "a stream that is no session's",
    () => rechained((line) => (line["stream"] = "features-1")),
    "bundle_invalid",
  ],
  [
    "a stream that is named like a path",
    () => rechained((line) => (line["stream"] = "background-../x")),
    "bundle_invalid",
  ],
  [
    "both a text and a digest",
    () => sealed(edited(1, (line) => (line["sha256"] = GENESIS))),
    "bundle_invalid",
  ],
  [
    "data in a bundle that says it has none",
    () => sealed(edited(0, (line) => (line["isRedacted"] = true))),
    "bundle_invalid",
  ],
  [
    "facts of a newer schema",
    () =>
      rechained((line, version) => {
        if (version === 1) line["schemaVersion"] = 99;
      }),
    "schema_newer",
  ],
  [
    "data that its type can't have",
    () =>
      rechained((line, version) => {
        if (version === 1) line["text"] = '{"cwd":1}';
      }),
    "bundle_invalid",
  ],
  [
    "data that is not JSON",
    () =>
      rechained((line, version) => {
        if (version === 2) line["text"] = "{";
      }),
    "bundle_invalid",
  ],
  [
    "data nested 100,000 deep",
    () =>
      rechained((line, version) => {
        if (version === 2) Object.assign(line, { type: "x.y", text: "[".repeat(1e5) + "]".repeat(1e5) });
      }),
    "bundle_invalid",
  ],
  [
    "a session id that is not its stream's",
    () =>
      rechained((line, version) => {
        if (version === 1)
          line["text"] = (line["text"] as string).replace('"sessionId":"s"', '"sessionId":"t"');
      }),
    "bundle_invalid",
  ],
  [
    "half a character",
    () =>
      rechained((line, version) => {
        if (version === 2) Object.assign(line, { type: "x.y", text: '"\ud800"' });
      }),
    "bundle_invalid",
  ],
  ["a line without end", () => gzipSync(Buffer.alloc(70 * 1024 * 1024, "a")), "bundle_invalid"],
])("%s is refused", async (_what, make, reason) => {
  expect(await refusal(make())).toBe(reason);
});

test("a name such as __proto__ in data stays data", async () => {
  const log = await openEventLog(":memory:");
  const content = rechained((line, version) => {
    if (version === 2) Object.assign(line, { type: "x.y", text: '{"__proto__":{"polluted":true}}' });
  });
  await importBundle(log, fileOf(content));
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  await log.close();
});

test("a log with the first facts gets the rest; one with others refuses, and keeps what it has", async () => {
  const all = await collect(source.read("session-s"));
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: all.length }),
    fc.boolean(),
    async (to, isOther) => {
      const log = await openEventLog(":memory:");
      const first = all
        .slice(0, to)
        .map(({ position: _p, stream: _s, version: _v, hash: _h, ...fact }) => fact);
      const last = first.at(-1);
      if (isOther && last !== undefined) first[to - 1] = { ...last, at: last.at + 1 };
      await log.append("session-s", "none", first);
      const before = await log.info();
      const importing = importBundle(log, fileOf(sealed(lines)));
      if (isOther) {
        await expect(importing).rejects.toMatchObject({ reason: "bundle_conflict", version: to });
        expect((await log.info()).facts).toBe(before.facts);
      } else {
        expect(await importing).toMatchObject({ added: all.length - to });
        const hashes = (await collect(log.read("session-s"))).map(({ hash }) => hash);
        expect(hashes).toEqual(all.map(({ hash }) => hash));
      }
      await log.close();
    },
  );
  await fc.assert(property, { numRuns: rounds(15, 150, 1500) });
});

test("a stream that somebody leads does not grow from a bundle", async () => {
  const log = await openEventLog(":memory:");
  const [{ position: _p, stream: _s, version: _v, hash: _h, ...first } = {} as never] = await collect(
    source.read("session-s", { to: 1 }),
  );
  await log.append("session-s", "none", [first]);
  await log.claim("session-s", await log.acquire("runtime-x", "somebody", 60_000));
  await expect(importBundle(log, fileOf(sealed(lines)))).rejects.toMatchObject({ reason: "session_busy" });
  await log.close();
});
