import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { Place } from "./support/command.ts";

const root = path.resolve(import.meta.dirname, "../..");
let place: Place;
let bundle: string;

beforeAll(async () => {
  place = await Place.make();
  const script = await place.script([
    { text: "Let me look.", toolCalls: [{ name: "bash", args: { command: "printf '\\377canary-output'" } }] },
    { text: "canary-answer" },
  ]);
  const ran = await place.lemon("run", "--script", script, "--session", "s", "canary-prompt");
  expect(ran.status).toBe(0);
  bundle = path.join(place.cwd, "s.lemon");
  expect((await place.lemon("export", "s", bundle)).status).toBe(0);
});

const elsewhere = (name: string): string[] => ["--log", path.join(place.cwd, name)];

test("a bundle is its owner's alone, and never takes the place of a file", async () => {
  expect(statSync(bundle).mode & 0o777).toBe(0o600);
  const again = await place.lemon("export", "s", bundle);
  expect(again).toMatchObject({ status: 2, stdout: "" });
  expect(again.stderr).toContain("is there already");
  expect((await place.lemon("export", "nobody", path.join(place.cwd, "n.lemon"))).status).toBe(3);
});

test("imported into another log, a session has the hashes that it had and replays", async () => {
  const there = elsewhere("other.db");
  const [done] = (await place.json("import", bundle, ...there)).lines;
  expect(done).toMatchObject({ sessionId: "s", isRedacted: false, blobs: 2 });
  const hashes = async (...more: string[]): Promise<unknown[]> =>
    (await place.json("facts", "s", ...more)).lines.map(({ hash }) => hash);
  expect(await hashes(...there)).toEqual(await hashes());
  expect((await place.lemon("verify", ...there)).status).toBe(0);
  const [mine] = (await place.json("replay", "s")).lines;
  expect((await place.json("replay", "s", ...there)).lines).toEqual([mine]);
  const [again] = (await place.json("import", bundle, ...there)).lines;
  expect(again).toMatchObject({ added: 0 });
});

test("without its data a session says nothing of what was said, and the chain verifies", async () => {
  const file = path.join(place.cwd, "r.lemon");
  expect((await place.lemon("export", "s", file, "--redact")).status).toBe(0);
  const text = gunzipSync(readFileSync(file)).toString("utf8");
  expect(text).not.toMatch(/canary/);
  expect(text).not.toContain(place.cwd);
  const there = elsewhere("redacted.db");
  expect((await place.lemon("import", file, ...there)).status).toBe(0);
  expect((await place.lemon("verify", ...there)).status).toBe(0);
  expect((await place.lemon("sessions", ...there)).stdout).toContain("unavailable");
  expect((await place.lemon("show", "s", ...there)).stdout).toContain("unavailable");
  expect((await place.lemon("facts", "s", ...there)).stdout).toContain("unavailable");
  for (const command of [
    ["resume", "s"],
    ["fixture", "s"],
    ["ask", "s", "what?"],
  ])
    expect(await place.lemon(...command, ...there)).toMatchObject({ status: 1, stdout: "" });
});

test("a bundle that was changed or cut off makes no log, and a missing one is not there", async () => {
  const text = gunzipSync(readFileSync(bundle)).toString("utf8");
  const bad = path.join(place.cwd, "bad.lemon");
  const there = elsewhere("never.db");
  for (const content of [
    text.replace("canary-answer", "canary-answeR"),
    text.slice(0, -200),
    "nothing",
    "",
  ]) {
    writeFileSync(bad, gzipSync(content));
    const refused = await place.lemon("import", bad, ...there);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("nothing was imported");
  }
  expect((await place.lemon("import", path.join(place.cwd, "nope"), ...there)).status).toBe(3);
  expect((await place.lemon("sessions", ...there)).stderr).toContain("there is no log");
});

test("a fixture runs in another project, with nothing but vitest and the package", async () => {
  const project = path.join(place.cwd, "project");
  const modules = path.join(project, "node_modules");
  mkdirSync(modules, { recursive: true });
  symlinkSync(root, path.join(modules, "lemon-runtime"));
  symlinkSync(path.join(root, "node_modules/vitest"), path.join(modules, "vitest"));
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ type: "module" }));
  const file = path.join(project, "that-session.test.ts");
  expect((await place.lemon("fixture", "s", "--out", file)).status).toBe(0);
  expect((await place.lemon("fixture", "s")).stdout).toBe(readFileSync(file, "utf8"));
  expect((await place.lemon("fixture", "s", "--out", file)).status).toBe(2);
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const run = () => spawnSync(process.execPath, [vitest, "run", "--root", project], { encoding: "utf8" });
  const passed = run();
  expect(passed.stdout + passed.stderr).toMatch(/3 passed/);
  writeFileSync(file, readFileSync(file, "utf8").replace('"canary-answer"', '"another answer"'));
  expect(run().status).toBe(1);
}, 60_000);
