/** What differs between two states: of one session at two versions, or of two sessions. docs/reference/time-travel.md, "Diff" */
import { isUtf8 } from "node:buffer";
import { LemonError, NotFoundError } from "../errors.ts";
import { unifiedDiff } from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import { patchBetween, type PatchOperation } from "./json-patch.ts";
import { stateChanges, type StateChange } from "./state-changes.ts";
import { stateAt, type StateAt } from "./state-at.ts";

/** A state: of a session, after a version of it. */
export interface StateRef {
  readonly sessionId: string;
  readonly version: number;
}

/** A file whose bytes differ. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  readonly change: StateChange["change"];
  /** A unified diff; `null` when the bytes of a side are not known or not there any more, or are no text. */
  readonly diff: string | null;
}

/** What differs. */
export interface StateDiff {
  readonly a: StateRef;
  readonly b: StateRef;
  /** RFC 6902: makes state B of state A, exactly. */
  readonly patch: readonly PatchOperation[];
  /** The same for people: thing by thing. */
  readonly changes: readonly StateChange[];
  readonly files: readonly FileChange[];
}

/**
 * @param a - from which
 * @param b - to which
 * @throws InvalidVersionError when a session has no such version
 */
export async function diffStates(log: EventLog, a: StateRef, b: StateRef): Promise<StateDiff> {
  const from = await stateOf(log, a);
  const to = await stateOf(log, b);
  const changes = stateChanges(from, to);
  const files: FileChange[] = [];
  for (const { part, key, change } of changes) {
    if (part !== "files") continue;
    const [before, after] = [from.files[key], to.files[key]];
    if (before?.sha256 === after?.sha256 && before?.is === after?.is) continue;
    files.push({ path: key, change, diff: await textDiff(log, key, before, after, [nameOf(a), nameOf(b)]) });
  }
  return { a, b, patch: patchBetween(from, to), changes, files };
}

/**
 * What `A` and `B` of a diff name: `12` is a version of the session, `OTHER@12` one of another session.
 *
 * @throws LemonError `LEMON_INVALID_VERSION` for what is neither
 */
export function stateRef(sessionId: string, given: number | string): StateRef {
  const text = String(given);
  const at = text.lastIndexOf("@");
  const version = Number(text.slice(at + 1));
  if (/^[1-9]\d*$/.test(text.slice(at + 1)) && Number.isSafeInteger(version) && at !== 0)
    return { sessionId: at === -1 ? sessionId : text.slice(0, at), version };
  const expected = "a version such as 12, or one of another session such as ses_0a1b2c3d4e5f6a7b@12";
  throw new LemonError("invalid_version", `${JSON.stringify(text)} is not ${expected}`, {
    expected,
    got: text,
  });
}

function stateOf(log: EventLog, { sessionId, version }: StateRef): Promise<StateAt> {
  return stateAt(log, `session-${sessionId}`, version);
}

function nameOf({ sessionId, version }: StateRef): string {
  return `${sessionId}@${version}`;
}

type FileIn = StateAt["files"][string] | undefined;

async function textDiff(
  log: EventLog,
  path: string,
  before: FileIn,
  after: FileIn,
  names: readonly [string, string],
): Promise<string | null> {
  const old = await textOf(log, before);
  const now = await textOf(log, after);
  return old === null || now === null ? null : unifiedDiff(path, old, now, names);
}

/** Empty for no file: the session had not touched it, or it was deleted. `null` for what is not known, or no text. */
async function textOf(log: EventLog, file: FileIn): Promise<string | null> {
  if (file === undefined || file.is === "absent") return "";
  if (file.sha256 === null) return null;
  try {
    const bytes = await log.getBlob(file.sha256);
    return isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : null;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
