/** Finds the fact that broke something. docs/reference/bisect.md */
import type { EventLog } from "../../log/index.ts";
import { InvalidBisectError } from "../errors.ts";
import type { BisectOptions, BisectResult } from "./options.ts";

/**
 * Finds the first fact after which a command fails or an expression holds.
 *
 * @throws InvalidBisectError unless it is exactly one of the two; InvalidExpressionError, SessionNotFoundError, InvalidVersionError,
 * BisectError when there is no such fact; the signal's reason
 */
export async function bisect(
  log: EventLog,
  sessionId: string,
  options: BisectOptions,
): Promise<BisectResult> {
  const { run, when, from, to } = options;
  if ((run === undefined) === (when === undefined))
    throw new InvalidBisectError("run", "a command or an expression, and not both");
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidBisectError("from", "a version that is not after the other");
  if (when !== undefined)
    return (await import("./bisect-when.ts")).bisectWhen(log, sessionId, { ...options, when });
  if (run === undefined || run.trim() === "") throw new InvalidBisectError("run", "a command");
  return (await import("./bisect-run.ts")).bisectRun(log, sessionId, { ...options, run });
}
