/** `lemon run --json` beside extensions that write wherever they can, and signals to it. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { appeared, gated, parseLines, Place, type Running } from "./support/command.ts";

/** Writes `what`, followed by where it is, in every way there is. */
const noise = `
import fs from "node:fs";
import { spawnSync, spawn, execSync } from "node:child_process";
import { Worker } from "node:worker_threads";
const ways = {
  log: (text) => console.log(text),
  write: (text) => process.stdout.write(text),
  raw: (text) => process._rawDebug(text),
  descriptor: (text) => fs.writeSync(1, text),
  file: (text) => fs.writeFileSync(1, text),
  device: (text) => fs.writeFileSync("/dev/stdout", text),
  opened: (text) => fs.writeSync(fs.openSync("/proc/self/fd/1", "w"), text),
  appended: (text) => fs.appendFileSync("/dev/fd/1", text),
  stream: (text) => fs.createWriteStream("", { fd: 1, autoClose: false }).write(text),
  inherits: (text) => spawnSync("printf", ["%s", text], { stdio: "inherit" }),
  numbered: (text) => spawnSync("printf", ["%s", text], { stdio: [0, 1, 2] }),
  shell: (text) => execSync("printf '%s' '" + text + "' > /dev/stdout", { stdio: "inherit" }),
  later: (text) => spawn("sh", ["-c", "sleep 0.2; printf '%s' '" + text + "'"], { stdio: "inherit", detached: true }),
  nested: (text) => new Worker("require('node:fs').writeSync(1, " + JSON.stringify(text) + "); console.log(" + JSON.stringify(text) + ")", { eval: true }),
};
export function shout(where) {
  for (const [way, write] of Object.entries(ways))
    for (const what of ["loading…", '{"half":', "\\u0000\\u0007noise"]) {
      // What is refused is as good as what goes elsewhere.
      try { write(what.replace("\\u0000", way === "shell" || way === "later" || spawning.has(way) ? "" : "\\u0000") + way + where); } catch {}
    }
}
const spawning = new Set(["inherits", "numbered"]);
`;
const noisy = `import { shout } from "./lib/shout.mjs";
shout("-load");
export default { name: "noisy", version: "1.0.0",
  hooks: { onTurnStart() { shout("-hook"); }, onToolCall() { shout("-call"); } },
  tools: [{ name: "noisy", description: "", parameters: { type: "object" },
    async execute() { shout("-tool"); await new Promise((go) => setTimeout(go, 400)); return { content: [{ type: "text", text: "quiet" }] }; } }] };`;

async function placeWith(files: Readonly<Record<string, string>>): Promise<Place> {
  const place = await Place.make();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place.cwd, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return place;
}

test("stdout-noise-under-json-rpc: every line of standard output is the command's own", async () => {
  const place = await placeWith({ "ext/noisy.mjs": noisy, "ext/lib/shout.mjs": noise });
  const script = await place.script([{ toolCalls: [{ name: "noisy", args: {} }] }, { text: "Done." }]);
  const run = place.start(["run", "--json", "--script", script, "--extension", "ext", "Go"]);
  const { status, stdout, stderr } = await run.ended;
  expect(status).toBe(0);
  const lines = parseLines(stdout);
  expect(lines[0]).toMatchObject({ type: "header" });
  expect(lines.at(-1)).toMatchObject({ type: "result", status: "completed", text: "Done." });
  expect(lines.filter(({ type }) => type === "tool_execution_end")).toHaveLength(1);
  expect(stdout).not.toMatch(/noise|half|loading/);
  for (const where of ["load", "hook", "call", "tool"]) {
    for (const way of ["log", "write", "descriptor", "device", "inherits", "nested"])
      expect(stderr).toContain(`${way}-${where}`);
  }
  expect(stderr).toContain("[noisy] loading…log-load");
});

const work = gated("work");
const quiet = `export default { name: "quiet", version: "1.0.0" };`;

async function inTheMiddle(place: Place): Promise<Running> {
  const turn = {
    text: "Working.",
    toolCalls: [{ name: "bash", args: { command: `echo $PPID > inner; ${work.command}` } }],
  };
  const script = await place.script([turn, { text: "Done." }]);
  const args = ["run", "--json", "--script", script, "--session", "s", "--extension", "ext", "Go"];
  const run = place.start(args);
  await appeared(path.join(place.cwd, work.begun), run);
  return run;
}

test.for(["SIGINT", "SIGTERM"] as const)("%s to the command aborts the run and gives 130", async (signal) => {
  const place = await placeWith({ "ext/quiet.mjs": quiet });
  const run = await inTheMiddle(place);
  run.process.kill(signal);
  const { status, stdout } = await run.ended;
  expect(status).toBe(130);
  expect(parseLines(stdout).at(-1)).toMatchObject({ type: "result", status: "aborted" });
  const types = (await place.json("facts", "s")).lines.map(({ type }) => type as string);
  expect(types).toEqual(expect.arrayContaining(["abort.requested", "agent.ended", "session.shut_down"]));
});

test("two signals end it at once with 130", async () => {
  const slow = `export default { name: "slow", version: "1.0.0", hooks: { onAgentEnd: () => new Promise(() => {}) } };`;
  const place = await placeWith({ "ext/slow.mjs": slow });
  const run = await inTheMiddle(place);
  const begun = performance.now();
  run.process.kill("SIGINT");
  run.process.kill("SIGTERM");
  expect((await run.ended).status).toBe(130);
  // The hook alone would have five seconds.
  expect(performance.now() - begun).toBeLessThan(4_000);
});

/** Whether a process is there, and no mere entry that nobody has waited for. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("kill -9 of the command ends what runs inside it", async () => {
  const place = await placeWith({ "ext/quiet.mjs": quiet });
  const run = await inTheMiddle(place);
  const inner = Number(readFileSync(path.join(place.cwd, "inner"), "utf8"));
  expect(inner).not.toBe(run.process.pid);
  expect(isAlive(inner)).toBe(true);
  run.process.kill("SIGKILL");
  await expect.poll(() => isAlive(inner), { timeout: 10_000 }).toBe(false);
  await writeFile(path.join(place.cwd, work.gate), "");
  const resumed = await place.lemon("resume", "s");
  expect([0, 1]).toContain(resumed.status);
  expect((await place.lemon("replay", "s")).status).toBe(0);
});

test("a process that exits on its own in an extension does not change the status of the command", async () => {
  const exits = `export default { name: "exits", version: "1.0.0", hooks: { onTurnStart() { process.exit(7); } } };`;
  const place = await placeWith({
    "ext/exits.mjs": exits,
    "ext/load.mjs": "process.exit(7);\nexport default {};",
  });
  const script = await place.script([{ text: "Done." }]);
  const { status, stdout } = await place.lemon(
    "run",
    "--json",
    "--script",
    script,
    "--extension",
    "ext",
    "Go",
  );
  expect(status).toBe(0);
  expect(parseLines(stdout).at(-1)).toMatchObject({ status: "completed" });
  expect(existsSync(place.log)).toBe(true);
});
