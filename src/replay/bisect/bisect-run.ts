/** Finds the first fact after which a command fails, over copies of the workspace. docs/reference/bisect.md */
import type { Fact } from "../../events/index.ts";
import { sessionStreamName, versionAt } from "../../harness/index.ts";
import { forkOf, type EventLog } from "../../log/index.ts";
import { BisectError } from "../errors.ts";
import { changingSteps } from "../materialise/content-at.ts";
import { copyInto, materialisedOf, type MaterialiseReason } from "../materialise/materialise.ts";
import { positionOf, workspaceHistory, type Step } from "../materialise/workspace-history.ts";
import type { BisectOptions, BisectResult, BisectRun } from "./options.ts";
import { runCheck, type CheckRun } from "./run-check.ts";
import { searchBad, type Judgement } from "./search.ts";
import { callBehind } from "./call-behind.ts";
import { makeWorkFolder } from "./work-folder.ts";

/** How long a run of the check may take. */
const DEFAULT_TIMEOUT_MS = 300_000;
/** The workspace is copied for a command that needs all of it; the bounds of a scan are there for every call. */
const LIMITS = { files: 1_000_000, fileBytes: 2 ** 34, readBytes: 2 ** 36, timeMs: 300_000 };

/** What a search over runs is given. */
export type RunOptions = Omit<BisectOptions, "when"> & { readonly run: string };

/** @throws BisectError, SessionNotFoundError, InvalidVersionError; the signal's reason */
export async function bisectRun(
  log: EventLog,
  sessionId: string,
  options: RunOptions,
): Promise<BisectResult> {
  const stream = sessionStreamName(sessionId);
  const to = await versionAt(log, stream, options.to);
  const from = await versionAt(log, stream, options.from ?? 1);
  const [start, end] = [await positionOf(log, sessionId, from), await positionOf(log, sessionId, to)];
  const history = await workspaceHistory(log, sessionId);
  const steps = changingSteps(history.steps).filter(({ position }) => position > start && position <= end);
  if (steps.length === 0)
    throw new BisectError(
      "nothing_changed",
      `no call of session ${sessionId} changed its workspace from version ${from} to ${to}: there is nothing to search`,
    );
  const { tmpdir } = await import("node:os");
  const work = await makeWorkFolder(options.workDir ?? tmpdir(), history.cwd);
  try {
    const { signal, skipped = [] } = options;
    const ignored = options.ignored ?? "copy";
    const { folder, told } = await copyInto(log, history, work.copy, {
      limits: LIMITS,
      ignored,
      skipped: [...skipped, work.copy],
      signal,
      keep: work.keep,
    });
    const runs: BisectRun[] = [];
    const unavailable = new Set<string>();
    const judge = async (at: number): Promise<Judgement> => {
      const step = steps[at - 1];
      const { filesUnavailable } = await folder.moveTo(step?.position ?? start);
      for (const path of filesUnavailable) unavailable.add(path);
      const version = step === undefined ? from : await versionOf(log, stream, step, to);
      options.onStart?.({ version, left: steps.length });
      const run = await runCheck({
        command: options.run,
        cwd: work.copy,
        env: { ...(options.env ?? process.env), LEMON_BISECT_VERSION: String(version) },
        marker: work.marker,
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        onOutput: options.onOutput ?? (() => undefined),
        signal,
      });
      const done = { version, ...run };
      runs.push(done);
      options.onRun?.(done);
      return run.judgement;
    };
    const found = await searchBad(steps.length, judge);
    const about = { from, to, runs, told: materialisedOf(told, [...unavailable]) };
    if (found.is !== "found") throw await refusal(log, sessionId, found, steps, about);
    const step = steps[found.at - 1] as Step;
    const fact = await factAt(log, step);
    const { filesUnavailable, coverage, coverageReasons } = about.told;
    return {
      version: await versionOf(log, stream, step, to),
      fact,
      runs: runs.length,
      sessionId,
      call: await callBehind(log, fact, step),
      checks: runs,
      filesUnavailable: filesUnavailable.toSorted(),
      coverage,
      coverageReasons,
    };
  } finally {
    await work.remove();
  }
}

async function factAt(log: EventLog, { stream, version }: Step): Promise<Fact> {
  for await (const fact of log.read(stream, { from: version, to: version })) return fact;
  throw new Error("a fact that was read is in its log");
}

/** The version of the session that first has what a step did: a subagent's facts stand in another stream. */
async function versionOf(log: EventLog, stream: string, step: Step, last: number): Promise<number> {
  if (step.stream === stream) return step.version;
  for await (const fact of log.read(stream)) if (fact.position >= step.position) return fact.version;
  return last;
}

interface About {
  readonly from: number;
  readonly to: number;
  readonly runs: readonly (CheckRun & { readonly version: number })[];
  readonly told: {
    readonly filesUnavailable: readonly string[];
    readonly coverageReasons: readonly MaterialiseReason[];
  };
}

async function refusal(
  log: EventLog,
  sessionId: string,
  found: Exclude<Awaited<ReturnType<typeof searchBad>>, { readonly is: "found" }>,
  steps: readonly Step[],
  { from, to, runs, told }: About,
): Promise<BisectError> {
  const after = ` (${runs.length} ${runs.length === 1 ? "run" : "runs"})`;
  const missing = told.filesUnavailable.length;
  const hint = missing === 0 ? "" : `. Of ${missing} files the content could not be brought back`;
  switch (found.is) {
    case "never_bad":
      return new BisectError(
        "check_never_fails",
        `the check does not fail after version ${to} of session ${sessionId}${after}${hint}`,
      );
    case "bad_at_start": {
      const forked = await forkOf(log, sessionStreamName(sessionId));
      const parent =
        forked === null || from > 1 ? "" : `. It is a fork: try session ${forked.from} up to ${forked.at}`;
      const code = runs.at(-1)?.exitCode;
      const why = code === 127 || code === 126 ? `: it can't be run there (status ${code})` : "";
      return new BisectError(
        "check_fails_at_start",
        `the check fails at version ${from} of session ${sessionId} too${why}${after}: no call broke it, or it can't pass in a copy${hint}${parent}`,
      );
    }
    case "end_skipped":
      return new BisectError(
        "check_undecided",
        `the check can't judge version ${to} of session ${sessionId}${after}`,
      );
    case "undecided": {
      const versions = steps.slice(found.from - 1, found.at).map(({ version }) => version);
      return new BisectError(
        "check_undecided",
        `it is one of the facts at versions ${versions.join(", ")}: the check can't judge what lies between${after}`,
      );
    }
  }
}
