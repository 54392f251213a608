/** What is answered by replaying, and by comparing two states. */
import type { EventLog } from "../../log/index.ts";
import { changeLine, diffStates, verifyReplay, type StateRef } from "../../replay/index.ts";
import type { DiffAnswer, VerifyAnswer } from "../api.ts";
import type { SessionBook } from "../session/session-book.ts";
import type { Shelf } from "../session/shelf.ts";
import { wholeNumber, type Query } from "./query.ts";

/** The last replay of each session, with the version that it was made at: the same facts give the same report. */
const reports = new WeakMap<
  SessionBook,
  { readonly version: number; readonly report: Promise<VerifyAnswer> }
>();

/** Replays a session. Asked for again before it has new facts, it is not replayed again. */
export function verifySession(log: EventLog, book: SessionBook): Promise<VerifyAnswer> {
  const { version } = book;
  const known = reports.get(book);
  if (known?.version === version) return known.report;
  const report = verifyReplay(log, book.sessionId);
  reports.set(book, { version, report });
  report.catch(() => reports.delete(book));
  return report;
}

/** Operations of a patch that the page is given: more is nothing that a person reads. */
const MAX_PATCH = 2_000;
/** Lines about one part of the state. */
const MAX_LINES = 200;

/**
 * Compares two sessions, or two versions of one.
 *
 * @throws InvalidParameterError, SessionNotFoundError, InvalidVersionError
 */
export async function compareStates(log: EventLog, shelf: Shelf, query: Query): Promise<DiffAnswer> {
  const a = await refIn(shelf, query, "a");
  const b = await refIn(shelf, query, "b");
  const { patch, changes } = await diffStates(log, a, b);
  const summary: Record<string, string[]> = {};
  for (const change of changes) (summary[change.part] ??= []).push(changeLine(change));
  return {
    a,
    b,
    patch: patch.slice(0, MAX_PATCH),
    patchLeftOut: Math.max(0, patch.length - MAX_PATCH),
    summary: Object.fromEntries(
      Object.entries(summary).map(([part, lines]) => [part, lines.slice(0, MAX_LINES)]),
    ),
  };
}

/** `ID@V`, or `ID` for its last version. */
async function refIn(shelf: Shelf, query: Query, name: "a" | "b"): Promise<StateRef> {
  const given = query.required(name);
  const at = given.lastIndexOf("@");
  const sessionId = at === -1 ? given : given.slice(0, at);
  const { version } = await shelf.open(sessionId);
  if (at === -1) return { sessionId, version };
  return {
    sessionId,
    version: wholeNumber(name, given.slice(at + 1), { least: 1, most: Number.MAX_SAFE_INTEGER }),
  };
}
