import { writeFile } from "node:fs/promises";
import path from "node:path";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const bash = (command: string): object => ({ toolCalls: [{ name: "bash", args: { command } }] });

/** A place with a session `s` that said `hi`. */
async function withSession(): Promise<{ place: Place; script: string }> {
  const place = await Place.make();
  const run = await place.script([{ text: "I look.", ...bash("echo hi") }, { text: "It said hi." }]);
  expect(
    (await place.lemon("run", "--script", run, "--approve", "auto", "--session", "s", "Look")).status,
  ).toBe(0);
  return { place, script: await place.script([{ text: "The answer." }], "answer.json") };
}

/** For tests that leave it as it is. */
const shared = withSession();

test("the answer goes to standard output, and the session has no new fact", async () => {
  const { place, script } = await shared;
  const before = await place.json("facts", "s");
  const asked = await place.lemon("ask", "s", "What did it say?", "--script", script, "--approve", "deny");
  expect(asked).toMatchObject({ status: 0, stdout: "The answer.\n", stderr: "" });
  expect(await place.json("facts", "s")).toEqual(before);
  expect((await place.lemon("tree")).stdout).toMatch(/side_queries\s+supervisor/);
});

test("--json gives the result, of a question from standard input too", async () => {
  const { place, script } = await shared;
  const { lines } = await place.json("facts", "s");
  for (const args of [
    ["ask", "s"],
    ["ask", "session:s", "-"],
  ]) {
    const asked = place.start([...args, "--script", script, "--json"], { stdin: "What did it say? ✓\n" });
    const { status, stdout } = await asked.ended;
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result).toMatchObject({
      text: "The answer.",
      id: expect.stringMatching(/^sq_[0-9a-f]{16}$/),
      sessionKey: `side_query:${String(result["id"])}`,
      model: "scripted/script",
      sourceVersion: lines.length,
      parentHistoryChanged: false,
      tools: [],
    });
    expect(Object.keys(result)).toEqual([
      "text",
      "id",
      "sessionKey",
      "model",
      "usage",
      "durationMs",
      "sourceVersion",
      "parentHistoryChanged",
      "tools",
    ]);
  }
});

test("a session that another process is working in is asked about without disturbing it", async () => {
  const { place, script } = await withSession();
  const slow = await place.script(
    [
      {},
      {},
      {
        text: "I wait.",
        ...bash("echo started > started; while [ ! -e go ]; do sleep 0.05; done; echo went"),
      },
      { text: "Done." },
    ],
    "slow.json",
  );
  const running = place.start([
    "run",
    "--script",
    slow,
    "--approve",
    "auto",
    "--session",
    "s",
    "Wait",
    "--json",
  ]);
  await running.printed("tool_execution_start");
  while (!existsSync(path.join(place.cwd, "started")))
    await new Promise((resolve) => setTimeout(resolve, 20));
  const asked = await place.lemon("ask", "s", "What are you at?", "--script", script);
  expect(asked).toMatchObject({ status: 0, stdout: "The answer.\n" });
  await writeFile(path.join(place.cwd, "go"), "");
  const { status, stdout } = await running.ended;
  expect(status).toBe(0);
  expect(stdout).toContain('"text":"Done."');
  expect((await place.lemon("replay", "s")).status).toBe(0);
});

test("a model of an extension can be asked", async () => {
  const { place } = await shared;
  const file = path.join(place.folder, "acme.ts");
  await writeFile(
    file,
    `export default {
      name: "acme", version: "1.0.0", capabilities: ["providers"],
      providers: [{ type: "model", name: "acme", provider: {
        async *stream() {
          yield { type: "text-delta", id: "1", delta: "From acme." };
          yield { type: "finish", finishReason: "stop", usage: {} };
        },
      } }],
    };`,
  );
  const asked = await place.lemon("ask", "s", "Well?", "--extension", file, "--model", "acme/one");
  expect(asked).toMatchObject({ status: 0, stdout: "From acme.\n" });
});

test("what is not there is 3, what makes no sense 2, no answer 1; nothing is made for the first two", async () => {
  const nothing = await Place.make();
  expect((await nothing.lemon("ask", "s", "Well?")).status).toBe(3);
  // What is wrong with the question is told before the session is looked for.
  expect((await nothing.lemon("ask", "s", " ")).status).toBe(2);
  expect(existsSync(nothing.home)).toBe(false);
  const { place } = await shared;
  expect((await place.lemon("ask", "s", " ")).status).toBe(2);
  expect((await place.lemon("ask", "s", "Well?", "--model", "nobody/knows")).status).toBe(2);
  const empty = await place.script([], "empty.json");
  const failed = await place.json("ask", "s", "Well?", "--script", empty);
  expect(failed).toMatchObject({
    status: 1,
    lines: [{ error: { code: "LEMON_QUERY_FAILED", reason: "query_failed" } }],
  });
  const late = await place.script([{ text: "Late.", delayMs: 60_000 }], "late.json");
  const timedOut = await place.lemon("ask", "s", "Well?", "--script", late, "--timeout", "200");
  expect(timedOut.status).toBe(1);
  expect(timedOut.stderr).toContain("not answered in time");
});

test("an interrupt cancels the question and is status 130", async () => {
  const { place } = await shared;
  const late = await place.script([{ text: "Late.", delayMs: 60_000 }], "late.json");
  const asked = place.start(["ask", "s", "Well?", "--script", late]);
  // Recorded as asked: from here on an interrupt is the question's.
  for (;;) {
    const { stdout } = await place.lemon("tree");
    if (/side_queries[^]*worker, running/.test(stdout)) break;
  }
  asked.process.kill("SIGINT");
  expect(await asked.ended).toMatchObject({ status: 130, stdout: "" });
  expect((await place.lemon("verify")).status).toBe(0);
});
