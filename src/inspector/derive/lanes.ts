/** Which lane of the timeline each type of fact is in. docs/reference/inspector.md, "Lanes" */
import type { Lane } from "../api.ts";

/** By the noun of the type, or by the whole type where the noun tells too little. */
const laneOfNoun: Readonly<Record<string, Lane>> = {
  prompt: "prompt",
  steer: "prompt",
  follow_up: "prompt",
  abort: "prompt",
  message: "prompt",
  model: "model",
  compaction: "model",
  "session.compacted": "model",
  tool_call: "tool",
  hook: "hook",
  hook_context: "hook",
  approval: "hook",
  todos: "harness",
  checkpoint: "harness",
  plan: "harness",
  introspection: "harness",
  features: "harness",
  feature: "harness",
  feature_file: "harness",
  subagent: "task",
};

/** The lane of a type; of one that this version does not know, too. */
export function laneOf(type: string): Lane {
  const noun = type.slice(0, Math.max(0, type.indexOf(".")));
  for (const name of [type, noun]) {
    const lane = Object.hasOwn(laneOfNoun, name) ? laneOfNoun[name] : undefined;
    if (lane !== undefined) return lane;
  }
  return "session";
}

/** No facts in any lane. */
export function noLaneCounts(): Record<Lane, number> {
  return { prompt: 0, model: 0, tool: 0, hook: 0, harness: 0, session: 0, task: 0 };
}
