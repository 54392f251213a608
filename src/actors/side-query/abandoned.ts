/** Side queries whose process has gone before their end. docs/reference/side-queries.md, "Facts" */
import type { EventLog } from "../../log/index.ts";
import { SessionBusyError, VersionConflictError } from "../../log/index.ts";
import type { Clock } from "../../ports.ts";
import type { Leadership } from "../leadership.ts";
import { cancelledEnd } from "./effect.ts";
import { SIDE_QUERY_STREAMS } from "./stream.ts";

/** What it takes to end them. */
export interface AbandonedParts {
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly clock: Clock;
}

/**
 * Ends the queries that nobody else will end. One whose runtime still lives is led by it, and is let be.
 *
 * @returns how many there were
 */
export async function endAbandonedQueries(parts: AbandonedParts): Promise<number> {
  let ended = 0;
  for (const { stream, version } of await parts.log.streams(SIDE_QUERY_STREAMS)) {
    // One that has ended has two facts.
    if (version === 1 && (await endAbandoned(stream, parts))) ended += 1;
  }
  return ended;
}

async function endAbandoned(stream: string, { log, leadership, clock }: AbandonedParts): Promise<boolean> {
  try {
    await leadership.claim(stream, { loseLead: () => undefined });
  } catch (error) {
    if (error instanceof SessionBusyError) return false;
    throw error;
  }
  const { type, data } = cancelledEnd;
  const envelope = { kind: "input", actor: "recovery", causation: 1, correlation: null } as const;
  const end = { ...envelope, type, data, at: clock.now() };
  try {
    await log.append(stream, 1, [end], { fence: leadership.lease });
    return true;
  } catch (error) {
    // Its own end, or that of another who looked at the same time, was quicker.
    if (error instanceof VersionConflictError) return false;
    throw error;
  } finally {
    await leadership.unclaim(stream);
  }
}
