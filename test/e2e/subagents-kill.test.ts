/** Tasks of subagents when the process that works on them is killed. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { processRow } from "../../src/workspace/process-table.ts";
import { appeared, gated, Place, type Json } from "./support/command.ts";

type Answer = string | readonly (readonly [name: string, args: object])[];

/** A model that plays several agents: whose turn it is, is told by the first thing that the user said. */
async function cast(place: Place, acts: Readonly<Record<string, readonly Answer[]>>): Promise<string> {
  const file = path.join(place.cwd, "cast.mjs");
  await writeFile(
    file,
    `import { defineExtension } from "lemon-runtime";
const acts = ${JSON.stringify(acts)};
export default defineExtension({
  name: "cast", version: "1.0.0", capabilities: ["model_provider"],
  providers: [{ type: "model", name: "cast", provider: {
    async *stream(model, { messages }) {
      const first = messages.find(({ role }) => role === "user");
      const name = first.content.map(({ text }) => text).join("").split("\\n").at(-1);
      const ids = [...new Set(JSON.stringify(messages).match(/task_[0-9a-f]{16}/g) ?? [])];
      const act = acts[name]?.[messages.filter(({ role }) => role === "assistant").length] ?? "nothing to say";
      yield { type: "stream-start", warnings: [] };
      if (typeof act === "string") {
        yield { type: "text-start", id: "a" };
        yield { type: "text-delta", id: "a", delta: act };
        yield { type: "text-end", id: "a" };
      } else for (const [index, [toolName, args]] of act.entries()) {
        const input = JSON.stringify(args).replace('"IDS"', JSON.stringify(ids));
        yield { type: "tool-call", toolCallId: name + index + messages.length, toolName, input };
      }
      const reason = typeof act === "string" ? "stop" : "tool-calls";
      yield { type: "finish", finishReason: { unified: reason, raw: reason }, usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } };
    },
  } }],
});
`,
  );
  return file;
}

async function tasksOf(place: Place): Promise<readonly Json[]> {
  const { lines } = await place.json("show", "s");
  return lines[0]?.["tasks"] as readonly Json[];
}

async function lines(place: Place, file: string): Promise<readonly string[]> {
  return (await readFile(path.join(place.cwd, file), "utf8")).trim().split("\n");
}

async function assertWhole(place: Place, sessions: readonly string[]): Promise<void> {
  for (const id of sessions)
    expect((await place.json("replay", id)).lines, id).toMatchObject([{ divergences: [] }]);
  expect((await place.lemon("verify")).status).toBe(0);
  const { stdout } = await place.lemon("sessions", "--json");
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining(sessions.map((sessionId) => expect.objectContaining({ sessionId }))),
  );
}

test("a task that a call waits for is cancelled with its call, and what it ran is ended", async () => {
  const place = await Place.make();
  const { command, begun } = gated("wait");
  const extension = await cast(place, {
    go: [[["task", { prompt: "work", async: false }]], "went on"],
    work: [[["bash", { command: `echo $$ > pid; ${command}` }]], "worked"],
  });
  const args = ["--extension", extension, "--model", "cast/m"];
  const running = place.start(["run", ...args, "--session", "s", "go"]);
  await appeared(path.join(place.cwd, begun), running);
  running.process.kill("SIGKILL");
  await running.ended;
  expect(await tasksOf(place)).toMatchObject([{ status: "lost" }]);

  const resumed = await place.lemon("resume", "s");
  expect([resumed.status, resumed.stdout]).toEqual([0, expect.stringContaining("went on")]);
  const [task] = await tasksOf(place);
  expect(task).toMatchObject({ status: "cancelled" });
  expect(await lines(place, begun)).toEqual(["begun"]);
  const [pid] = await lines(place, "pid");
  // Whose parent is gone may wait for the system to ask how it ended.
  expect((await processRow(Number(pid)))?.isZombie ?? true).toBe(true);
  await assertWhole(place, ["s", String(task?.["taskId"])]);
}, 120_000);

test("tasks that go on by themselves are taken up: one goes on, the one in line starts, nothing runs twice", async () => {
  const place = await Place.make();
  const parent = gated("parent");
  const child = gated("child");
  await mkdir(place.home, { recursive: true });
  await writeFile(path.join(place.home, "config.toml"), "[lanes]\nsubagent = 1\n");
  const extension = await cast(place, {
    go: [
      [
        ["task", { prompt: "first" }],
        ["task", { prompt: "second" }],
      ],
      [["bash", { command: parent.command }]],
      [["task", { action: "join", taskIds: "IDS" }]],
      "all through",
    ],
    first: [[["bash", { command: child.command }]], "first is through"],
    second: [[["bash", { command: "echo ran >> second.log" }]], "second is through"],
  });
  const args = ["--extension", extension, "--model", "cast/m"];
  const running = place.start(["run", ...args, "--session", "s", "go"]);
  await appeared(path.join(place.cwd, parent.begun), running);
  await appeared(path.join(place.cwd, child.begun), running);
  running.process.kill("SIGKILL");
  await running.ended;
  expect(await tasksOf(place)).toMatchObject([{ status: "lost" }, { status: "lost" }]);
  // A subagent's session is never the one to continue.
  const { stdout } = await place.lemon("run", "--continue", "--extension", extension, "x");
  expect(stdout).toBe("all through\nnothing to say\n");

  const tasks = await tasksOf(place);
  expect(tasks).toMatchObject([
    { status: "completed", text: "first is through" },
    { status: "completed", text: "second is through" },
  ]);
  expect(await lines(place, child.begun)).toEqual(["begun"]);
  expect(await lines(place, parent.begun)).toEqual(["begun"]);
  expect(await lines(place, "second.log")).toEqual(["ran"]);
  const facts = (await place.json("facts", "s")).lines;
  const started = facts.filter(({ type }) => type === "subagent.started");
  expect(started).toHaveLength(2);
  await assertWhole(place, ["s", ...tasks.map(({ taskId }) => String(taskId))]);
}, 120_000);
