/** What a subject tells its parent when its work is done. */
import { statSync } from "node:fs";

/** @param before - CPU when the prompt was sent */
export function report(before, log) {
  const work = process.cpuUsage(before);
  const whole = process.cpuUsage();
  process.send({
    workMs: (work.user + work.system) / 1_000,
    wholeMs: (whole.user + whole.system) / 1_000,
    residentMb: process.memoryUsage().rss / 1e6,
    peakMb: (process.resourceUsage().maxRSS * 1_024) / 1e6,
    log,
  });
}

/** Of a log that is closed. */
export function storedBytes(file) {
  return ["", "-wal"].reduce(
    (sum, end) => sum + (statSync(file + end, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
