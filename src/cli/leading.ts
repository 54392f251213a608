/** Leads one session to the end of a run: `lemon run` and `lemon resume`. */
import type { SessionEvent } from "../projections/index.ts";
import {
  createRuntime,
  type Outcome,
  type Runtime,
  type Session,
  type SessionOptions,
} from "../runtime/index.ts";
import { Approver } from "./approver.ts";
import { statuses, type Status } from "./errors.ts";
import { warnOfFaults } from "./extension-faults.ts";
import type { Context } from "./globals.ts";
import { HumanView } from "./human-view.ts";
import { JsonView } from "./json-view.ts";
import { loggerOf } from "./logger.ts";
import type { RunView } from "./run-view.ts";

/** What is done with a session. */
export interface Lead {
  /** Starts or resumes it. */
  readonly open: (runtime: Runtime, options: SessionOptions) => Promise<Session>;
  /** Has it run. `null`: there was nothing to run. */
  readonly go: (session: Session) => Promise<Outcome | null>;
}

/** Runs of sessions at once, unless the configuration says otherwise: commands share the machine with who sits at it. */
const MAIN_LANE = 4;

/** The abort could not be recorded, so nobody waits for the outcome. */
const GIVEN_UP = Symbol("given up");

/** Which view the flags ask for. */
export function viewOf({ out }: Context): RunView {
  return out.json ? new JsonView(out) : new HumanView(out);
}

/** A runtime in the home and on the log that the flags name. */
export function openRuntime({ home, log, isLogNamed, cwd, env, out }: Context): Promise<Runtime> {
  const onExtensionOutput = (module: string, line: string): void => out.note(`[${module}] ${line}`);
  const logger = loggerOf(out);
  const named = isLogNamed ? { log } : {};
  // A command ends too soon to work on what is to outlive it.
  const background = { role: "command" } as const;
  return createRuntime({
    home,
    cwd,
    env,
    logger,
    onExtensionOutput,
    mainLane: MAIN_LANE,
    background,
    ...named,
  });
}

/** Has a runtime for some work, and closes it. */
export async function withRuntime<Result>(
  context: Context,
  use: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  const runtime = await openRuntime(context);
  try {
    return await use(runtime);
  } finally {
    context.leftBehind(await runtime.close());
  }
}

/** Opens the session, shows its run, asks what has to be asked, and closes all. The first interrupt aborts the run. */
export async function lead(context: Context, options: SessionOptions, { open, go }: Lead): Promise<Status> {
  const { out, interrupts } = context;
  const signal = interrupts.soften();
  const view = viewOf(context);
  const runtime = await openRuntime(context);
  try {
    // What a resumed run does before its session is here is shown after the header.
    const early: SessionEvent[] = [];
    let onEvent = (event: SessionEvent): void => void early.push(event);
    const approver = new Approver(context);
    const onSubagent = (subagent: Session): void => approver.attend(subagent);
    const session = await open(runtime, { ...options, onSubagent, onEvent: (event) => onEvent(event) });
    onEvent = (event) => {
      view.take(event);
      if (event.type === "approval_requested") approver.ask(session, event);
      if (event.type === "extension_status_report") warnOfFaults(out, session.extensionStatusReport());
    };
    view.begin(session.id);
    for (const event of early) onEvent(event);
    for (const pending of session.approvals.pending()) approver.ask(session, pending);

    let giveUp: (givenUp: typeof GIVEN_UP) => void = () => undefined;
    const unrecorded = new Promise<typeof GIVEN_UP>((resolve) => (giveUp = resolve));
    const abort = (): void => {
      const reason = signal.reason instanceof Error ? signal.reason.message : "interrupted";
      session.abort(reason).catch((error: unknown) => {
        out.error("the abort could not be recorded", error);
        giveUp(GIVEN_UP);
      });
    };
    if (signal.aborted) {
      abort();
      return interrupts.status;
    }
    signal.addEventListener("abort", abort, { once: true });
    // A log that can't be written holds the run open, so an abort that it doesn't take ends the wait for the outcome.
    const outcome = await Promise.race([go(session), unrecorded]);
    // The outcome is the last that is shown: that the session is closed now is no news.
    onEvent = () => undefined;
    if (outcome === GIVEN_UP) return interrupts.status;
    if (outcome === null) return statuses.done;
    view.end(outcome);
    return statusOfOutcome(context, outcome);
  } finally {
    out.clearProgress();
    await close(context, runtime);
  }
}

/** Of an interrupted command the end is what counts: a log that can't be written is told, and keeps it from nothing. */
async function close({ out, interrupts, leftBehind }: Context, runtime: Runtime): Promise<void> {
  try {
    leftBehind(await runtime.close());
  } catch (error) {
    if (!interrupts.happened) throw error;
    out.error("the log could not be closed", error);
  }
}

/** The exit status that tells how a run ended. */
export function statusOfOutcome({ interrupts }: Context, { status }: Outcome): Status {
  if (status === "completed") return statuses.done;
  return status === "aborted" && interrupts.happened ? interrupts.status : statuses.failed;
}
