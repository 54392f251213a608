/**
 * The first facts of a fork: that it was forked, what its parent's actors had decided beyond that version, and the end
 * of every call that was open. Only reads the parent. docs/reference/forks.md
 */
import type { FactData, NewFact } from "../events/index.ts";
import { sessionStreamName } from "../harness/index.ts";
import { DataRedactedError, forkedParts, storedHistoryOf, type EventLog } from "../log/index.ts";
import type { SessionView } from "../projections/index.ts";
import type { Cascade, StreamActors, UnitFact } from "./cascade.ts";
import { ReplayDivergedError } from "./errors.ts";
import { factOf, Feed } from "./feed.ts";
import { prepare } from "./intake.ts";
import type { Input } from "./mailbox.ts";
import { SessionViews } from "./session-views.ts";
import { sessionActors } from "./session/actors.ts";
import type { UnitParts } from "./unit.ts";

/** Which fork of what. */
export interface ForkPoint {
  /** Id of the fork. */
  readonly sessionId: string;
  /** Id of its parent. */
  readonly from: string;
  /** Version of the parent's last fact in its history: of one that it has, and not before the parent's start. */
  readonly at: number;
}

/** What makes a fork. */
export interface ForkPlan {
  /** The parent as it was. */
  readonly parent: SessionView;
  /** The first facts of the fork's stream: all or none of them. */
  readonly facts: readonly NewFact[];
}

/** How facts of a fork are made. */
export type ForkParts = Pick<UnitParts, "clock" | "mask" | "check">;

/**
 * @param describe - what the first fact says of the fork, given its parent at that version
 * @throws ReplayDivergedError when these machines decide otherwise than the parent's did; DataRedactedError
 */
export async function planFork(
  log: EventLog,
  { sessionId, from, at }: ForkPoint,
  parts: ForkParts,
  describe: (parent: SessionView) => Omit<FactData<"session.forked">, "sessionId" | "from" | "at" | "runId">,
): Promise<ForkPlan> {
  const parentStream = sessionStreamName(from);
  const history = await forkedParts(log, sessionStreamName(sessionId), parentStream, at);
  const actors: StreamActors = { ...sessionActors(sessionId), check: parts.check };
  const feed = Feed.of(actors, history);
  const views = new SessionViews();
  for await (const page of storedHistoryOf(log, history, { to: 0 })) {
    for (const stored of page) {
      if (stored.redacted !== undefined) throw new DataRedactedError(stored.stream);
      const fact = factOf(stored);
      const divergence = feed.take(stored, fact);
      if (divergence !== null) throw new ReplayDivergedError(parentStream, divergence.version + at);
      views.fold(fact);
    }
  }
  const parent = views.session;
  const runId = parent.run?.runId ?? null;
  const data = { sessionId, from, at, runId, ...describe(parent) };
  const { input } = prepare(
    { type: "session.forked", data, actor: "caller", causation: null },
    parts.clock.now(),
    parts.mask,
    parts.check,
  );
  const facts = [...feed.fork({ ...input, version: 1, data: input.data as typeof data })];
  facts.push(...endCalls(feed.cascade, parts));
  return { parent, facts };
}

/** What runs, and who is asked, is the parent's. Each call that has no end is told to the model as interrupted. */
function endCalls(cascade: Cascade, { clock, mask, check }: ForkParts): UnitFact[] {
  const facts: UnitFact[] = [];
  for (;;) {
    // Looked for again each time: where a call ends, one that waited for it begins.
    const [open] = [...cascade.slots].filter(([slot]) => callOf(slot) !== null);
    if (open === undefined) return facts;
    const [slot, causation] = open;
    const data = { callId: callOf(slot), reason: "forked", receipt: null };
    const input: Input = { type: "tool_call.interrupted", data, actor: "recovery", causation };
    facts.push(...cascade.take(prepare(input, clock.now(), mask, check).input));
  }
}

/** The call whose slot it is; `null` for a slot that the stream has once. */
function callOf(slot: string): string | null {
  const end = slot.indexOf(":");
  return end < 0 ? null : slot.slice(end + 1);
}
