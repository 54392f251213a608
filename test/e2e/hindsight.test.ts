/** `lemon what-if` and `lemon blame`, as built. */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Place, type Json } from "./support/command.ts";

const rewriting = `export default { name: "rewriting", version: "1.2.0", hooks: {
  onToolCall: ({ args }) => (args.newText === "TWO" ? { replaceArgs: { ...args, newText: "2" } } : undefined),
} };\n`;
const noCommands = `export default { name: "no-commands", version: "1.0.0", hooks: {
  onToolCall: ({ toolName }) => (toolName === "bash" ? { block: "no commands" } : undefined),
} };\n`;

async function ran(): Promise<Place> {
  const place = await Place.make();
  await mkdir(path.join(place.cwd, "ext"));
  await writeFile(path.join(place.cwd, "ext/rewriting.mjs"), rewriting);
  await writeFile(path.join(place.cwd, "no-commands.mjs"), noCommands);
  const script = await place.script([
    {
      toolCalls: [
        { name: "write", args: { path: "f.txt", content: "one\ntwo\n" } },
        { name: "edit", args: { path: "f.txt", oldText: "two", newText: "TWO" } },
        { name: "bash", args: { command: "echo three >> f.txt" } },
      ],
    },
    { text: "done" },
  ]);
  const args = ["run", "--session", "s", "--script", script, "--extension", "ext", "--approve", "auto"];
  const { status, stderr } = await place.lemon(...args, "Count to three");
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return place;
}

test("what-if tells which verdicts other rules would change, and CI can ask for a status; blame tells who wrote a line", async () => {
  const place = await ran();
  const rule = path.join(place.cwd, "no-commands.mjs");
  const recorded = path.join(place.cwd, "ext");
  const same = await place.lemon("what-if", "s", "--extension", recorded, "--fail-on-change");
  expect([same.status, same.stdout]).toEqual([0, "nothing would have changed for 3 calls in 1 session\n"]);

  const kept = await place.lemon("what-if", "s", "--extension", rule, "--keep", "--fail-on-change");
  expect(kept.status).toBe(1);
  expect(kept.stdout.split("\n")).toEqual([
    "would have blocked 1 of 3 calls in 1 session",
    "",
    "session s",
    expect.stringMatching(/^ {2}call_\w+ {2}version \d+ {2}bash echo three >> f\.txt$/),
    "    before  allowed",
    "    after   blocked by no-commands 1.0.0: no commands",
    "",
  ]);
  const alone = await place.json("what-if", "--all", "--extension", rule);
  expect(alone.status).toBe(0);
  expect(alone.lines).toHaveLength(1);
  const changes = alone.lines[0]?.["changes"] as Json[];
  expect(alone.lines[0]).toMatchObject({ sessions: 1, calls: 3 });
  expect(changes.map(({ tool, changed }) => [tool, changed])).toEqual([
    ["edit", ["args"]],
    ["bash", ["decision"]],
  ]);

  await writeFile(path.join(place.cwd, "bad.mjs"), "export default {");
  const refused = [
    ["what-if", "s"],
    ["what-if", "--approve", "ask"],
    ["what-if", "s", "--extension", path.join(place.cwd, "bad.mjs")],
    ["what-if", "nobody", "--approve", "ask"],
    ["blame", "f.txt:9"],
    ["blame", "f.txt:first"],
    ["blame", "nothing.txt"],
  ];
  const statuses: (number | null)[] = [];
  for (const args of refused) {
    const { status, stdout } = await place.lemon(...args);
    expect(stdout).toBe("");
    statuses.push(status);
  }
  expect(statuses).toEqual([2, 2, 2, 3, 2, 2, 3]);

  const { lines } = await place.json("blame", "f.txt");
  const [first, second, third] = lines[0] as unknown as Json[];
  expect(first).toEqual({
    line: 1,
    text: "one",
    sessionId: "s",
    toolCallId: expect.stringMatching(/^call_/),
    version: expect.any(Number),
    at: expect.any(Number),
    tool: "write",
    prompt: "Count to three",
    model: "scripted/script",
    hook: null,
    origin: "call",
  });
  expect(second).toMatchObject({
    text: "2",
    tool: "edit",
    hook: { extension: "rewriting", version: "1.2.0" },
  });
  expect(third).toMatchObject({ text: "three", tool: "bash" });
  const one = await place.lemon("blame", "f.txt:2");
  expect(one.stdout).toContain("rewriting 1.2.0 changed the call's arguments");
  const then = await place.lemon("blame", "f.txt", "--session", "s", "--at", String(first?.["version"]));
  expect(then.stdout.split("\n").map((line) => line.split("│ ")[1])).toEqual(["one", "two", undefined]);
  await appendFile(path.join(place.cwd, "new.txt"), "by hand\n");
  expect((await place.lemon("blame", "new.txt")).stdout).toMatch(/^1 {2}outside +│ by hand\n$/);
});
