/** Facts as JSON text, gathered until they are sent. */
import { lineOf } from "../message/reply.ts";
import type { Fact } from "../../events/index.ts";
import type { Cursor } from "../../log/index.ts";

/** Facts of one notification, at most. */
const MAX_FACTS = 100;
/** Characters of one notification, about. One fact that is longer goes alone. */
const MAX_CHARS = 262_144;

/** A fact on its way. */
export interface Pending {
  readonly text: string;
  /** To go on after it. */
  readonly cursor: Cursor;
  readonly bytes: number;
}

/** A fact, written. */
export function pendingFact(fact: Fact, cursor: Cursor): Pending {
  const text = lineOf(told(fact));
  return { text, cursor, bytes: Buffer.byteLength(text) };
}

/** Why somebody cancelled a run is told to nobody who follows. docs/reference/background-runs.md, "Cancelling" */
function told(fact: Fact): Fact {
  if (fact.type !== "background_run.cancelled" || typeof fact.data !== "object") return fact;
  return { ...fact, data: { ...fact.data, reason: null } };
}

/** Takes as many facts from the front of a queue as go together. */
export function takeBatch(queue: Pending[]): Pending[] {
  let chars = 0;
  let count = 0;
  while (count < Math.min(queue.length, MAX_FACTS)) {
    chars += queue[count]?.text.length ?? 0;
    if (count > 0 && chars > MAX_CHARS) break;
    count += 1;
  }
  return queue.splice(0, count);
}
