/** `facts.*` */
import { z } from "zod";
import { LemonError } from "../../errors.ts";
import type { Cursor, EventLog } from "../../log/index.ts";
import { filterOf } from "../feed/filter.ts";
import { defineMethod, type Method } from "../method.ts";
import { RefusedError } from "../rpc-error.ts";
import { optionalText, sessionId } from "./shapes.ts";

const cursor = z.string().describe("a cursor of this log");

const subscribe = defineMethod({
  name: "facts.subscribe",
  scope: "read",
  summary:
    "Sends facts as `facts.appended` notifications, from a cursor on, by default from now on. Not over POST: see GET /facts.",
  params: z.object({
    after: cursor.exactOptional(),
    sessionId: sessionId.exactOptional(),
    streams: optionalText.describe("beginning of the names of streams"),
    types: z.array(z.string()).exactOptional(),
  }),
  result: z.object({ subscriptionId: z.string(), head: cursor.nullable() }),
  run: async ({ after, ...asked }, { runtime, subscriber, answered }) => {
    if (subscriber === null) throw overHttp();
    const head = await headOf(runtime.log);
    if (after !== undefined) await assertCursor(runtime.log, after);
    return { subscriptionId: subscriber.subscribe(after ?? head, filterOf(asked), answered), head };
  },
});

const unsubscribe = defineMethod({
  name: "facts.unsubscribe",
  scope: "read",
  summary: "Ends a subscription of this connection.",
  params: z.object({ subscriptionId: z.string() }),
  result: z.object({ unsubscribed: z.boolean() }),
  run: async ({ subscriptionId }, { subscriber }) => {
    if (subscriber === null) throw overHttp();
    return { unsubscribed: subscriber.unsubscribe(subscriptionId) };
  },
});

/** All of them. */
export const factMethods: readonly Method[] = [subscribe, unsubscribe];

function overHttp(): RefusedError {
  return new RefusedError("not_implemented", "Over HTTP facts are followed with GET /facts.");
}

/** The cursor of the last fact; `null` for an empty log. */
export async function headOf(log: EventLog): Promise<Cursor | null> {
  const { head } = await log.info();
  if (head === null) return null;
  const { stream, version } = head;
  for await (const fact of log.read(stream, { from: version, to: version })) return log.cursorOf(fact);
  throw new LemonError("internal", "the head of the log is not in it");
}

/** @throws InvalidCursorError, CursorAheadError */
export async function assertCursor(log: EventLog, after: Cursor): Promise<void> {
  for await (const _fact of log.readAll({ after, limit: 1 })) return;
}
