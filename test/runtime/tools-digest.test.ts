import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { FactOf } from "../../src/events/index.ts";
import type { Model, ModelTool } from "../../src/providers/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf, scriptedRuntime } from "../support/runtimes.ts";

const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

test("each answer has the digest of the very tools that its request offered, in every mode", async () => {
  const offered: (readonly ModelTool[])[] = [];
  const model: Model = {
    ref: "s/m",
    request: ({ tools }) => {
      offered.push(tools);
      const content = [{ type: "text" as const, text: "done" }];
      return Promise.resolve({
        type: "answered",
        content,
        calls: [],
        finishReason: "stop",
        usage,
        modelId: "m",
      });
    },
  };
  const log = await memoryLog();
  const runtime = await scriptedRuntime(log, [], { models: { s: model } });
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  await session.prompt("one");
  await session.prompt("two");
  await session.planMode.enter();
  await session.prompt("three");
  await session.planMode.exit();
  await session.prompt("four");
  const other = await runtime.sessions.start({ model: "s/m", sessionId: "t", enabledOnly: ["read"] });
  await other.prompt("five");
  const recorded = [...(await factsOf(log, "session-s")), ...(await factsOf(log, "session-t"))]
    .filter((fact): fact is FactOf<"model.responded"> => fact.type === "model.responded")
    .map(({ data }) => data.toolsSha256);
  const digests = offered.map((tools) => createHash("sha256").update(JSON.stringify(tools)).digest("hex"));
  expect(recorded).toEqual(digests);
  // The same, the same, those of plan mode, the first again, and one tool alone.
  expect(new Set(digests).size).toBe(3);
  await runtime.close();
});
