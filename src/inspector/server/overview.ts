/** A session as a whole. */
import type { EventLog } from "../../log/index.ts";
import { SessionNotFoundError } from "../../replay/index.ts";
import type { OverviewAnswer } from "../api.ts";
import type { SessionBook } from "../session/session-book.ts";
import type { SessionRows } from "../session/session-rows.ts";

/** @throws SessionNotFoundError */
export async function overview(book: SessionBook, log: EventLog, rows: SessionRows): Promise<OverviewAnswer> {
  const [row, leader, all] = await Promise.all([
    rows.find(book.sessionId),
    log.leaderOf(book.stream),
    rows.list(),
  ]);
  if (row === null) throw new SessionNotFoundError(book.sessionId);
  const forks = all.flatMap(({ sessionId, title, forkedFrom }) =>
    forkedFrom?.sessionId === book.sessionId ? [{ sessionId, title, at: forkedFrom.at }] : [],
  );
  return {
    ...row,
    version: book.version,
    isLive: leader !== null,
    types: Object.fromEntries([...book.columns.counts].sort((a, b) => b[1] - a[1])),
    lanes: book.lanes,
    errors: book.errors,
    forks,
    calls: book.calls.totalAt(book.version),
    messages: book.places.totalAt(book.version),
    usage: book.usage.total,
  };
}
