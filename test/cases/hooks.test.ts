/** Hooks that throw, never settle or say too much. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { calling, dataOf, hooked, world } from "../runtime/extensions-support.ts";
import { promptsIn, resultsIn } from "./session.ts";

const never = (): Promise<never> => new Promise(() => undefined);

test("hook-context-cap-emoji: a text is cut by code points, never inside one", async () => {
  const additionalContext = "a".repeat(3_990) + "\u{1F600}".repeat(20);
  const extensions = [hooked("long", { onSessionStart: () => ({ additionalContext }) })];
  await using here = await world({ turns: [{ text: "done" }], extensions });
  const session = await here.start();
  await session.prompt("go");
  const [context = ""] = promptsIn(here.requests[0]);
  const joined = context.replace("[hook context]\n", "");
  expect([...joined]).toHaveLength(4_000);
  expect(joined.startsWith("a".repeat(3_990))).toBe(true);
  expect(joined.isWellFormed()).toBe(true);
  expect(Buffer.from(joined).toString()).toBe(joined);
});

test("hook-never-settles: start and shutdown have two seconds each, and no text survives", async () => {
  const extensions = [
    hooked("a", { onSessionStart: () => ({ additionalContext: "from A" }), onSessionShutdown: never }),
    hooked("b", { onSessionStart: never }),
  ];
  await using here = await world({ turns: [{ text: "done" }], extensions });
  const begun = performance.now();
  const session = await here.start();
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(await session.prompt("go")).toMatchObject({ status: "completed" });
  expect(promptsIn(here.requests[0])).toEqual(["go"]);
  const closing = performance.now();
  await session.shutdown();
  expect(performance.now() - closing).toBeLessThan(3_000);
  const late = here.lines.filter(({ message }) => message.includes("ran over"));
  expect(late.map(({ fields }) => fields)).toEqual([
    { hook: "onSessionStart" },
    { hook: "onSessionShutdown" },
  ]);
});

test("hook-call-throws: the call is refused, the failure is told without its arguments", async () => {
  const bash = { name: "bash", args: { command: "echo s3cr3t-arg > made.txt" } };
  const extensions = [
    hooked("guard", {
      onToolCall: ({ toolName, args }) => {
        if (toolName === "bash") throw new Error(`cannot judge ${JSON.stringify(args)}`);
      },
    }),
  ];
  const turns = [calling(bash), calling("ls"), { text: "done" }];
  await using here = await world({ turns, extensions });
  const session = await here.start();
  expect(await session.prompt("go")).toMatchObject({ status: "completed" });
  expect(existsSync(path.join(here.cwd, "made.txt"))).toBe(false);
  expect(resultsIn(here.requests[1])).toEqual([
    expect.objectContaining({ isError: true, text: "Tool call blocked: an extension hook failed" }),
  ]);
  expect(resultsIn(here.requests[2])).toEqual([expect.objectContaining({ isError: false })]);
  expect(dataOf(await here.factsOf(session), "tool_call.blocked")).toHaveLength(1);
  const told = here.lines.filter(({ message }) => message === "a hook failed");
  expect(told.map(({ fields }) => fields)).toEqual([
    { hook: "onToolCall", module: "guard", tool: "bash", failure: "throw", class: "Error" },
  ]);
  expect(JSON.stringify(here.lines)).not.toContain("s3cr3t-arg");
});
