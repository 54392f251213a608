/** `tasks.*`: what sessions gave to subagents. docs/reference/subagents.md has the rules. */
import { z } from "zod";
import { defineMethod, type Method } from "../method.ts";
import { optionalText, sessionId } from "./shapes.ts";

const status = z.enum(["queued", "running", "completed", "timeout", "cancelled", "failed", "lost"]);
const epochMs = z.number().nullable();

const summary = z.object({
  taskId: z.string(),
  sessionId: z.string(),
  parentSessionId: z.string(),
  description: z.string(),
  role: z.string().nullable(),
  isAsync: z.boolean(),
  status,
  failure: z.enum(["model_failed", "session_crashed", "empty_answer", "start_failed"]).nullable(),
  queuedAt: z.number(),
  startedAt: epochMs,
  endedAt: epochMs,
});

const list = defineMethod({
  name: "tasks.list",
  scope: "read",
  summary: "Lists the tasks that a session gave to subagents, the oldest first.",
  params: z.object({ sessionId }),
  result: z.object({ tasks: z.array(summary) }),
  run: async ({ sessionId: id }, { runtime }) => ({ tasks: await runtime.tasks.list(id) }),
});

const get = defineMethod({
  name: "tasks.get",
  scope: "read",
  summary: "Gives a task with its answer and the files that its subagent changed.",
  params: z.object({ taskId: z.string() }),
  result: summary.extend({
    text: z.string().nullable(),
    partialText: z.string().nullable(),
    filesChanged: z.array(
      z.object({ path: z.string(), change: z.enum(["created", "modified", "deleted", "mode"]) }),
    ),
    coverage: z.enum(["full", "partial", "none"]),
  }),
  run: ({ taskId }, { runtime }) => runtime.tasks.get(taskId),
});

const cancel = defineMethod({
  name: "tasks.cancel",
  scope: "write",
  summary: "Ends a task; its end is recorded before its subagent is stopped.",
  params: z.object({ taskId: z.string(), reason: optionalText }),
  result: z.object({ taskId: z.string(), cancelled: z.boolean(), status }),
  run: ({ taskId, reason }, { runtime }) => runtime.tasks.cancel(taskId, reason ?? null),
});

/** All of them. */
export const taskMethods: readonly Method[] = [list, get, cancel];
