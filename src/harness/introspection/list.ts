/** Reading introspection back, the newest first. docs/reference/introspection.md */
import { LemonError } from "../../errors.ts";
import type { Fact, FactData } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { isoTime } from "../iso-time.ts";
import { idOfKey } from "../session-id.ts";

/** A record, and where and when it was recorded. */
export type IntrospectionRecord = FactData<"introspection.recorded"> & {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Over the whole log: what orders records, since clocks may go backwards. */
  readonly position: number;
};

/** Which records are wanted. */
export interface IntrospectionFilter {
  readonly eventType?: string;
  /** An id, or a key. */
  readonly sessionId?: string;
  /** 1 to 1,000; default 100. */
  readonly limit?: number;
}

const PREFIX = "introspection-";
const DAY_MS = 86_400_000;
const DAYS = 7;
const MAX_LIMIT = 1_000;

/** Name of the stream that holds what is recorded at a time: one a day, of UTC. */
export function introspectionStream(at: number): string {
  return PREFIX + isoTime(at).slice(0, 10);
}

/**
 * Records of the last 7 days, the newest first.
 *
 * @param now - epoch milliseconds
 * @throws LemonError `LEMON_INVALID_LIMIT`
 */
export async function listRecords(
  log: EventLog,
  { eventType, sessionId, limit = 100 }: IntrospectionFilter,
  now: number,
): Promise<IntrospectionRecord[]> {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    const expected = `a whole number, 1 to ${MAX_LIMIT}`;
    throw new LemonError("invalid_limit", `limit: expected ${expected}`, {
      field: "limit",
      expected,
      got: typeof limit,
    });
  }
  const session = sessionId === undefined ? undefined : idOfKey(sessionId);
  const oldest = now - DAYS * DAY_MS;
  const found: IntrospectionRecord[] = [];
  for await (const fact of newestFirst(log, await streamsSince(log, oldest))) {
    const { at, position } = fact;
    if (fact.type !== "introspection.recorded" || at < oldest) continue;
    const data = fact.data as FactData<"introspection.recorded">;
    if (eventType !== undefined && data.eventType !== eventType) continue;
    if (session !== undefined && data.sessionId !== session) continue;
    found.push({ ...data, at, position });
    if (found.length === limit) break;
  }
  return found;
}

async function streamsSince(log: EventLog, oldest: number): Promise<string[]> {
  const first = introspectionStream(oldest);
  const all = await log.streams(PREFIX);
  return all.map(({ stream }) => stream).filter((stream) => stream >= first);
}

/** Days overlap where clocks differ, so streams are merged and not read one after the other. */
async function* newestFirst(log: EventLog, streams: readonly string[]): AsyncGenerator<Fact> {
  const readers = streams.map((stream) => log.read(stream, { backwards: true })[Symbol.asyncIterator]());
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  for (;;) {
    let newest = -1;
    for (const [at, { value, done }] of heads.entries()) {
      if (done !== true && value.position > positionAt(heads, newest)) newest = at;
    }
    const reader = readers[newest];
    if (reader === undefined) return;
    yield heads[newest]?.value as Fact;
    heads[newest] = await reader.next();
  }
}

function positionAt(heads: readonly IteratorResult<Fact>[], at: number): number {
  const head = heads[at];
  return head === undefined || head.done === true ? 0 : head.value.position;
}
