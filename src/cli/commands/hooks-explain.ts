/** `lemon hooks explain SESSION [CALL]` */
import { NotFoundError } from "../../errors.ts";
import {
  hookAccount,
  project,
  type ApprovalAccount,
  type CallAccount,
  type CallOutcome,
  type HandlerAccount,
} from "../../projections/index.ts";
import { historyOf } from "../../log/index.ts";
import { requireSession } from "../../replay/index.ts";
import { describeCall } from "../calls.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** Tells what hooks did to the calls of a session, or to one of them. */
export async function explainHooks(context: Context, id: string, callId?: string): Promise<Status> {
  const { out } = context;
  const calls = await readingLog(context, async (log) => {
    const { sessionId } = await requireSession(log, id);
    let view = hookAccount.initial;
    for await (const fact of historyOf(log, `session-${sessionId}`)) view = project(hookAccount, view, fact);
    return Object.values(view.calls);
  });
  const wanted = callId === undefined ? calls : calls.filter((call) => call.callId === callId);
  if (callId !== undefined && wanted.length === 0)
    throw new NotFoundError(
      `session ${id} has no call ${callId}; lemon hooks explain ${id} lists those that there are`,
    );
  if (out.json) {
    out.document({ sessionId: id, calls: wanted });
    return statuses.done;
  }
  for (const [index, call] of wanted.entries()) {
    if (index > 0) out.line("");
    out.line(`${out.paint("bold", call.callId)}  ${describeCall(call.tool, call.args)}`);
    for (const line of linesOf(call)) out.line(`  ${line}`);
  }
  return statuses.done;
}

function linesOf({ handlers, approval, outcome }: CallAccount): string[] {
  const asked = handlers.length === 0 ? ["hooks     none"] : handlers.map(handlerLine);
  return [
    ...asked,
    `approval  ${approvalWords(approval)}`,
    `outcome   ${outcomeWords(outcome)}`,
    ...(outcome.argsReplaced ? [`ran with  ${oneLine(JSON.stringify(outcome.args), 200)}`] : []),
    ...(outcome.context === null ? [] : [`context   ${oneLine(outcome.context, 200)}`]),
  ];
}

function handlerLine({ hook, module, handler, said, answer, failure, durationMs }: HandlerAccount): string {
  const who = module === "" ? "nobody" : `${module}#${handler}`;
  const what =
    failure !== null
      ? `failed (${failure.kind}): ${failure.message}`
      : said.length === 0
        ? "nothing"
        : `${said.join(", ")} ${JSON.stringify(answer)}`;
  return `${hook}  ${who}  ${durationMs.toFixed(1)} ms  ${oneLine(what, 200)}`;
}

function approvalWords({ mode, asked, verdict, reason, waitedMs }: ApprovalAccount): string {
  if (!asked) return `not asked, policy says ${mode}`;
  if (verdict === null) return "asked, not answered";
  const why = reason === null ? "" : `: ${oneLine(reason, 200)}`;
  return `asked, ${verdict === "allow" ? "allowed" : "denied"} after ${waitedMs ?? 0} ms${why}`;
}

function outcomeWords({ status, reason, isError, resultChanged }: CallOutcome): string {
  const why = reason === null ? "" : `: ${oneLine(reason, 200)}`;
  const error = status === "ran" && isError ? ", an error result" : "";
  return `${status}${error}${why}${resultChanged ? "; its result was changed" : ""}`;
}
