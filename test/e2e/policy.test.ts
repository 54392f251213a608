/** Policy and approval as the configuration and the flags say, in the built command. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Place, type Ended } from "./support/command.ts";

interface Said {
  readonly toml?: string;
  readonly project?: string;
  readonly flags?: readonly string[];
  readonly extension?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `touch ran` as the model's only call. */
async function judged({
  toml = "",
  project,
  flags = [],
  extension,
  env = {},
}: Said): Promise<Ended & { ran: boolean; shown: string }> {
  const place = await Place.make();
  await mkdir(place.home, { recursive: true });
  await writeFile(path.join(place.home, "config.toml"), toml);
  if (project !== undefined) {
    await mkdir(path.join(place.cwd, ".lemon"));
    await writeFile(path.join(place.cwd, ".lemon/config.toml"), project);
  }
  const more: string[] = [];
  if (extension !== undefined) {
    await writeFile(path.join(place.folder, "guard.mjs"), extension);
    more.push("--extension", path.join(place.folder, "guard.mjs"));
  }
  const script = await place.script([
    { toolCalls: [{ name: "bash", args: { command: "touch ran" } }] },
    { text: "done" },
  ]);
  const args = ["run", "--session", "s", "--script", script, ...flags, ...more, "go"];
  const ended = await place.start(args, { env }).ended;
  const shown = (await place.lemon("show", "s")).stdout;
  return { ...ended, ran: existsSync(path.join(place.cwd, "ran")), shown };
}

const policy = (text: string): string => `[runtime.tools.policy]\n${text}\n`;

test("off a terminal a call that asks is refused at once, and a line on standard error names the flag", async () => {
  const { status, stderr, ran, shown } = await judged({ toml: '[runtime]\napproval = "ask"\n' });
  expect([status, ran]).toEqual([0, false]);
  const lines = stderr.split("\n").filter((line) => line.includes("--approve auto"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("bash touch ran");
  expect(shown).toContain("Tool call denied: ");
});

test("the flag answers, and the policy of the user's file wins over it", async () => {
  const ask = '[runtime]\napproval = "ask"\n';
  expect((await judged({ toml: ask, flags: ["--approve", "auto"] })).ran).toBe(true);
  expect((await judged({ flags: ["--approve", "deny"] })).ran).toBe(false);
  const strict = await judged({
    toml: policy('approvals = { bash = "deny" }'),
    flags: ["--approve", "auto"],
  });
  expect(strict.ran).toBe(false);
  expect(strict.shown).toContain("Tool call denied: the approval policy denies this tool");
  const loose = await judged({
    toml: policy('approvals = { "ba*" = "deny", bash = "never" }'),
    flags: ["--approve", "deny"],
  });
  expect(loose.ran).toBe(true);
});

test("a tool that requires approval asks, whatever else is said, and a tool that is denied is not there", async () => {
  const asked = await judged({ toml: policy('require_approval = ["bash"]') });
  expect([asked.ran, asked.stderr.includes("--approve auto")]).toEqual([false, true]);
  const always = await judged({ toml: policy('approvals = { "b*" = "always" }') });
  expect([always.ran, always.stderr.includes("--approve auto")]).toEqual([false, true]);
  const gone = await judged({ toml: policy('deny = ["bash"]') });
  expect([gone.ran, gone.shown.includes("Tool bash not found")]).toEqual([false, true]);
});

test("a call that a hook blocks asks nobody", async () => {
  const extension = `export default { name: "g", version: "1.0.0", hooks: { onToolCall: () => ({ block: "never" }) } };`;
  const { ran, stderr, shown } = await judged({ toml: '[runtime]\napproval = "ask"\n', extension });
  expect([ran, stderr.includes("--approve")]).toEqual([false, false]);
  expect(shown).toContain("Tool call blocked: never");
});

test("the question shows what a hook put in the place of the arguments", async () => {
  const extension = `export default { name: "g", version: "1.0.0", hooks: { onToolCall: () => ({ replaceArgs: { command: "touch other" } }) } };`;
  const { stderr } = await judged({ toml: '[runtime]\napproval = "ask"\n', extension });
  expect(stderr).toContain("bash touch other");
});

test("the file of a folder that is not trusted can tighten and not loosen", async () => {
  const strict = '[runtime]\napproval = "deny"\n' + policy('deny = ["write"]\nrequire_approval = ["bash"]');
  const stranger =
    '[runtime]\napproval = "auto"\n' +
    policy('deny = []\nrequire_approval = []\napprovals = { bash = "auto" }');
  const { ran, stderr } = await judged({ toml: strict, project: stranger });
  expect(ran).toBe(false);
  expect(stderr).toContain("runtime.approval");
  expect(stderr).toContain("runtime.tools.policy.approvals");
  const tighter = await judged({ toml: "", project: '[runtime]\napproval = "deny"\n' });
  expect(tighter.ran).toBe(false);
});

test("a mode that there is not is named with its place, and nothing runs", async () => {
  const { status, stderr, ran } = await judged({ toml: policy('approvals = { bash = "sometimes" }') });
  expect([status, ran]).toEqual([2, false]);
  expect(stderr).toContain("runtime.tools.policy.approvals");
});
