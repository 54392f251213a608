/**
 * Which calls of an assistant message may start now. Pure; docs/reference/tools.md, "Order of calls".
 */

/** A call of the current assistant message, as far as its order matters. */
export interface BatchCall {
  readonly callId: string;
  readonly parallelSafe: boolean;
  readonly state: "queued" | "running" | "ended";
}

/**
 * The queued calls that may start, in call order.
 *
 * Consecutive `parallelSafe` calls may overlap; any other call waits for all before it and runs alone.
 *
 * @param maxConcurrency - how many calls may run at once, 1 or more; `null` for no limit
 */
export function nextBatch<Call extends BatchCall>(
  calls: readonly Call[],
  maxConcurrency: number | null,
): Call[] {
  const limit = maxConcurrency ?? Number.POSITIVE_INFINITY;
  const starting: Call[] = [];
  let busy = 0;
  for (const call of calls) {
    if (call.state === "ended") continue;
    const alone = busy === 0;
    if (!call.parallelSafe && !alone) break;
    if (busy >= limit) break;
    if (call.state === "queued") starting.push(call);
    busy += 1;
    if (!call.parallelSafe) break;
  }
  return starting;
}
