/** Runs the check of a bisect in the copy. docs/reference/bisect.md, "The check" */
import { endCommand, startCommand } from "../../workspace/index.ts";
import type { Judgement } from "./search.ts";

/** A check and where it runs. */
export interface CheckParts {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly marker: string;
  readonly timeoutMs: number;
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly signal: AbortSignal | undefined;
}

/** How a run of the check ended. */
export interface CheckRun {
  readonly judgement: Judgement;
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
}

/** By this exit status a check says that it can't judge, as to `git bisect run`. */
const SKIP = 125;
/** A check that is told to end gets this long. */
const GRACE_MS = 1_000;

/** Runs it once, and ends all that it left running. Rejects with the signal's reason. */
export async function runCheck(parts: CheckParts): Promise<CheckRun> {
  const { command, cwd, env, marker, timeoutMs, onOutput, signal } = parts;
  signal?.throwIfAborted();
  const started = await startCommand({ command, cwd, env, callMarker: marker, onOutput });
  let timedOut = false;
  let hasEnded = false;
  const stop = (): Promise<unknown> => endCommand(started.mark.pid, marker, { graceMs: GRACE_MS });
  const timer = setTimeout(() => {
    timedOut = true;
    void stop();
  }, timeoutMs);
  const abort = (): void => void stop();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    if (signal?.aborted === true) started.refuse();
    else started.open();
    const { exitCode } = await started.exited;
    hasEnded = true;
    clearTimeout(timer);
    // Servers and watchers that it started would work on in the folder of the next run.
    await stop();
    await started.ended;
    signal?.throwIfAborted();
    if (timedOut) return { judgement: "bad", exitCode: null, timedOut };
    return { judgement: exitCode === 0 ? "good" : exitCode === SKIP ? "skip" : "bad", exitCode, timedOut };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    if (!hasEnded) await stop();
  }
}
