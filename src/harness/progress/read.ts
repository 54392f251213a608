/** Reads what a progress snapshot is made of, at one version of the session. docs/reference/progress.md */
import path from "node:path";
import { LemonError } from "../../errors.ts";
import { upcast, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { FeatureDocument } from "../features/document.ts";
import { assertSessionId, idOfKey, sessionStreamName } from "../session-id.ts";
import { storedTodos } from "../todos/stored.ts";
import { versionAt } from "../versions.ts";
import { checkpointStats } from "../checkpoints/stats.ts";
import { featuresAt } from "./features-at.ts";
import { snapshotOf, type ProgressSnapshot } from "./snapshot.ts";

/** Where a snapshot is read from. */
export interface ProgressSource {
  readonly log: EventLog;
  /** The features of a folder as they are now. @throws LemonError, `not_found` without a file */
  readonly load: (cwd: string) => Promise<FeatureDocument>;
}

/** A snapshot, and what it is of. */
export interface ReadProgress {
  readonly sessionId: string;
  /** Absolute. */
  readonly cwd: string;
  /** Of the session; 0 for one that is not known. */
  readonly version: number;
  readonly snapshot: ProgressSnapshot;
}

/** A folder is named by a text. Code `LEMON_INVALID_CWD`. */
function assertCwd(cwd: unknown): asserts cwd is string {
  if (typeof cwd === "string") return;
  const got = cwd === null ? "null" : typeof cwd;
  throw new LemonError("invalid_cwd", "cwd: expected the path of a folder", {
    field: "cwd",
    expected: "a string",
    got,
  });
}

/**
 * Reads a snapshot.
 *
 * @param session - an id or a key
 * @param cwd - of the features; a relative one starts at the session's own, or at the process's for one that was never started
 * @param at - a version of the session; then the features are those that the log knew by then
 * @throws InvalidSessionIdError; LemonError `LEMON_INVALID_CWD`; InvalidVersionError; the errors of the log
 */
export async function readProgress(
  { log, load }: ProgressSource,
  session: string,
  cwd: string,
  at?: number,
): Promise<ReadProgress> {
  const sessionId = idOfKey(session);
  assertSessionId(sessionId);
  assertCwd(cwd);
  const stream = sessionStreamName(sessionId);
  const version = await versionAt(log, stream, at);
  const folder = path.resolve((await cwdOf(log, stream, version)) ?? process.cwd(), cwd);
  const [todos, checkpoints, features] = await Promise.all([
    storedTodos(log, sessionId, version),
    checkpointStats(log, stream, version),
    at === undefined ? read(() => load(folder)) : read(() => featuresAt(log, folder, stream, version)),
  ]);
  return { sessionId, cwd: folder, version, snapshot: snapshotOf({ todos, checkpoints, ...features }) };
}

/** The working directory that a session was started with; `null` when it was not. */
async function cwdOf(log: EventLog, stream: string, to: number): Promise<string | null> {
  for await (const fact of log.read(stream, { types: ["session.started", "session.forked"], to }))
    return (upcast(fact) as FactOf<"session.started" | "session.forked">).data.cwd;
  return null;
}

interface Read {
  readonly features: FeatureDocument | null;
  readonly featuresError: string | null;
}

/** Whatever is wrong with the file is told, and is no reason to fail; what is wrong with the log is. */
async function read(load: () => Promise<FeatureDocument | null>): Promise<Read> {
  try {
    return { features: await load(), featuresError: null };
  } catch (error) {
    if (!(error instanceof LemonError) || isOfLog(error)) throw error;
    return { features: null, featuresError: error.reason === "not_found" ? null : error.reason };
  }
}

function isOfLog({ reason }: LemonError): boolean {
  return reason.startsWith("log_");
}
