import fc from "fast-check";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LemonError } from "../../src/errors.ts";
import { leaseOwner } from "../../src/log/index.ts";
import { bisect, materialise, type BisectOptions } from "../../src/replay/index.ts";
import { rounds } from "../support/soak.ts";
import { temporaryFolder } from "../support/runtimes.ts";
import { changes, ranSession, treeOf, type Change, type Ran } from "./history-rig.ts";

const write = (name: string, text: string): Change => ({ do: "write", path: name, text });
let work = "";
const options = (given: BisectOptions): BisectOptions => ({
  workDir: work,
  env: { PATH: process.env["PATH"] },
  ...given,
});
/** Versions at which calls ended, in order. */
const ends = ({ trees }: Ran): number[] => [...trees.keys()];

beforeEach(() => {
  work = temporaryFolder();
});
afterEach(() => {
  expect(readdirSync(work)).toEqual([]);
});

describe("a check that is run", () => {
  test("finds a planted fault at exactly its call, in few enough runs, and leaves the workspace alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 9 }), fc.nat(), async (calls, place) => {
        const at = place % calls.length;
        const planted = calls.map((call, index) => [
          ...call,
          // Each call changes something, so that each is worth a run.
          write("tick", String(index)),
          ...(index === at ? [write("fault", "x")] : []),
        ]);
        const ran = await ranSession(planted);
        const before = treeOf(ran.workspace);
        const found = await bisect(ran.log, ran.sessionId, options({ run: "test ! -e fault" }));
        expect(found.version).toBe(ends(ran)[at]);
        expect(found.fact).toMatchObject({ version: found.version, type: "tool_call.returned" });
        expect(found.runs).toBeLessThanOrEqual(Math.ceil(Math.log2(calls.length)) + 2);
        expect(found.call).toMatchObject({ tool: "mutate", args: { at }, prompt: "change files" });
        expect(found.call?.paths).toContain("fault");
        expect(treeOf(ran.workspace)).toEqual(before);
        await ran.log.close();
      }),
      { numRuns: rounds(2, 20, 100) },
    );
  });

  test("takes at most nine runs in a session of 200 calls, and sees at each of them what the workspace held", async () => {
    const calls = Array.from({ length: 200 }, (_, index) => [
      write("count", String(index)),
      ...(index % 3 === 0 ? [{ do: "remove" as const, path: "a" }] : [write("a/x", String(index))]),
    ]);
    const ran = await ranSession(calls);
    const seen: string[] = [];
    const found = await bisect(
      ran.log,
      ran.sessionId,
      options({
        run: "echo $LEMON_BISECT_VERSION $(cat count 2>/dev/null) $(cat a/x 2>/dev/null); test $(cat count 2>/dev/null || echo 0) -lt 137",
        onOutput: (bytes) => seen.push(...Buffer.from(bytes).toString().trim().split("\n")),
      }),
    );
    expect(found.version).toBe(ends(ran)[137]);
    expect(found.runs).toBeLessThanOrEqual(9);
    expect(seen).toHaveLength(found.runs);
    for (const line of seen) {
      const [version = "", ...held] = line.split(" ");
      const tree = ran.trees.get(Number(version)) ?? {};
      const text = (name: string): string[] =>
        tree[name] === undefined ? [] : [Buffer.from(tree[name].split(" ")[1] ?? "", "base64").toString()];
      if (ran.trees.has(Number(version))) expect(held).toEqual([...text("count"), ...text("a/x")]);
    }
    await ran.log.close();
  }, 60_000);

  test("says when there is nothing to find", async () => {
    const ran = await ranSession([[write("b", "1")], [write("b", "2")], []]);
    const search = (given: BisectOptions): Promise<unknown> => bisect(ran.log, ran.sessionId, options(given));
    await expect(search({ run: "true" })).rejects.toMatchObject({ reason: "check_never_fails" });
    await expect(search({ run: "false" })).rejects.toMatchObject({ reason: "check_fails_at_start" });
    await expect(search({ run: "exit 125" })).rejects.toMatchObject({ reason: "check_undecided" });
    await expect(search({ run: "no-such-command" })).rejects.toThrow("status 127");
    await expect(search({ run: "false", from: ran.last })).rejects.toMatchObject({
      reason: "nothing_changed",
    });
    await expect(search({ run: "false", from: ran.last + 1 })).rejects.toMatchObject({
      reason: "invalid_version",
    });
    await expect(search({ run: "false", when: "true" })).rejects.toMatchObject({ reason: "invalid_bisect" });
    await expect(search({})).rejects.toMatchObject({ reason: "invalid_bisect" });
    // 2 can't be judged, and 1 is good: which of the two calls it was is not known.
    const skips = 'case "$(cat b)" in 1) exit 125;; 2) exit 1;; esac';
    await expect(search({ run: skips })).rejects.toThrow(`versions ${ends(ran).slice(0, 2).join(", ")}`);
    await ran.log.close();
  });

  test("ends what the check leaves running, and the check itself at its time limit or when it is aborted", async () => {
    const ran = await ranSession([[write("b", "1")]]);
    const mark = path.join(temporaryFolder(), "alive");
    const found = await bisect(
      ran.log,
      ran.sessionId,
      options({ run: `(sleep 3; touch ${mark}) & test ! -e b || sleep 60`, timeoutMs: 200 }),
    );
    expect(found).toMatchObject({ version: ends(ran)[0], runs: 2 });
    expect(found.checks?.[0]).toMatchObject({ timedOut: true, judgement: "bad" });
    const stop = new AbortController();
    const started = (): void => stop.abort(new Error("enough"));
    await expect(
      bisect(
        ran.log,
        ran.sessionId,
        options({ run: "echo; sleep 60", signal: stop.signal, onOutput: started }),
      ),
    ).rejects.toThrow("enough");
    expect(existsSync(mark)).toBe(false);
    await ran.log.close();
  });

  test("has ignored files, which it may change, and knows what a dead process left", async () => {
    const ran = await ranSession([[write("b", "1")]]);
    const { workspace } = ran;
    mkdirSync(path.join(workspace, "node_modules", "p"), { recursive: true });
    writeFileSync(path.join(workspace, "node_modules", "p", "index.js"), "original");
    mkdirSync(path.join(workspace, ".git"));
    symlinkSync(path.join(workspace, "untouched"), path.join(workspace, "link"));
    const left = path.join(work, "lemon-bisect-left");
    mkdirSync(path.join(left, "copy"), { recursive: true });
    writeFileSync(path.join(left, "owner"), leaseOwner().replace(/^\d+:\d+/, "1:1"));
    const run = [
      "test $(basename $PWD) = " + path.basename(workspace),
      "test ! -e .git",
      "echo other > node_modules/p/index.js",
      "echo other > link",
      "test ! -e b",
    ].join(" && ");
    await bisect(ran.log, ran.sessionId, options({ run }));
    expect(readFileSync(path.join(workspace, "node_modules", "p", "index.js"), "utf8")).toBe("original");
    expect(readFileSync(path.join(workspace, "untouched"), "utf8")).toBe("always");
    await bisect(
      ran.log,
      ran.sessionId,
      options({ run: "test -L node_modules && test ! -e b", ignored: "link" }),
    );
    await bisect(
      ran.log,
      ran.sessionId,
      options({ run: "test ! -e node_modules && test ! -e b", ignored: "none" }),
    );
    await ran.log.close();
  });
});

describe("an expression", () => {
  test("holds first after the fact at which a brute-force search finds it, also when it holds for a while only", async () => {
    const ran = await ranSession([[write("b", "1")], [], [write("b", "2")]]);
    const search = (when: string): Promise<unknown> => bisect(ran.log, ran.sessionId, options({ when }));
    const { stateAt } = await import("../../src/replay/index.ts");
    const tests: Record<string, (state: Awaited<ReturnType<typeof stateAt>>) => boolean> = {
      "state.messages.length >= 4": ({ messages }) => messages.length >= 4,
      'state.session.status === "running"': ({ session }) => session.status === "running",
      "Object.keys(state.files).some((name) => name.endsWith('/b'))": ({ files }) =>
        Object.keys(files).some((name) => name.endsWith("/b")),
      "JSON.stringify(state).includes('tool_call') || state.tools.mutate": ({ tools }) =>
        tools["mutate"] !== undefined,
      "state.version > 7": ({ version }) => version > 7,
      "state.messages.at(-1).role === 'tool'": ({ messages }) => messages.at(-1)?.role === "tool",
      "Object.keys(state).length > 2 && state.messages.length === 3": ({ messages }) => messages.length === 3,
    };
    for (const [when, holds] of Object.entries(tests)) {
      let first = 0;
      for (let at = 1; first === 0; at += 1)
        if (holds(await stateAt(ran.log, `session-${ran.sessionId}`, at))) first = at;
      expect([when, await search(when)]).toMatchObject([when, { version: first, fact: { version: first } }]);
    }
    await ran.log.close();
  });

  test("reaches nothing but the state, and is refused with a reason", async () => {
    const ran = await ranSession([[write("b", "1")]]);
    const reasonOf = async (when: string, timeoutMs = 5_000): Promise<unknown> =>
      bisect(ran.log, ran.sessionId, options({ when, timeoutMs })).then(
        () => "found",
        (error: unknown) => (error instanceof LemonError ? error.reason : "other"),
      );
    expect(await reasonOf("state.")).toBe("invalid_expression");
    expect(await reasonOf("1; 2")).toBe("invalid_expression");
    expect(await reasonOf("sate.version > 1")).toBe("invalid_expression");
    expect(await reasonOf("process.exit(3)")).toBe("invalid_expression");
    expect(await reasonOf("state.constructor.constructor('return process')()")).toBe(
      "expression_never_holds",
    );
    expect(await reasonOf("lemonScan")).toBe("expression_never_holds");
    expect(await reasonOf("Object.keys(globalThis).length > 0 || typeof require !== 'undefined'")).toBe(
      "expression_never_holds",
    );
    expect(await reasonOf("state.nothing.at.all")).toBe("expression_never_holds");
    expect(await reasonOf("(() => { for (;;); })()", 200)).toBe("expression_timed_out");
    expect(await reasonOf("(state.messages.push(1), false) || state.version === 2")).toBe(
      "expression_never_holds",
    );
    await ran.log.close();
  });
});

test("a materialised workspace is made only where nothing is, and nothing is written through links", async () => {
  const ran = await ranSession([[write("a/deep/z", "1")], [{ do: "remove", path: "a" }]]);
  const outside = temporaryFolder();
  symlinkSync(outside, path.join(ran.workspace, "a"));
  const folder = temporaryFolder();
  await materialise(ran.log, ran.sessionId, ends(ran)[0] ?? 0, folder);
  expect(treeOf(folder)).toEqual(ran.trees.get(ends(ran)[0] ?? 0));
  expect(readdirSync(outside)).toEqual([]);
  await expect(materialise(ran.log, ran.sessionId, 1, folder)).rejects.toMatchObject({
    reason: "cwd_not_empty",
  });
  const inside = path.join(ran.workspace, "copy");
  await materialise(ran.log, ran.sessionId, ran.last, inside);
  expect(treeOf(inside)).toEqual(treeOf(ran.workspace, ["copy"]));
  await ran.log.close();
});
