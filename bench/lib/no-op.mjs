/** A model and a tool that do nothing, so that what is left is the runtime's own work. */
import { createRuntime, defineExtension, defineTool } from "../../dist/index.js";

const usage = { inputTokens: 1_200, outputTokens: 40, cachedInputTokens: 1_000, reasoningTokens: 0 };
const done = {
  type: "answered",
  content: [{ type: "text", text: "Done." }],
  calls: [],
  finishReason: "stop",
  usage,
  modelId: "no-op",
};

/** Asks for `calls` calls in each turn but the last of every `turns`. */
function noOpModel(turns, calls) {
  const call = { providerCallId: "c1", name: "no_op", argumentsText: '{"path":"src/index.ts"}' };
  const working = {
    ...done,
    content: [{ type: "text", text: "I look at the next file." }],
    calls: Array(calls).fill(call),
    finishReason: "tool_calls",
  };
  return {
    ref: "bench/no-op",
    request: (_context, { responses }) => Promise.resolve((responses + 1) % turns === 0 ? done : working),
  };
}

const noOp = defineTool({
  name: "no_op",
  description: "does nothing",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  readOnly: true,
  parallelSafe: true,
  execute: () => Promise.resolve({ content: [{ type: "text", text: "ok" }] }),
});

/** A runtime whose model `bench/no-op` gives runs of `turns` turns. */
export function noOpRuntime(folder, log, durability, { turns, calls }) {
  return createRuntime({
    home: folder,
    cwd: folder,
    log,
    models: { bench: noOpModel(turns, calls) },
    extensions: [defineExtension({ name: "bench", version: "1.0.0", tools: [noOp] })],
    config: { runtime: { durability } },
    env: { PATH: process.env["PATH"] },
  });
}
