/**
 * `lemon allow ID` and `lemon deny ID`: answer a call that waits, and leave the rest of the run to `lemon resume`.
 *
 * A call that is allowed runs here, to its end: one that had started and was left would count as interrupted.
 */
import { NotFoundError } from "../../errors.ts";
import { isRunId } from "../../harness/index.ts";
import type { SessionEvent } from "../../projections/index.ts";
import { pendingApprovals } from "../../replay/index.ts";
import type { PendingApproval, Session } from "../../runtime/index.ts";
import { describeCall } from "../calls.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { openRuntime, withRuntime } from "../leading.ts";
import { readingLog } from "../reading.ts";

/** Lets a waiting call run. */
export function allow(context: Context, id: string): Promise<Status> {
  return answer(context, id, "allow", null);
}

/** Refuses a waiting call. */
export function deny(context: Context, id: string, reason: string | undefined): Promise<Status> {
  return answer(context, id, "deny", reason ?? null);
}

async function answer(
  context: Context,
  id: string,
  verdict: "allow" | "deny",
  reason: string | null,
): Promise<Status> {
  const { out, interrupts } = context;
  const waiting = await readingLog(context, (log) => pendingApprovals(log));
  const call = waiting.find((each) => each.id === id);
  if (call === undefined)
    throw new NotFoundError(`no call ${JSON.stringify(id)} waits for an answer: see \`lemon approvals\``);
  if (isRunId(call.sessionId)) return answerRun(context, call, verdict, reason);
  const signal = interrupts.soften();
  const runtime = await openRuntime(context);
  try {
    await resolve(await open(), reason);
  } finally {
    await runtime.close();
  }
  if (interrupts.happened) return interrupts.status;
  tell(context, call, verdict);
  return statuses.done;

  async function open(): Promise<Opened> {
    let isOver = (): void => undefined;
    const ended = new Promise<void>((done) => (isOver = done));
    const onEvent = (event: SessionEvent): void => {
      if (event.type === "tool_execution_end" && event.toolCallId === id) isOver();
    };
    signal.addEventListener("abort", () => isOver(), { once: true });
    return { session: await runtime.sessions.resume(call?.sessionId ?? "", { onEvent }), ended };
  }

  async function resolve({ session, ended }: Opened, why: string | null): Promise<void> {
    try {
      await session.approvals.resolve(id, verdict, why);
      const isRunning = session
        .state()
        .pendingToolCalls.some((each) => each.id === id && each.state === "running");
      if (isRunning) {
        out.progress(`running ${call?.tool ?? ""}`);
        // The end of the run, however it comes, ends the call too.
        await Promise.race([ended, session.outcome()]);
      }
    } finally {
      await session.release();
    }
  }
}

/** A background run is left to the process that works on it, which passes the answer on. */
async function answerRun(
  context: Context,
  call: PendingApproval,
  verdict: "allow" | "deny",
  reason: string | null,
): Promise<Status> {
  const { out } = context;
  const { id, sessionId } = call;
  const answered = await withRuntime(context, ({ background }) =>
    background.answer(sessionId, { callId: id, verdict, reason }),
  );
  if (answered !== null && answered !== verdict)
    throw new NotFoundError(`call ${JSON.stringify(id)} was answered before: ${answered}`);
  if (out.json) out.document({ id, sessionId, tool: call.tool, verdict });
  else out.line(`${verdict === "allow" ? "allowed" : "denied"} ${describeCall(call.tool, call.args)}`);
  if (answered === null) out.note("the run takes the answer when somebody works on it again");
  return statuses.done;
}

interface Opened {
  readonly session: Session;
  readonly ended: Promise<void>;
}

function tell({ out }: Context, call: PendingApproval, verdict: "allow" | "deny"): void {
  const { id, sessionId, tool, args } = call;
  if (out.json) return out.document({ id, sessionId, tool, verdict });
  out.line(`${verdict === "allow" ? "allowed" : "denied"} ${describeCall(tool, args)}`);
  out.note(`\`lemon resume ${sessionId}\` goes on`);
}
