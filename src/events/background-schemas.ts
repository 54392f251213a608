/** The shapes of what is recorded of background runs, in a stream of their own. docs/reference/background-runs.md */
import { z } from "zod";
import { count, sessionSettings, sha256 } from "./fact-shapes.ts";

/** Milliseconds of work, over all attempts so far. */
const ranMs = count;
/** What the model had written by then, where the session's own facts do not hold it. */
const partialText = z.string().nullable();

/** What becomes of a run whose process ended. */
const onRestart = z.enum(["resume", "lost"]);

/** The newest schema of each. */
export const backgroundFactSchemas = {
  "background_run.queued": z.object({
    id: z.string(),
    /** Blob of the prompt. */
    promptSha256: sha256,
    cwd: z.string(),
    /** In place of the built system prompt; `null`: the built one. */
    systemPrompt: z.string().nullable(),
    settings: z.object(sessionSettings),
    parentSessionId: z.string().nullable(),
    parentSessionKey: z.string().nullable(),
    agentId: z.string().nullable(),
    /** Milliseconds that it may work, over all attempts. */
    timeoutMs: z.int().positive(),
    onRestart,
    worker: z.enum(["inProcess", "detached"]),
    /** Another process can do it too: its model and its extensions are known by name and path. */
    portable: z.boolean(),
  }),
  "background_run.started": z.object({
    /** 1, 2, 3 … */
    attempt: z.int().positive(),
    owner: z.object({ pid: z.int().positive(), host: z.string() }),
    lease: z.object({ key: z.string(), fence: count }),
  }),
  "background_run.requeued": z.object({
    /** The one that ended. */
    attempt: z.int().positive(),
    ranMs,
    /** `owner_lost`: its process is gone. `shut_down`: its process closed in good order. */
    cause: z.enum(["owner_lost", "shut_down"]),
  }),
  "background_run.approval_answered": z.object({
    callId: z.string(),
    verdict: z.enum(["allow", "deny"]),
    reason: z.string().nullable(),
  }),
  "background_run.text_recorded": z.object({ partialText: z.string() }),
  "background_run.completed": z.object({ ranMs }),
  "background_run.timed_out": z.object({ ranMs, partialText }),
  "background_run.cancelled": z.object({
    ranMs,
    /** The caller's words, up to 500 characters; no view shows them. */
    reason: z.string().nullable(),
  }),
  "background_run.failed": z.object({
    ranMs,
    class: z.enum(["model_failed", "session_crashed", "empty_answer", "start_failed"]),
    /** A bounded word for what failed; no view shows it. */
    error: z.string().nullable(),
    partialText,
  }),
  "background_run.lost": z.object({
    ranMs,
    cause: z.enum(["too_many_restarts", "not_resumable", "nobody_can"]),
  }),
};
