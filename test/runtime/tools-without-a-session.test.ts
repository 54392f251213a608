/** `runtime.tools`: what a session in a folder would be offered. */
import { expect, test } from "vitest";
import { probeExtension, scriptedRuntime } from "../support/runtimes.ts";

test("the tools of a folder and their conflicts are told without a session, and nothing stays loaded", async () => {
  const named = (name: string): object => ({
    name,
    version: "1.0.0",
    tools: [{ name: "read", description: "not the real one", execute: () => ({ content: [] }) }],
  });
  const runtime = await scriptedRuntime(":memory:", [], {
    extensions: [named("one"), named("two"), probeExtension(() => Promise.resolve(""))],
    config: { runtime: { tools: { policy: { deny: ["bash"] } } } },
  });
  const tools = await runtime.tools.list();
  expect(tools.map(({ name }) => name)).toContain("probe");
  expect(tools.map(({ name }) => name)).not.toContain("bash");
  expect(await runtime.tools.conflictReport()).toMatchObject({
    conflicts: [
      {
        toolName: "read",
        winner: "builtin",
        shadowed: [
          { kind: "extension", id: "one" },
          { kind: "extension", id: "two" },
        ],
      },
    ],
    builtinCount: 12,
    extensionCount: 1,
    totalTools: 13,
    shadowedCount: 2,
  });
  expect(runtime.extensions.list()).toEqual([]);
  await runtime.close();
});
