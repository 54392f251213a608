/** What models send that is not as it should be. Each test is named by the situation that it plays through. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { idsIn, resultsIn, startCase } from "./session.ts";

test("stream-args-cut-off: a call that the length limit cut off does not run, and the session goes on", async () => {
  const rawArguments = '{"path":"notes.txt","content":"line one\\nline t';
  const turns = [
    { toolCalls: [{ name: "write", rawArguments, id: "call_1" }], finishReason: "length" },
    { text: "I will try again." },
    { text: "Here I am." },
  ] as const;
  const { cwd, session, requests, facts, close } = await startCase(turns, {
    files: { "notes.txt": "original\n" },
  });
  onTestFinished(close);

  expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "I will try again." });
  expect(readFileSync(path.join(cwd, "notes.txt")).toString("hex")).toBe("6f726967696e616c0a");
  expect(resultsIn(requests[1])).toMatchObject([
    { isError: true, text: expect.stringMatching(/incomplete|cut off/i) as string },
  ]);
  expect((await facts()).filter(({ type }) => type === "tool_call.started")).toEqual([]);
  expect(await session.prompt("and now?")).toMatchObject({ status: "completed", text: "Here I am." });
});

test("unknown-tool-name: it gets an error that names it, and the call beside it runs", async () => {
  const toolCalls = [
    { name: "reed", args: { path: "a.txt" }, id: "call_1" },
    { name: "read", args: { path: "a.txt" }, id: "call_2" },
  ];
  const { session, requests, close } = await startCase([{ toolCalls }, { text: "ok" }], {
    files: { "a.txt": "hello\n" },
  });
  onTestFinished(close);

  expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "ok" });
  expect(resultsIn(requests[1])).toMatchObject([
    { isError: true, text: expect.stringContaining("reed") as string },
    { isError: false, text: expect.stringContaining("hello") as string },
  ]);
  const { calls, results } = idsIn(requests[1]);
  expect(results).toEqual(calls);
});

test("duplicate-call-ids: both calls run, each under an id of its own", async () => {
  const toolCalls = [
    { name: "read", args: { path: "a.txt" }, id: "call_1" },
    { name: "read", args: { path: "b.txt" }, id: "call_1" },
  ];
  const files = { "a.txt": "first\n", "b.txt": "second\n" };
  const { session, requests, close } = await startCase(
    [{ toolCalls }, { text: "ok" }, { text: "still here" }],
    { files },
  );
  onTestFinished(close);

  await session.prompt("go");
  const { calls, results } = idsIn(requests[1]);
  expect(new Set(calls).size).toBe(2);
  expect(results).toEqual(calls);
  const [first, second] = resultsIn(requests[1]);
  expect(first).toMatchObject({ isError: false, text: expect.stringContaining("first") as string });
  expect(second).toMatchObject({ isError: false, text: expect.stringContaining("second") as string });
  expect(await session.prompt("and now?")).toMatchObject({ text: "still here" });
});
