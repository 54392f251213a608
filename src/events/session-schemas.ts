/** Facts about a session itself: that it began, how it is set, that it was closed. */
import { z } from "zod";
import { sessionLineage, sessionSettings } from "./fact-shapes.ts";

/** The newest schema of each. */
export const sessionFactSchemas = {
  "session.started": z.object({
    sessionId: z.string(),
    cwd: z.string(),
    systemPrompt: z.string(),
    lineage: sessionLineage,
    ...sessionSettings,
  }),
  "session.forked": z.object({
    sessionId: z.string(),
    cwd: z.string(),
    from: z.string(),
    at: z.int().positive(),
    /** The run that is open at `at` and that the fork goes on with; `null` for none. */
    runId: z.string().nullable(),
    /** `null`: the parent's. */
    systemPrompt: z.string().nullable(),
    lineage: sessionLineage,
    ...sessionSettings,
  }),
  "session.configured": z.object(sessionSettings),
  "session.shut_down": z.object({ reason: z.string() }),
  "plan_mode.entered": z.object({}),
  "plan_mode.exited": z.object({}),
};
