/**
 * After a restart: every decision without an outcome gets one, by its kind, before anything else happens.
 */
import { upcast, type Fact, type NewFact } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import type { SessionView } from "../projections/index.ts";
import type { EffectRunner, Outcome } from "./effect-runner.ts";
import type { Mailbox } from "./mailbox.ts";

/** What recovery found to do. */
export interface Recovery {
  /** To go in front of the mailbox, in the order of the decisions. */
  readonly outcomes: readonly { readonly outcome: Outcome; readonly cause: Fact }[];
  /** Decisions whose effect may simply be started again. */
  readonly again: readonly Fact[];
}

/**
 * Settles open slots that nothing in this process will settle: no effect of theirs is running and no outcome waits.
 *
 * @param slots - open slots, with the version of the decision that opened each
 */
export async function recover(
  log: EventLog,
  stream: string,
  slots: ReadonlyMap<string, number>,
  runner: EffectRunner,
  mailbox: Mailbox,
): Promise<Recovery> {
  const outcomes: { outcome: Outcome; cause: Fact }[] = [];
  const again: Fact[] = [];
  for (const version of [...slots.values()].sort((a, b) => a - b)) {
    if (runner.isRunning(version) || mailbox.answers(version)) continue;
    for await (const recorded of log.read(stream, { from: version, to: version })) {
      const cause = upcast(recorded);
      const effect = runner.effectOf(cause.type);
      if (effect === undefined) continue;
      const found = await effect.recover(cause as Parameters<typeof effect.recover>[0]);
      if (found === "run") again.push(cause);
      else if (found !== "wait") outcomes.push({ outcome: found, cause });
    }
  }
  return { outcomes, again };
}

/**
 * The end of a run that its actors cannot decide any more, since they keep crashing: they take it at their next start.
 * `null` when no run is open.
 *
 * @param at - epoch milliseconds
 */
export function endOfGivenUp({ run, usage }: SessionView, at: number): NewFact | null {
  if (run === null) return null;
  const { runId, turn: turns } = run;
  const error = { class: "session_crashed", status: null };
  return {
    type: "agent.ended",
    data: { runId, status: "failed", stopReason: "error", error, usage, turns },
    kind: "input",
    actor: "recovery",
    causation: null,
    correlation: runId,
    at,
  };
}
