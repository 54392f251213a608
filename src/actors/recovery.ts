/**
 * After a restart: every decision without an outcome gets one, by its kind, before anything else happens.
 */
import type { Fact } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import { upcast } from "../events/index.ts";
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
