/** What is answered by replaying, and by comparing two states. */
import type { EventLog } from "../../log/index.ts";
import { verifyReplay } from "../../replay/index.ts";
import type { DiffAnswer, VerifyAnswer } from "../api.ts";
import type { SessionBook } from "../session/session-book.ts";
import type { Shelf } from "../session/shelf.ts";
import type { Query } from "./query.ts";
import { RefusedRequestError } from "./refusal.ts";

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

/** Compares two sessions, or two versions of one. */
export function compareStates(_log: EventLog, _shelf: Shelf, _query: Query): Promise<DiffAnswer> {
  throw new RefusedRequestError("not_implemented", "Comparing is not there yet.");
}
