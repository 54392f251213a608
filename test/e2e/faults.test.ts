/** What a user of the command sees when the log's file or disk is at fault: a clear message, a status that is not 0, nothing cut. */
import Sqlite from "better-sqlite3";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { Lemon, type Ended, type Line } from "../crash/lemon.ts";
import { privateBuild } from "../crash/victim.ts";
import { temporaryFolder } from "../support/runtimes.ts";

const timeout = 120_000;
const isRoot = process.getuid?.() === 0;
/** Root may write anything: where permissions are looked at, the command runs as this user. */
const nobody = isRoot ? 65_534 : undefined;
const build = privateBuild("faults");
const seeds = temporaryFolder();
afterAll(() => build.remove());

/** The homes of a finished session: with everything in one file, and with its newest facts still in the WAL. */
const seed = { settled: path.join(seeds, "settled"), fresh: path.join(seeds, "fresh") };

beforeAll(async () => {
  chmodSync(path.dirname(build.dist), 0o755);
  for (const folder of Object.values(seed)) mkdirSync(folder);
  // The folder that the session worked in is looked into by whoever goes on with it.
  chmodSync(seeds, 0o755);
  const home = path.join(seeds, "home");
  await session(home, "first");
  for (const name of ["log.db", "log.db.head"])
    copyFileSync(path.join(home, name), path.join(seed.settled, name));
  // While somebody reads, the last writer leaves its WAL in place.
  const reader = await openEventLog(path.join(home, "log.db"), { readOnly: true });
  await session(home, "second");
  for (const name of ["log.db", "log.db-wal", "log.db.head"])
    copyFileSync(path.join(home, name), path.join(seed.fresh, name));
  await reader.close();
}, timeout);

async function session(home: string, id: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  const cwd = path.join(home, "work");
  mkdirSync(cwd, { recursive: true });
  const script = path.join(home, "script.json");
  const bash = { name: "bash", args: { command: `seq 1 400; echo marker-${id}` } };
  writeFileSync(
    script,
    JSON.stringify({
      turns: [...Array.from({ length: 8 }, () => ({ toolCalls: [bash] })), { text: "Done." }],
    }),
  );
  const ended = await new Lemon(build.dist, home, { cwd }).run(
    "run",
    "Go",
    "--script",
    script,
    "--session",
    id,
    "--approve",
    "auto",
  );
  expect(ended).toMatchObject({ status: 0 });
}

/** A home of its own for one fault, as it is in a seed. */
function damaged(from: string, damage: (log: string) => void = () => undefined): Lemon {
  const home = path.join(temporaryFolder(), "home");
  mkdirSync(home, { mode: 0o755 });
  chmodSync(path.dirname(home), 0o755);
  for (const name of ["log.db", "log.db-wal", "log.db.head"]) {
    if (existsSync(path.join(from, name))) copyFileSync(path.join(from, name), path.join(home, name));
  }
  damage(path.join(home, "log.db"));
  return new Lemon(build.dist, home, { cwd: home });
}

/** The command as a user who owns nothing here. */
function asNobody(lemon: Lemon, ...args: string[]): Promise<Ended> {
  return lemon.start(args, nobody === undefined ? {} : { uid: nobody }).ended;
}

/** Stands in the data of each result of a tool, and nowhere else. */
const IN_A_FACT = 'trusted"';

const codeOf = ({ lines }: Ended): unknown =>
  (lines.at(-1)?.["error"] as { code?: string } | undefined)?.code;

function findingsOf({ lines }: Ended): readonly Line[] {
  return lines[0]?.["findings"] as readonly Line[];
}

/** Turns over one bit of the first place behind `from` where the bytes are found. */
function flip(file: string, found: string, from = 0): number {
  const bytes = readFileSync(file);
  const place = bytes.indexOf(found, from);
  expect(place).toBeGreaterThan(0);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  return place;
}

const prompt = ["run", "And now?", "--session", "first"];

describe("the log", { timeout }, () => {
  test("as it was copied is sound, its newest facts still in the WAL", async () => {
    for (const from of Object.values(seed)) {
      const verify = await damaged(from).run("--json", "verify");
      expect({ status: verify.status, findings: findingsOf(verify) }).toEqual({ status: 0, findings: [] });
    }
    expect(statSync(path.join(seed.fresh, "log.db-wal")).size).toBeGreaterThan(10_000);
  });

  test("with a flipped bit in a payload: verify names the fact, and what stands before it can be read", async () => {
    const lemon = damaged(seed.settled, (log) => flip(log, IN_A_FACT));
    const verify = await lemon.run("--json", "verify");
    expect(verify.status).toBe(1);
    const [finding] = findingsOf(verify);
    expect(finding).toMatchObject({ level: "error", code: "hash_mismatch", stream: "session-first" });
    const told = await lemon.run("verify");
    expect(told.status).toBe(1);
    expect(told.stdout).toContain(String(finding?.["message"]));
    // The bit made other text, which is still JSON: it is shown as it is, and the replay does not take it for the truth.
    const facts = await lemon.run("--json", "facts", "first");
    expect(facts.lines.map(({ version }) => version)).toEqual(facts.lines.map((_line, index) => index + 1));
  });

  test("with a flipped bit in the WAL, which cuts off history: verify says from where on", async () => {
    const lemon = damaged(seed.fresh, (log) => flip(`${log}-wal`, "prompt.submitted"));
    const verify = await lemon.run("--json", "verify");
    expect(verify.status).toBe(1);
    expect(findingsOf(verify)).toMatchObject([{ level: "error", code: "facts_cut_off" }]);
    const run = await lemon.run(
      "run",
      "And now?",
      "--session",
      "first",
      "--script",
      path.join(seeds, "home/script.json"),
    );
    expect(run.stderr).toContain("facts were lost");
  });

  test("with a page of rubbish: a typed error, the readable prefix, and nothing silently cut", async () => {
    const lemon = damaged(seed.settled, (log) => {
      const bytes = readFileSync(log);
      const page = Math.floor(bytes.lastIndexOf(IN_A_FACT) / 4_096) * 4_096;
      bytes.fill(0xa5, page, page + 4_096);
      writeFileSync(log, bytes);
    });
    const whole = (await damaged(seed.settled).run("--json", "facts", "first")).lines;
    const verify = await lemon.run("--json", "verify");
    expect(verify.status).toBe(1);
    const first = findingsOf(verify).find(({ position }) => position !== null);
    expect(first).toMatchObject({ level: "error" });
    const facts = await lemon.run("--json", "facts", "first");
    expect(facts.status).toBe(1);
    expect(codeOf(facts)).toBe("LEMON_LOG_CORRUPT");
    expect(facts.stderr).toContain("lemon verify");
    const read = facts.lines.slice(0, -1);
    expect(read).toEqual(whole.slice(0, read.length));
  });

  test("of a newer version is refused with both versions, and not touched", async () => {
    const lemon = damaged(seed.settled, (log) => {
      const db = new Sqlite(log);
      db.pragma("user_version = 99");
      db.close();
    });
    const log = path.join(lemon.home, "log.db");
    const before = readFileSync(log);
    for (const args of [["verify"], ["facts", "first"], prompt]) {
      const ended = await lemon.run("--json", ...args);
      expect({ status: ended.status, code: codeOf(ended) }).toEqual({ status: 1, code: "LEMON_LOG_NEWER" });
      expect(ended.stderr).toMatch(/format version 99.*knows 3/);
    }
    expect(readFileSync(log).equals(before)).toBe(true);
  });

  test("that may only be read can be read, and a run says what it may not write", async () => {
    const lemon = damaged(seed.settled, (log) => chmodSync(log, 0o444));
    chmodSync(lemon.home, 0o555);
    expect(await asNobody(lemon, "verify")).toMatchObject({ status: 0 });
    expect(await asNobody(lemon, "facts", "first")).toMatchObject({ status: 0 });
    const run = await asNobody(lemon, "--json", ...prompt);
    expect({ status: run.status, code: codeOf(run) }).toEqual({ status: 1, code: "LEMON_LOG_READ_ONLY" });
    expect(run.stderr).toContain(path.join(lemon.home, "log.db"));
  });

  test("without permission: every command names the file", async () => {
    const lemon = damaged(seed.settled, (log) => chmodSync(log, 0o000));
    for (const args of [["verify"], ["facts", "first"], prompt]) {
      const ended = await asNobody(lemon, "--json", ...args);
      expect({ status: ended.status, code: codeOf(ended) }).toEqual({
        status: 1,
        code: "LEMON_LOG_UNAVAILABLE",
      });
      expect(ended.stderr).toContain(`no permission to read ${path.join(lemon.home, "log.db")}`);
    }
  });
});

describe("a disk that fills up", { timeout }, () => {
  const disk = path.join(temporaryFolder(), "disk");
  let mounted = false;
  beforeAll(() => {
    mounted = isRoot && mount();
  });
  afterAll(() => {
    if (mounted) spawnSync("umount", [disk]);
  });

  function mount(): boolean {
    mkdirSync(disk);
    return spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]).status === 0;
  }

  test("suspends the session, which goes on by itself when there is space", async ({ skip }) => {
    skip(!mounted, "only root can mount a small disk");
    const home = path.join(disk, "home");
    const cwd = temporaryFolder();
    const filler = path.join(disk, "filler");
    const script = path.join(cwd, "script.json");
    const fill = {
      name: "bash",
      args: { command: `echo once >> counter.txt; head -c 16m /dev/zero > ${filler}; seq 1 2000` },
    };
    const read = { name: "bash", args: { command: "echo twice >> counter.txt; seq 1 2000" } };
    const turns = [
      { toolCalls: [fill] },
      ...Array.from({ length: 3 }, () => ({ toolCalls: [read] })),
      { text: "Done." },
    ];
    writeFileSync(script, JSON.stringify({ turns }));
    const lemon = new Lemon(build.dist, home, { cwd });
    const running = lemon.start(["run", "Go", "--script", script, "--session", "s", "--approve", "auto"], {
      onStderr: (text) => {
        if (text.includes("goes on by itself")) rmSync(filler, { force: true });
      },
    });
    const ended = await running.ended;
    expect(ended).toMatchObject({ status: 0, stdout: "Done.\n" });
    expect(ended.stderr).toContain(`no space left to write ${path.join(home, "log.db")}`);
    expect(ended.stderr).toContain("goes on by itself");
    expect(existsSync(filler)).toBe(false);
    expect(readFileSync(path.join(cwd, "counter.txt"), "utf8")).toBe("once\ntwice\ntwice\ntwice\n");
    expect(findingsOf(await lemon.run("--json", "verify"))).toEqual([]);
    expect((await lemon.run("--json", "replay", "s")).lines).toMatchObject([{ divergences: [] }]);
  });

  test("is named when a session can't even begin", async ({ skip }) => {
    skip(!mounted, "only root can mount a small disk");
    writeFileSync(path.join(disk, "seed.json"), JSON.stringify({ turns: [{ text: "Done." }] }));
    const filler = path.join(disk, "filler");
    spawnSync("sh", ["-c", `head -c 16m /dev/zero > ${filler}`]);
    const lemon = new Lemon(build.dist, path.join(disk, "other"), { cwd: disk });
    const ended = await lemon.run("--json", "run", "Go", "--script", path.join(disk, "seed.json"));
    rmSync(filler);
    expect({ status: ended.status, code: codeOf(ended) }).toEqual({ status: 1, code: "LEMON_LOG_FULL" });
  });
});
