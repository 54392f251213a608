/** How many restarts are too many: OTP's restart intensity (stdlib `supervisor`, "Tuning the Intensity and Period"). */

/** Restarts of the recent past, counted per whole second. Mutable: it belongs to one supervisor. */
export interface RestartHistory {
  readonly seconds: { readonly second: number; count: number }[];
  total: number;
}

/** A history without restarts. */
export function noRestarts(): RestartHistory {
  return { seconds: [], total: 0 };
}

/**
 * Counts a restart at `nowMs` and answers whether it may be made.
 *
 * As in `supervisor:add_restart/1`, time is monotonic and in whole seconds, entries older than the period are dropped,
 * the one asked for counts too, and a count above `intensity` means giving up: `intensity: 3` gives up at the fourth.
 * Seconds are counted, not listed, so that a high intensity costs neither memory nor a scan.
 *
 * @param nowMs - monotonic milliseconds
 */
export function admitRestart(
  history: RestartHistory,
  nowMs: number,
  intensity: number,
  periodSeconds: number,
): boolean {
  const second = Math.floor(nowMs / 1000);
  let oldest = history.seconds[0];
  while (oldest !== undefined && oldest.second < second - periodSeconds) {
    history.total -= oldest.count;
    history.seconds.shift();
    oldest = history.seconds[0];
  }
  const latest = history.seconds.at(-1);
  if (latest?.second === second) latest.count += 1;
  else history.seconds.push({ second, count: 1 });
  history.total += 1;
  return history.total <= intensity;
}

/** A delay before automatic restarts. Ours, not OTP's, which has none; off unless asked for. */
export interface Backoff {
  /** Milliseconds before the first restart in a row. */
  readonly firstMs: number;
  /** The longest delay, in milliseconds. */
  readonly maxMs: number;
  /** What each further delay is multiplied by; 2 by default. */
  readonly factor?: number;
}

/** Milliseconds before the `attempt`th restart in a row, counted from 1. */
export function backoffDelay({ firstMs, maxMs, factor = 2 }: Backoff, attempt: number): number {
  return Math.min(maxMs, firstMs * factor ** (attempt - 1));
}
