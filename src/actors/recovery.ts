/**
 * After a restart: every decision without an outcome gets one, by its kind, before anything else happens.
 */
import {
  catalogue,
  slotName,
  upcast,
  type Fact,
  type FactRule,
  type FactType,
  type NewFact,
} from "../events/index.ts";
import { historyOf, type EventLog } from "../log/index.ts";
import type { SessionView } from "../projections/index.ts";
import type { EffectRunner, Outcome } from "./effect-runner.ts";
import type { Envelope, Input, Mailbox } from "./mailbox.ts";

/** What comes of a decision, in the place of its effect. */
export interface Settled {
  readonly outcome: Outcome;
  readonly cause: Fact;
}

/** What recovery found to do. */
export interface Recovery {
  /** To go in front of the mailbox, in the order of the decisions. */
  readonly outcomes: readonly Settled[];
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
  const outcomes: Settled[] = [];
  const again: Fact[] = [];
  for (const [slot, version] of [...slots].sort(([, a], [, b]) => a - b)) {
    if (runner.isRunning(version) || mailbox.answers(version)) continue;
    const cause = await openerOf(log, stream, slot, version);
    const effect = cause === null ? undefined : runner.effectOf(cause.type);
    if (cause === null || effect === undefined) continue;
    const found = await effect.recover(cause as Parameters<typeof effect.recover>[0]);
    if (found === "run") again.push(cause);
    else if (found !== "wait") outcomes.push({ outcome: found, cause });
  }
  return { outcomes, again };
}

/** On its way into the stream. @param reject - told when it can't be recorded: nobody waits for it */
export function envelopeOf(
  { outcome: { type, data }, cause }: Settled,
  reject: (error: unknown) => void,
): Envelope {
  const input: Input = { type, data, actor: "recovery", causation: cause.version };
  return { input, substitute: true, resolve: () => undefined, reject };
}

/** The decision that opened a slot. One of an ancestor's is taken for the first fact of the fork, which stands for it. */
async function openerOf(log: EventLog, stream: string, slot: string, version: number): Promise<Fact | null> {
  for await (const recorded of log.read(stream, { from: version, to: version })) {
    if (recorded.type !== "session.forked") return upcast(recorded);
    const inherited = { to: 0, backwards: true, types: openersOf(slot) };
    for await (const fact of historyOf(log, stream, inherited)) {
      const rule: FactRule = catalogue[fact.type as FactType];
      if (rule.opens !== undefined && slotName(rule.opens, fact.data) === slot)
        return { ...upcast(fact), stream, version };
    }
  }
  return null;
}

function openersOf(slot: string): string[] {
  const rules: [string, FactRule][] = Object.entries(catalogue);
  return rules.flatMap(([type, { opens }]) => (opens !== undefined && slot.startsWith(opens) ? [type] : []));
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
