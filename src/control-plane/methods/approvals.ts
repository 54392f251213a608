/** `approvals.*` */
import { z } from "zod";
import { NotFoundError } from "../../errors.ts";
import { isRunId } from "../../runtime/index.ts";
import { defineMethod, type Method } from "../method.ts";
import { jsonObject, optionalText, sessionId } from "./shapes.ts";

const list = defineMethod({
  name: "approvals.list",
  scope: "read",
  summary: "Lists the calls that wait for an answer, of all sessions or of one.",
  params: z.object({ sessionId: sessionId.exactOptional() }),
  result: z.object({
    approvals: z.array(
      z.object({
        id: z.string(),
        sessionId: z.string(),
        runId: z.string().nullable(),
        toolCallId: z.string(),
        tool: z.string(),
        args: jsonObject.nullable(),
        rationale: z.string().nullable(),
        expiresAt: z.null(),
      }),
    ),
  }),
  run: async ({ sessionId: id }, { runtime }) => ({ approvals: await runtime.sessions.approvals(id) }),
});

const resolve = defineMethod({
  name: "approvals.resolve",
  scope: "approvals",
  summary: "Answers a call that waits. A session that is not open is opened, and its run goes on.",
  params: z.object({
    sessionId,
    id: z.string().describe("as `approvals.list` gives it"),
    decision: z.enum(["allow", "deny"]),
    reason: optionalText.describe("told to the model"),
  }),
  result: z.object({ resolved: z.literal(true) }),
  run: async ({ sessionId: session, id, decision, reason }, { runtime }) => {
    const waiting = await runtime.sessions.approvals(session);
    // Only what waits opens a session.
    if (!waiting.some((call) => call.id === id)) {
      throw new NotFoundError("no call waits under this id", { field: "id" });
    }
    const { sessions, background } = runtime;
    if (isRunId(session) && (await sessions.get(session)) === null) {
      await background.answer(session, { callId: id, verdict: decision, reason: reason ?? null });
      return { resolved: true as const };
    }
    const opened = await sessions.resume(session);
    await opened.approvals.resolve(id, decision, reason ?? null);
    return { resolved: true as const };
  },
});

/** All of them. */
export const approvalMethods: readonly Method[] = [list, resolve];
