import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Place, type Json } from "./support/command.ts";

const guard = `export default { name: "guard", version: "1.0.0", hooks: {
  onToolCall: [
    ({ args }) => (args.command === "echo no" ? { block: "no means no", additionalContext: "ask first" } : undefined),
    ({ args }) => (args.command === "echo one" ? { replaceArgs: { command: "echo two" } } : "nothing of use"),
  ],
  onToolResult: ({ args }) => (args.command === "echo hide" ? { replace: { content: [{ type: "text", text: "hidden" }] } } : undefined),
  onToolExecutionEnd: (_id, _name, _result, isError) => { if (isError) throw new TypeError("no errors please"); },
} };\n`;

async function ran(): Promise<{ place: Place; ids: string[] }> {
  const place = await Place.make();
  await mkdir(path.join(place.cwd, "ext"));
  await writeFile(path.join(place.cwd, "ext/guard.mjs"), guard);
  const script = await place.script([
    {
      toolCalls: ["no", "one", "hide"]
        .map((word) => ({ name: "bash", args: { command: `echo ${word}` } }))
        .concat([{ name: "nothing", args: { command: "" } }]),
    },
    { text: "done" },
  ]);
  const args = ["run", "--session", "s", "--script", script, "--extension", "ext", "--approve", "auto", "go"];
  const { status, stderr } = await place.lemon(...args);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  const { lines } = await place.json("hooks", "explain", "s");
  return { place, ids: ((lines[0]?.["calls"] ?? []) as Json[]).map((call) => call["callId"] as string) };
}

test("it tells who saw each call, what each answered, and what came out, from the log alone", async () => {
  const { place, ids } = await ran();
  const { status, lines } = await place.json("hooks", "explain", "s");
  expect(status).toBe(0);
  const calls = lines[0]?.["calls"] as Json[];
  expect(lines[0]?.["sessionId"]).toBe("s");
  expect(
    calls.map(({ tool, handlers, outcome }) => ({
      tool,
      handlers: (handlers as Json[]).map(({ hook, module, handler, said, failure }) =>
        [hook, module, handler, ...said, failure?.class].filter((word) => word !== undefined).join(" "),
      ),
      outcome: [outcome.status, outcome.reason, outcome.argsReplaced, outcome.resultChanged],
    })),
  ).toEqual([
    {
      tool: "bash",
      handlers: ["onToolCall guard 0 block additionalContext", "onToolExecutionEnd guard 0 TypeError"],
      outcome: ["blocked", "no means no", false, false],
    },
    {
      tool: "bash",
      handlers: ["onToolCall guard 0", "onToolCall guard 1 replaceArgs", "onToolResult guard 0"],
      outcome: ["ran", null, true, false],
    },
    {
      tool: "bash",
      handlers: ["onToolCall guard 0", "onToolCall guard 1", "onToolResult guard 0 replace"],
      outcome: ["ran", null, false, true],
    },
    {
      tool: "nothing",
      handlers: ["onToolExecutionEnd guard 0 TypeError"],
      outcome: ["refused", "unknown_tool", false, false],
    },
  ]);
  expect(calls[1]?.["outcome"].args).toEqual({ command: "echo two" });
  expect(calls[0]?.["outcome"].context).toBe("[hook context]\nask first");
  expect(calls[1]?.["approval"]).toEqual({
    mode: "auto",
    asked: false,
    verdict: null,
    reason: null,
    waitedMs: null,
  });

  const one = await place.lemon("hooks", "explain", "s", ids[1] ?? "");
  expect(one.stdout.replaceAll(/[\d.]+ ms/g, "N ms")).toBe(
    [
      `${ids[1]}  bash echo one`,
      "  onToolCall  guard#0  N ms  nothing",
      '  onToolCall  guard#1  N ms  replaceArgs {"replaceArgs":{"command":"echo two"}}',
      "  onToolResult  guard#0  N ms  nothing",
      "  approval  not asked, policy says auto",
      "  outcome   ran",
      '  ran with  {"command":"echo two"}',
      "",
    ].join("\n"),
  );
  const all = await place.lemon("hooks", "explain", "s");
  for (const id of ids) expect(all.stdout).toContain(id);
  expect(all.stdout).toContain("outcome   blocked: no means no");
  expect(all.stdout).toContain("its result was changed");
});

test("an unknown session and an unknown call are not there", async () => {
  const { place } = await ran();
  const call = await place.lemon("hooks", "explain", "s", "call_0");
  expect([call.status, call.stdout]).toEqual([3, ""]);
  expect(call.stderr).toContain("has no call call_0");
  const session = await place.json("hooks", "explain", "nobody");
  expect([session.status, session.lines[0]]).toMatchObject([
    3,
    { error: { code: "LEMON_SESSION_NOT_FOUND" } },
  ]);
  const json = await place.json("hooks", "explain", "s", "call_0");
  expect([json.status, json.lines[0]]).toMatchObject([3, { error: { code: "LEMON_NOT_FOUND" } }]);
});
