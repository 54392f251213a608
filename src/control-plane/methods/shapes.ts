/** Shapes that several methods share. */
import { z } from "zod";
import { idOfKey } from "../../runtime/index.ts";

/** An id or key of a session. What is no id is answered like one that nobody knows. */
export const sessionId = z.string().overwrite(idOfKey).describe("id or key of a session");
/** Of which there may be none. */
export const optionalText = z.string().exactOptional();
/** How many items an answer may have. */
export const limit = z.int().min(1).max(1_000).exactOptional();
/** 0 and more. */
export const count = z.int().min(0);
/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());

/** Tokens. */
export const usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  reasoningTokens: count,
});

/** How a run ended. */
export const outcome = z.object({
  status: z.enum(["completed", "aborted", "failed"]),
  text: z.string(),
  stopReason: z.enum(["end_turn", "max_tokens", "content_filter", "aborted", "max_tool_turns", "error"]),
  error: z.object({ class: z.string(), status: z.int().nullable() }).nullable(),
  usage,
  version: count,
});

/** A session at one moment. */
export const sessionState = z.object({
  sessionId: z.string(),
  sessionKey: z.string(),
  origin: z.enum(["session", "background", "subagent"]),
  parentSessionId: z.string().nullable(),
  cwd: z.string(),
  model: z.string(),
  status: z.enum(["new", "idle", "queued", "running", "shut_down"]),
  mode: z.enum(["normal", "plan"]),
  version: count,
  runId: z.string().nullable(),
  turn: count.nullable(),
  pendingToolCalls: z.array(z.object({ id: z.string(), name: z.string(), state: z.string() })),
  usage,
  outcome: outcome.nullable(),
});

/** A fact as it was recorded. */
export const fact = z.object({
  position: count,
  stream: z.string(),
  version: count,
  type: z.string(),
  schemaVersion: count,
  at: z.number(),
  actor: z.string(),
  causation: count.nullable(),
  correlation: z.string().nullable(),
  kind: z.enum(["input", "decision"]),
  data: z.unknown(),
  redacted: z.string().exactOptional(),
  hash: z.string(),
});

/** A todo. Members that are not named here are kept as they were given. */
export const todo = z.looseObject({
  id: z.string(),
  content: z.string(),
  status: z.string(),
  priority: z.string(),
  dependencies: z.array(z.string()),
  estimatedEffort: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  completedAt: z.string().nullable(),
  metadata: jsonObject,
});

/** Counts of todos. */
export const todoProgress = z.object({
  total: count,
  completed: count,
  inProgress: count,
  blocked: count,
  pending: count,
  percentage: count,
});

/** A feature of FEATURE_REQUIREMENTS.json. */
export const feature = z.object({
  id: z.string(),
  description: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "failed"]),
  dependencies: z.array(z.string()),
  priority: z.enum(["high", "medium", "low"]),
  acceptanceCriteria: z.array(z.string()),
  notes: z.string(),
  createdAt: z.string(),
  updatedAt: z.string().nullable(),
});

/** FEATURE_REQUIREMENTS.json. */
export const featureDocument = z.object({
  projectName: z.string(),
  originalPrompt: z.string(),
  features: z.array(feature),
  createdAt: z.string(),
  version: z.string(),
});

/** Counts of features. */
export const featureProgress = z.object({
  total: count,
  completed: count,
  failed: count,
  inProgress: count,
  pending: count,
  percentage: count,
  projectName: z.string(),
});

/** What is wrong with the dependencies of an item. */
export const dependencyProblem = z.object({
  id: z.string(),
  kind: z.enum(["missing", "cycle", "failed", "duplicate"]),
  dependency: z.string().nullable(),
});

/** How many checkpoints a session has. */
export const checkpointStats = z.object({
  count,
  filesystemCount: count,
  oldest: z.string().nullable(),
  newest: z.string().nullable(),
});
