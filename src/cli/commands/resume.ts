/** `lemon resume ID` */
import type { OutcomeView } from "../../projections/index.ts";
import { requireWhole, viewsAt } from "../../replay/index.ts";
import { NotFoundError } from "../../errors.ts";
import type { Outcome } from "../../runtime/index.ts";
import type { Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { lead, statusOfOutcome, viewOf } from "../leading.ts";
import { assertAnswerable } from "../pending.ts";
import { prepare } from "../preparation.ts";
import type { LeadFlags } from "../flags.ts";
import { wantsPrivacy } from "../privacy.ts";
import { readingLog } from "../reading.ts";
import { runPrivately } from "../results.ts";

/** Goes on with a run that was cut off, to its end. Without one, shows the last outcome again and changes nothing. */
export async function resume(context: Context, id: string, flags: LeadFlags): Promise<Status> {
  const { session } = await readingLog(context, async (log) => {
    const { sessionId } = await requireWhole(log, id);
    return viewsAt(log, `session-${sessionId}`);
  });
  const options = await prepare(context, flags, { cwd: session.cwd, isNew: false });
  if (session.run === null) return repeat(context, id, session.outcome);
  if (await wantsPrivacy(context, flags, true)) return runPrivately();
  await assertAnswerable(context, id, flags.approve);
  return lead(context, options, {
    open: ({ sessions }, settings) => sessions.resume(id, settings),
    go: (opened) => opened.outcome(),
  });
}

function repeat(context: Context, id: string, last: OutcomeView | null): Status {
  if (last === null)
    throw new NotFoundError(`session ${id} has had no run yet: start one with \`lemon run --session\``);
  const { status, text, stopReason, error, usage, version } = last;
  const outcome: Outcome = { status, text, stopReason, error, usage, version };
  viewOf(context).repeat(id, outcome);
  return statusOfOutcome(context, outcome);
}
