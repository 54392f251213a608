/** The shapes of what becomes of the tasks that a session gave to subagents: facts of the session's own stream. */
import { z } from "zod";
import { callId, sha256 } from "./fact-shapes.ts";

/** `task_` and 16 hexadecimal digits; the subagent's session has it as its id. */
const taskId = z.string();
/** What the subagent had said last; `null` for nothing. */
const partialText = z.string().nullable();

/** The newest schema of each. */
export const subagentFactSchemas = {
  "subagent.queued": z.object({
    taskId,
    callId,
    description: z.string(),
    role: z.string().nullable(),
    /** Nobody waits for it in its call. */
    isAsync: z.boolean(),
    /** Milliseconds. */
    timeoutMs: z.int().positive(),
    /** The blob that holds what it is told, its role included. */
    promptSha256: sha256,
    /** In place of the session's; `null`: the session's. */
    model: z.string().nullable(),
    /** It may have subagents of its own. */
    delegates: z.boolean(),
  }),
  "subagent.started": z.object({ taskId }),
  "subagent.completed": z.object({ taskId, text: z.string() }),
  "subagent.timed_out": z.object({ taskId, partialText }),
  "subagent.cancelled": z.object({
    taskId,
    cause: z.enum(["asked", "parent_aborted", "parent_shut_down", "call_ended", "subagent_aborted"]),
    /** The call that asked for it; `null`: none did. */
    callId: callId.nullable(),
    reason: z.string().nullable(),
  }),
  "subagent.failed": z.object({
    taskId,
    class: z.enum(["model_failed", "session_crashed", "empty_answer", "start_failed"]),
    partialText,
  }),
  "subagent.lost": z.object({ taskId, partialText }),
  /** The model was told how they ended, by the call. */
  "subagent.reported": z.object({ taskIds: z.array(taskId), callId }),
};
