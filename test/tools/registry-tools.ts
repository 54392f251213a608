import type { BuiltInTool, Tool } from "../../src/tools/index.ts";

/** A tool that does nothing. */
export function namedTool(name: string): Tool & BuiltInTool {
  return {
    name,
    label: name,
    description: "",
    parameters: { type: "object" },
    parallelSafe: false,
    idempotent: false,
    readOnly: false,
    timeoutMs: 1_000,
    execute: () => Promise.resolve({ content: [] }),
  };
}
