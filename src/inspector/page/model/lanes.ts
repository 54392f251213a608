/** The lanes of the timeline, and what marks mean. */
import type { Lane, MarkKind } from "../../api.ts";

/** In the order in which they are drawn. */
export const LANES: readonly Lane[] = ["prompt", "model", "tool", "hook", "harness", "task", "session"];

/** What each holds. */
export const LANE_LABELS: Readonly<Record<Lane, string>> = {
  prompt: "Prompts and turns",
  model: "Model",
  tool: "Tools",
  hook: "Hooks and approvals",
  harness: "Todos and checkpoints",
  task: "Subagents",
  session: "Session",
};

/** The same, short. */
export const LANE_NAMES: Readonly<Record<Lane, string>> = {
  prompt: "Prompts",
  model: "Model",
  tool: "Tools",
  hook: "Hooks",
  harness: "Harness",
  task: "Tasks",
  session: "Session",
};

/** What is drawn for a mark, and how it is called. A glyph is told apart by its shape, never by its colour alone. */
export const MARKS: Readonly<Record<MarkKind, { readonly glyph: string; readonly label: string }>> = {
  prompt: { glyph: "prompt", label: "prompt" },
  turn: { glyph: "turn", label: "turn" },
  block: { glyph: "block", label: "blocked call" },
  error: { glyph: "error", label: "error" },
  restart: { glyph: "restart", label: "restart" },
  compaction: { glyph: "compaction", label: "compaction" },
  abort: { glyph: "abort", label: "abort" },
  fork: { glyph: "fork", label: "fork" },
  end: { glyph: "end", label: "end of a run" },
  checkpoint: { glyph: "checkpoint", label: "checkpoint" },
};
