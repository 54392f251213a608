/**
 * A run that this process works on: its session, its time limit, and what ends it. docs/reference/background-runs.md
 *
 * It ends in one of these ways, whichever is first: its session's run ended, its time is up, somebody recorded its end
 * (a cancel), this process closes, or the lease under which it is done may be lost.
 */
import type { RunOutcome } from "../../actors/index.ts";
import { LemonError } from "../../errors.ts";
import type { FactData } from "../../events/index.ts";
import { sessionKeyOf } from "../../harness/index.ts";
import type { Job, Lease } from "../../log/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { isFinalRun, type BackgroundRunView } from "../../projections/index.ts";
import { SessionFailedError } from "../errors.ts";
import { LiveText } from "../live-text.ts";
import type { Session } from "../session.ts";
import type { Sessions } from "../sessions.ts";
import { endWithin } from "./end-within.ts";
import { isPassing, reasonOf } from "./reason.ts";
import type { RunLog } from "./run-log.ts";

/** Milliseconds between two tries to open a session that another process still holds, or whose log is full. */
const REOPEN_MS = 500;
/** Milliseconds that a session gets to end once it is told to; then it is let go as it is. */
const GRACE_MS = 10_000;

/** What an owned run needs of its runtime. */
export interface OwnedRunDeps {
  readonly runs: RunLog;
  readonly sessions: Pick<Sessions, "start" | "resume" | "isKnown">;
  readonly promptOf: (sha256: string) => Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

type End =
  | { readonly type: "session_ended"; readonly outcome: RunOutcome }
  | {
      readonly type: "session_failed";
      readonly class: "session_crashed" | "start_failed";
      readonly error: string;
    }
  | { readonly type: "time_up" | "recorded" | "leaves" | "lead_lost" };

/** Works on one run until it ends here. */
export class OwnedRun {
  readonly id: string;
  readonly #view: BackgroundRunView;
  readonly #lease: Lease;
  readonly #deps: OwnedRunDeps;
  readonly #live = new LiveText();
  readonly #end: Promise<End>;
  #endWith: (end: End) => void = () => undefined;
  #hasEnded = false;
  #isLeaving = false;
  /** Resolves once the session is open, or will not be. */
  readonly #opened: Promise<void>;
  #openingOver: () => void = () => undefined;
  #session: Session | null = null;

  /** @param view - as it stood once it was claimed under `lease` */
  constructor(id: string, view: BackgroundRunView, lease: Lease, deps: OwnedRunDeps) {
    this.id = id;
    this.#view = view;
    this.#lease = lease;
    this.#deps = deps;
    this.#opened = new Promise((resolve) => (this.#openingOver = resolve));
    this.#end = new Promise((resolve) => {
      this.#endWith = (end) => {
        this.#hasEnded = true;
        resolve(end);
      };
    });
  }

  /** Whether the line says that this process does it. */
  isUnder(holder: Job["holder"]): boolean {
    return holder?.key === this.#lease.key && holder.fence === this.#lease.fence;
  }

  /** Somebody recorded its end: all that it does is stopped. */
  recorded(): void {
    this.#endWith({ type: "recorded" });
  }

  /** The lease is gone, or may be soon: nothing may take effect any more. */
  loseLead(): void {
    this.#endWith({ type: "lead_lost" });
  }

  /** Answers a call of it that waits for a person. One that does not wait any more is let be. */
  async answer({ callId, verdict, reason }: FactData<"background_run.approval_answered">): Promise<void> {
    try {
      await this.#session?.approvals.resolve(callId, verdict, reason);
    } catch (error) {
      if (!(error instanceof LemonError) || error.reason !== "not_found") throw error;
    }
  }

  /** Works on it. Resolves when nothing of it is left in this process. @param signal - fires when the process closes */
  async work(signal: AbortSignal): Promise<void> {
    const onAbort = (): void => {
      this.#isLeaving = true;
      this.#endWith({ type: "leaves" });
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const left = Math.max(0, (this.#view.queued?.timeoutMs ?? 0) - this.#view.ranMs);
    const cancelTimer = this.#deps.clock.setTimer(left, () => this.#endWith({ type: "time_up" }));
    const working = this.#converse();
    try {
      await this.#settle(await this.#end);
    } finally {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
      // What it still had in hand ends with its session.
      await working;
    }
  }

  /** Has the session run. Never rejects. */
  async #converse(): Promise<void> {
    try {
      try {
        this.#session = await this.#open();
      } finally {
        // Not a moment before: who waits for this stops the session that he then finds.
        this.#openingOver();
      }
      if (this.#session === null || this.#hasEnded) return;
      // Those that came while nobody could pass them on.
      for (const answer of await this.#deps.runs.answers(this.id)) await this.answer(answer);
      const { status, stopReason, error, text: said } = await this.#run(this.#session);
      const text = status === "completed" ? said : (this.#live.text ?? said);
      const ended = { status, stopReason, error: error?.class ?? null, text };
      this.#endWith({ type: "session_ended", outcome: ended });
    } catch (error) {
      const kind = error instanceof SessionFailedError ? "session_crashed" : "start_failed";
      this.#endWith({ type: "session_failed", class: kind, error: reasonOf(error) });
    }
  }

  /** `null`: it ended while it waited to be opened. */
  async #open(): Promise<Session | null> {
    const { sessions } = this.#deps;
    for (;;) {
      if (this.#hasEnded) return null;
      try {
        const onEvent = this.#live.take;
        if (await sessions.isKnown(this.id)) return await sessions.resume(this.id, { onEvent });
        return await sessions.start({ ...this.#startOptions(), onEvent });
      } catch (error) {
        if (!isPassing(error)) throw error;
        await this.#pause();
      }
    }
  }

  #startOptions(): Parameters<Sessions["start"]>[0] {
    const { queued } = this.#view;
    if (queued === null) throw new Error(`run ${this.id} was never queued`);
    const { cwd, systemPrompt, settings, parentSessionId, parentSessionKey, agentId } = queued;
    return {
      sessionId: this.id,
      cwd,
      settings,
      ...(systemPrompt === null ? {} : { systemPrompt }),
      lineage: {
        origin: "background",
        sessionKey: sessionKeyOf(this.id),
        parentSessionId,
        parentSessionKey,
        agentId,
      },
    };
  }

  /** Goes on where the session stands: it was prompted already, or had even ended, when its process died. */
  async #run(session: Session): ReturnType<Session["prompt"]> {
    const { runId, outcome } = session.state();
    if (outcome !== null) return outcome;
    if (runId !== null) {
      const ended = await session.outcome();
      if (ended !== null) return ended;
    }
    return session.prompt(await this.#deps.promptOf(this.#view.queued?.promptSha256 ?? ""));
  }

  async #settle(end: End): Promise<void> {
    switch (end.type) {
      case "lead_lost":
        return this.#lose();
      case "leaves":
        return this.#leave();
      case "recorded":
        break;
      case "time_up":
        await this.#record({ type: "time_up", partialText: this.#live.text });
        break;
      case "session_ended":
      case "session_failed":
        await this.#record(end);
        break;
    }
    await this.#finish();
  }

  /** The session is stopped, with all that it does; then the run leaves the line. */
  async #finish(): Promise<void> {
    const { runs } = this.#deps;
    const view = await this.#persist(() => runs.viewOf(this.id));
    // Somebody found our lease dead and put it back in line: it is not ours to stop.
    if (view === null || !this.#isOurs(view) || !isFinalRun(view)) return this.#letGo();
    await this.#close("the run has ended");
    // Not before: what was being said may have been said to the end meanwhile, and then its fact has it.
    const { text } = this.#live;
    await this.#persist(async () => {
      // Who records that a run is cancelled, or lost, does not know what the model was saying.
      if (text !== null && view.status !== "completed" && view.partialText === null)
        await runs.note(this.id, "background_run.text_recorded", { partialText: text });
      await runs.settle(this.id);
    });
  }

  /** Whoever finds the lease dead puts the run back in line. It may live on, though: then nobody else can. */
  async #lose(): Promise<void> {
    await this.#letGo();
    const decision = await this.#record({ type: "owner_gone", seenAt: this.#deps.clock.now() });
    if (decision?.job === "ending") await this.#persist(() => this.#deps.runs.leaveUntidy(this.id));
  }

  async #leave(): Promise<void> {
    if (this.#view.queued?.onRestart === "lost") {
      await this.#record({ type: "owner_leaves" });
      return this.#finish();
    }
    await this.#letGo();
    await this.#record({ type: "owner_leaves" });
  }

  /** An attempt has one owner. */
  #isOurs({ start }: BackgroundRunView): boolean {
    return start !== null && start.attempt === this.#view.start?.attempt;
  }

  #record(
    event:
      | Extract<End, { type: "session_ended" | "session_failed" }>
      | { readonly type: "time_up"; readonly partialText: string | null }
      | { readonly type: "owner_leaves" }
      | { readonly type: "owner_gone"; readonly seenAt: number },
  ): ReturnType<RunLog["record"]> {
    const { runs, clock } = this.#deps;
    const writing = { lease: this.#lease, holds: (view: BackgroundRunView) => this.#isOurs(view) };
    return this.#persist(() => runs.record(this.id, { ...event, now: clock.now() }, writing));
  }

  /** A log that can't be written keeps the end of a run waiting, not from being recorded. A lease that is lost does. */
  async #persist<Result>(work: () => Promise<Result>): Promise<Result | null> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const reason = reasonOf(error);
        if (tries === 0)
          this.#deps.logger.warn({ run: this.id, reason }, "a background run waits to be recorded");
        if (reason === "fenced" || this.#isLeaving) return null;
        await this.#pause();
      }
    }
  }

  async #close(reason: string): Promise<void> {
    await this.#opened;
    if (this.#session !== null) await this.#within(this.#session.shutdown(reason));
  }

  /** Its run stays open, and goes on when the session is resumed. */
  async #letGo(): Promise<void> {
    await this.#opened;
    if (this.#session !== null) await this.#within(this.#session.release());
  }

  #within(work: Promise<void>): Promise<void> {
    const failed = (error: unknown): void =>
      this.#deps.logger.warn(
        { run: this.id, reason: reasonOf(error) },
        "a session did not close in good order",
      );
    return endWithin(work.catch(failed), GRACE_MS, this.#deps.clock);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#deps.clock.setTimer(REOPEN_MS, resolve));
  }
}
