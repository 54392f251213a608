/** `lemon ask ID QUESTION` */
import { idOfKey, isSessionId, sessionStreamName } from "../../harness/index.ts";
import { DataRedactedError } from "../../log/index.ts";
import { findSession, listSessions, SessionNotFoundError, type SessionSummary } from "../../replay/index.ts";
import { readQuestion } from "../../runtime/index.ts";
import type { AskFlags } from "../flags.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { withRuntime } from "../leading.ts";
import { prepare } from "../preparation.ts";
import { wantsPrivacy } from "../privacy.ts";
import { readingLog } from "../reading.ts";
import { runPrivately } from "../results.ts";
import { readText } from "../standard-input.ts";

/** Asks a question about a session, which it leaves alone: it may be at work in another process. */
export async function ask(
  context: Context,
  id: string,
  argument: string | undefined,
  flags: AskFlags,
): Promise<Status> {
  const { out, interrupts } = context;
  if (await wantsPrivacy(context, flags, true)) return runPrivately();
  const question = readQuestion(await readText(argument, "question"));
  const { sessionId, cwd } = await requireSource(context, id);
  if (cwd === null) throw new DataRedactedError(sessionStreamName(sessionId));
  const { script, extensions } = await prepare(context, flags, { cwd, isNew: false });
  const signal = interrupts.soften();
  try {
    const result = await withRuntime(context, ({ sideQuery }) =>
      sideQuery.ask(sessionId, question, {
        signal,
        ...(flags.model === undefined ? {} : { model: flags.model }),
        ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
        ...(script === undefined ? {} : { script }),
        ...(extensions === undefined ? {} : { extensions }),
      }),
    );
    if (out.json) out.document(result);
    else out.line(result.text);
    return statuses.done;
  } catch (error) {
    if (interrupts.happened) return interrupts.status;
    throw error;
  }
}

/** Found before a runtime is started, which would make a home and a log. */
async function requireSource(context: Context, source: string): Promise<SessionSummary> {
  const found = await readingLog(context, async (log) => {
    for (const id of new Set([source, idOfKey(source)])) {
      const known = isSessionId(id) ? await findSession(log, id) : null;
      if (known !== null) return known;
    }
    return (await listSessions(log)).find(({ sessionKey }) => sessionKey === source);
  });
  if (found === undefined) throw new SessionNotFoundError(source);
  return found;
}
