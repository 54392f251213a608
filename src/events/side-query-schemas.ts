/** The shapes of a side query: facts of `side_query-<id>`. */
import { z } from "zod";
import { count, thinkingLevel, usage } from "./fact-shapes.ts";

/** The newest schema of each. */
export const sideQueryFactSchemas = {
  "side_query.asked": z.object({
    /** `sq_` and 16 hexadecimal digits. */
    queryId: z.string(),
    question: z.string(),
    /** The session that it is about; `null`: a conversation that the caller gave. */
    sourceSessionId: z.string().nullable(),
    source: z.enum(["live", "log", "transcript"]),
    /** As it was asked for; `null`: that of the source, or what is configured. */
    model: z.string().nullable(),
    thinkingLevel: thinkingLevel.nullable(),
    timeoutMs: count,
    /** Runs of the source, where it is read from the log. */
    limit: count,
  }),
  "side_query.answered": z.object({
    text: z.string(),
    model: z.string(),
    modelId: z.string(),
    usage,
    durationMs: count,
    /** Version of the source that was read; `null` for a conversation that the caller gave. */
    sourceVersion: count.nullable(),
    /** How many of its messages the model was shown. */
    messages: count,
    /** And how many it was not. */
    leftOut: count,
  }),
  "side_query.failed": z.object({
    reason: z.enum([
      "session_not_found",
      "session_unavailable",
      "history_unavailable",
      "timeout",
      "cancelled",
      "query_failed",
    ]),
    /** The class of the failure behind it; `null` when the reason says all. */
    why: z.string().nullable(),
    usage,
    /** `null`: its process is gone, and nobody knows. */
    durationMs: count.nullable(),
  }),
};
