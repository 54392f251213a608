/** `agent.*` */
import { z } from "zod";
import { defineMethod, type Frozen, type Method } from "../method.ts";
import {
  checkpointStats,
  count,
  feature,
  featureProgress,
  optionalText,
  sessionId,
  todo,
  todoProgress,
} from "./shapes.ts";

/** Bytes of what a caller says of itself. */
const MAX_METADATA_BYTES = 256;

const metadata = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= MAX_METADATA_BYTES, `at most ${MAX_METADATA_BYTES} bytes`)
  .exactOptional();

const nextTodo = todo.pick({ id: true, content: true, status: true, priority: true, dependencies: true });
const nextFeature = feature.pick({
  id: true,
  description: true,
  status: true,
  priority: true,
  dependencies: true,
});

const snapshot = z.object({
  todos: todoProgress,
  features: featureProgress.nullable(),
  checkpoints: checkpointStats,
  overallPercentage: count,
  nextActions: z.object({ todos: z.array(nextTodo), features: z.array(nextFeature) }),
  featuresError: z.string().nullable(),
});

type Snapshot = Frozen<z.input<typeof snapshot>>;

const summary = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  overallPercentage: count,
  todos: todoProgress,
  features: featureProgress.omit({ projectName: true }),
  hasFeatures: z.boolean(),
  checkpoints: z.object({ count, filesystemCount: count, hasNewest: z.boolean(), hasOldest: z.boolean() }),
  nextActionCounts: z.object({ todos: count, features: count }),
  cleanup: z.object({
    includesNextActionContent: z.literal(false),
    includesPromptText: z.literal(false),
    includesMessageBodies: z.literal(false),
    includesCredentials: z.literal(false),
    includesSecretValues: z.literal(false),
  }),
});

const progress = defineMethod({
  name: "agent.progress",
  scope: "read",
  summary: "Tells how far the work of a session is: todos, features, checkpoints, and what can be done next.",
  params: z.object({
    sessionId,
    cwd: optionalText.describe("default: the folder of the session, else of the server"),
    runId: metadata,
    sessionKey: metadata,
    agentId: metadata,
  }),
  result: z.object({ sessionId: z.string(), cwd: z.string(), snapshot, summary }),
  run: async ({ sessionId: asked, cwd: said = "", runId, sessionKey, agentId }, { runtime }) => {
    const folder = said.trim() === "" ? "." : said.trim();
    const { sessionId: id, cwd, snapshot: found } = await runtime.progress.read(asked, folder);
    const told = summaryOf(id, cwd, found);
    await runtime.introspection.record({
      eventType: "agent_progress_snapshot",
      runId: given(runId),
      sessionId: id,
      sessionKey: given(sessionKey),
      agentId: given(agentId),
      parentRunId: null,
      provenance: "direct",
      payload: { sessionId: id, cwd, overallPercentage: told.overallPercentage },
    });
    return { sessionId: id, cwd, snapshot: found, summary: told };
  },
});

/** All of them. */
export const agentMethods: readonly Method[] = [progress];

/** What is blank was not given. */
function given(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" ? null : text;
}

/** What can be shown anywhere: counts, and no content. */
function summaryOf(id: string, cwd: string, found: Snapshot): z.input<typeof summary> {
  const { todos, features, checkpoints, overallPercentage, nextActions } = found;
  const { count: checkpointCount, filesystemCount, oldest, newest } = checkpoints;
  return {
    sessionId: id,
    cwd,
    overallPercentage,
    todos,
    features: featureCounts(features),
    hasFeatures: features !== null,
    checkpoints: {
      count: checkpointCount,
      filesystemCount,
      hasNewest: newest !== null,
      hasOldest: oldest !== null,
    },
    nextActionCounts: { todos: nextActions.todos.length, features: nextActions.features.length },
    cleanup: {
      includesNextActionContent: false,
      includesPromptText: false,
      includesMessageBodies: false,
      includesCredentials: false,
      includesSecretValues: false,
    },
  };
}

function featureCounts(features: Snapshot["features"]): z.input<typeof summary>["features"] {
  if (features === null)
    return { total: 0, completed: 0, failed: 0, inProgress: 0, pending: 0, percentage: 0 };
  const { total, completed, failed, inProgress, pending, percentage } = features;
  return { total, completed, failed, inProgress, pending, percentage };
}
