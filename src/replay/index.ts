/** Time: what a session was, and whether its log still gives the same decisions. */
import type { Fact } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import type { PendingApproval } from "../projections/index.ts";
import type { decideRun, ranMs } from "../actors/background-run/machine.ts";
import type { forkSession as ForkSession, ForkedSession, ForkRequest } from "./fork.ts";
import type { BisectOptions, BisectResult } from "./bisect/options.ts";
import type { Materialised, MaterialiseOptions } from "./materialise/materialise.ts";
import type { CheckedBundle } from "./bundle/check.ts";
import type { ExportedBundle, ExportOptions } from "./bundle/export.ts";
import type { ImportedBundle } from "./bundle/import.ts";
import type { StateDiff, StateRef } from "./diff.ts";
import type { StateAt, ViewsAt } from "./state-at.ts";
import type { BlameLine, BlameOptions } from "./blame/blame.ts";
import type { ReplayReport } from "./verify.ts";
import type { Judge, RejudgedSession } from "./what-if/rejudge.ts";

export { InvalidVersionError } from "../log/index.ts";
export type { CheckedBundle } from "./bundle/check.ts";
export {
  BundleConflictError,
  BundleFileError,
  BundleNewerError,
  BundleTooLargeError,
  InvalidBundleError,
} from "./bundle/errors.ts";
export type { ExportedBundle, ExportOptions } from "./bundle/export.ts";
export type { ImportedBundle } from "./bundle/import.ts";
export { InvalidLineError, NotTextError, SessionNotFoundError } from "./errors.ts";
export type { BlameLine, BlameOptions } from "./blame/blame.ts";
export type { BisectOptions, BisectResult, BisectRun } from "./bisect/options.ts";
export {
  findSession,
  listSessions,
  requireSession,
  requireWhole,
  type SessionSummary,
} from "./session-list.ts";
export type { Divergence, DivergenceKind, LeafDifference } from "./divergence.ts";
export type { ForkedSession, ForkRequest } from "./fork.ts";
export type { Materialised, MaterialiseOptions, MaterialiseReason } from "./materialise/materialise.ts";
export { changeLine } from "./change-lines.ts";
export type { FileChange, StateDiff, StateRef } from "./diff.ts";
export type { PatchOperation } from "./json-patch.ts";
export type { StateChange, StatePart } from "./state-changes.ts";
export type { StateAt, ViewsAt } from "./state-at.ts";
export type { SupervisionAt } from "./supervision-at.ts";
export type { ReplayReport } from "./verify.ts";
export type { Question, Terms } from "./what-if/judged-call.ts";
export type { ChangedVerdict, Judge, RejudgedSession } from "./what-if/rejudge.ts";
export {
  changedParts,
  verdictOf,
  type Author,
  type AuthorOf,
  type Verdict,
  type VerdictFact,
  type VerdictPart,
} from "./what-if/verdict.ts";

/**
 * Folds a session's facts up to a version. Loads the views when it is called: a list of sessions does without them.
 *
 * @param at - the last version to take; default the stream's last
 * @throws InvalidVersionError when the stream has no such version
 */
export async function stateAt(log: EventLog, stream: string, at?: number): Promise<StateAt> {
  const state = await import("./state-at.ts");
  return state.stateAt(log, stream, at);
}

/**
 * Finds the first fact after which a command fails or an expression holds. docs/reference/bisect.md
 *
 * @throws InvalidBisectError, InvalidExpressionError, SessionNotFoundError, InvalidVersionError, BisectError
 */
export async function bisect(
  log: EventLog,
  sessionId: string,
  options: BisectOptions,
): Promise<BisectResult> {
  const loaded = await import("./bisect/bisect.ts");
  return loaded.bisect(log, sessionId, options);
}

/**
 * The workspace of a session as it was at a version, in another folder. docs/reference/bisect.md, "The copy"
 *
 * @param version - of the session, from 1
 * @param folder - absent or empty
 * @throws SessionNotFoundError, InvalidVersionError, FolderNotEmptyError
 */
export async function materialise(
  log: EventLog,
  sessionId: string,
  version: number,
  folder: string,
  options?: MaterialiseOptions,
): Promise<Materialised> {
  const loaded = await import("./materialise/materialise.ts");
  return loaded.materialise(log, sessionId, version, folder, options);
}

/**
 * Makes a fork, which nobody leads yet; the parent is only read. Loads the machines when it is called.
 * docs/reference/forks.md
 *
 * @param from - id of the parent
 * @throws SessionNotFoundError, InvalidVersionError, FolderNotEmptyError, ReplayDivergedError
 */
export async function forkSession(
  log: EventLog,
  from: string,
  request: ForkRequest,
  parts: Parameters<typeof ForkSession>[3],
): Promise<ForkedSession> {
  const fork = await import("./fork.ts");
  return fork.forkSession(log, from, request, parts);
}

/** The views of a session's own facts alone, which is quicker. @throws InvalidVersionError when the stream has no such version */
export async function viewsAt(log: EventLog, stream: string, at?: number): Promise<ViewsAt> {
  const state = await import("./state-at.ts");
  return state.viewsAt(log, stream, at);
}

/**
 * What differs between two states, of one session or of two. Loads what it needs when it is called.
 *
 * @throws InvalidVersionError when a session has no such version
 */
export async function diffStates(log: EventLog, a: StateRef, b: StateRef): Promise<StateDiff> {
  const diff = await import("./diff.ts");
  return diff.diffStates(log, a, b);
}

/**
 * The state that `12` or `OTHER@12` names, of a session or of another.
 *
 * @throws LemonError `LEMON_INVALID_VERSION` for what is neither
 */
export async function stateRef(sessionId: string, given: number | string): Promise<StateRef> {
  const diff = await import("./diff.ts");
  return diff.stateRef(sessionId, given);
}

/** Replays a session. Loads the machines when it is called: those who only look at states do without them. */
export async function verifyReplay(log: EventLog, sessionId: string): Promise<ReplayReport> {
  const verify = await import("./verify.ts");
  return verify.verifyReplay(log, sessionId);
}

/** Calls that wait for an answer. Loads the views when it is called. @throws SessionNotFoundError */
export async function pendingApprovals(log: EventLog, sessionId?: string): Promise<PendingApproval[]> {
  const pending = await import("./pending-approvals.ts");
  return pending.pendingApprovals(log, sessionId);
}

/** The rules of a background run's lifecycle, to tell how one stands without a runtime. Loads them when it is called. */
export async function backgroundRunRules(): Promise<{
  readonly decideRun: typeof decideRun;
  readonly ranMs: typeof ranMs;
}> {
  const rules = await import("../actors/background-run/machine.ts");
  return { decideRun: rules.decideRun, ranMs: rules.ranMs };
}

/**
 * Writes a session, and what it depends on, to one file. The session may be at work: what it has when this begins is
 * written. docs/reference/bundles.md
 *
 * @param file - a name that is free
 * @throws SessionNotFoundError, BundleFileError
 */
export async function exportBundle(
  log: EventLog,
  sessionId: string,
  file: string,
  options: ExportOptions = {},
): Promise<ExportedBundle> {
  const bundle = await import("./bundle/export.ts");
  return bundle.exportBundle(log, sessionId, file, options);
}

/**
 * Reads a bundle and checks all of it; needs no log.
 *
 * @throws NotFoundError when there is no such file
 * @throws InvalidBundleError, BundleNewerError, SchemaNewerError
 */
export async function checkBundle(file: string): Promise<CheckedBundle> {
  const bundle = await import("./bundle/check.ts");
  return bundle.checkBundle(file);
}

/**
 * Checks a bundle and adds its facts and blobs to a log: all of it, or nothing. What the log has already is left as it is.
 *
 * @param bundle - a file, or one that was checked
 * @throws NotFoundError when there is no such file
 * @throws InvalidBundleError, BundleNewerError, SchemaNewerError when the bundle can't be used
 * @throws BundleConflictError when the log has other facts in one of the streams
 * @throws SessionBusyError when a stream that would grow is at work
 */
export async function importBundle(log: EventLog, bundle: string | CheckedBundle): Promise<ImportedBundle> {
  const { appendBundle } = await import("./bundle/import.ts");
  return appendBundle(log, typeof bundle === "string" ? await checkBundle(bundle) : bundle);
}

/**
 * The text of a vitest file that replays a session with its bundle in it, for the project of whoever has it.
 *
 * @throws SessionNotFoundError, DataRedactedError
 */
export async function fixtureOf(log: EventLog, sessionId: string): Promise<string> {
  const fixture = await import("./bundle/fixture.ts");
  return fixture.fixtureOf(log, sessionId);
}

/**
 * Judges the calls of one stored session again. Loads the machine of calls when it is called.
 *
 * @param facts - the session's history, in order
 */
export async function rejudge(
  sessionId: string,
  facts: AsyncIterable<Fact>,
  judge: Judge,
): Promise<RejudgedSession> {
  const again = await import("./what-if/rejudge.ts");
  return again.rejudge(sessionId, facts, judge);
}

/**
 * Tells whose the lines of a file are. Loads what compares texts when it is called.
 *
 * @param file - absolute
 * @throws NotFoundError, SessionNotFoundError, InvalidVersionError, InvalidLineError, NotTextError
 */
export async function blame(log: EventLog, file: string, options: BlameOptions = {}): Promise<BlameLine[]> {
  const { blame: tell } = await import("./blame/blame.ts");
  return tell(log, file, options);
}
