/** What is answered about one session. */
import { catalogue, isKnownType, type Fact } from "../../events/index.ts";
import { featuresKnownAt } from "../../harness/index.ts";
import { InvalidVersionError, type EventLog } from "../../log/index.ts";
import type {
  CallsAnswer,
  FactAnswer,
  FactRow,
  FactsAnswer,
  FilesAnswer,
  MatchesAnswer,
  MessagesAnswer,
  StateAnswer,
  SupervisionAnswer,
  TimelineAnswer,
  UsageAnswer,
} from "../api.ts";
import { shownMessage } from "../derive/cut-message.ts";
import { decisionTree } from "../derive/decision-tree.ts";
import { matches, matchingVersions, parseFilter } from "../derive/filter.ts";
import { bucketsOf, labelled, shownMarks } from "../derive/timeline.ts";
import type { SessionBook } from "../session/session-book.ts";
import type { SupervisionBook } from "../session/supervision-book.ts";
import type { Query } from "./query.ts";

const MAX_EFFECTS = 500;
const anyVersion = { least: 1, most: Number.MAX_SAFE_INTEGER };
const anyIndex = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** @throws InvalidParameterError */
export function timeline(book: SessionBook, query: Query): TimelineAnswer {
  const count = query.number("buckets", { least: 1, most: 2_000 }) ?? 200;
  const marks = shownMarks(book.marks);
  return {
    version: book.version,
    buckets: bucketsOf(book.columns, count),
    marks: labelled(book.columns, marks),
    marksLeftOut: book.marks.length - marks.length,
  };
}

/** @throws InvalidParameterError, InvalidFilterError */
export function facts(book: SessionBook, query: Query): FactsAnswer {
  const { columns, version } = book;
  const from = query.number("from", anyVersion) ?? 1;
  const limit = query.number("limit", { least: 1, most: 1_000 }) ?? 200;
  const terms = parseFilter(query.text("filter") ?? "");
  const rows: FactRow[] = [];
  let at = from;
  for (; at <= version && rows.length < limit; at += 1) {
    const row = columns.row(at);
    if (matches(terms, row)) rows.push(row);
  }
  return { version, rows, next: at <= version ? at : null };
}

/** @throws InvalidFilterError */
export function factsMatching(book: SessionBook, query: Query): MatchesAnswer {
  const filter = query.text("filter") ?? "";
  return { version: book.version, filter, versions: matchingVersions(book.columns, parseFilter(filter)) };
}

/** One fact. @throws InvalidVersionError */
export async function oneFact(book: SessionBook, log: EventLog, version: number): Promise<FactAnswer> {
  const { columns } = book;
  await assertVersion(book, version);
  const fact = await factAt(log, book.stream, version);
  const cause = columns.causationOf(version);
  const effects: FactRow[] = [];
  for (const effect of columns.effectsOf(version)) {
    if (effects.length === MAX_EFFECTS) break;
    effects.push(columns.row(effect));
  }
  return {
    fact,
    rule: isKnownType(fact.type) ? catalogue[fact.type] : null,
    row: columns.row(version),
    cause: cause === null || cause < 1 || cause > columns.version ? null : columns.row(cause),
    effects,
    ...decisionTree(columns, version),
  };
}

/** @throws InvalidParameterError, InvalidVersionError */
export async function state(book: SessionBook, log: EventLog, query: Query): Promise<StateAnswer> {
  const version = await versionIn(book, query);
  const fold = await book.states.at(version);
  const { views, ...parts } = fold.state();
  const position = book.columns.positionOf(version);
  const features = fold.cwd === "" ? null : await featuresKnownAt(log, fold.cwd, position);
  return {
    version,
    at: book.columns.atOf(version),
    messageCount: book.places.totalAt(version),
    ...parts,
    views: { ...views, features },
  };
}

/** @throws InvalidParameterError, InvalidVersionError */
export async function messages(book: SessionBook, query: Query): Promise<MessagesAnswer> {
  const version = await versionIn(book, query);
  const limit = query.number("limit", { least: 1, most: 500 }) ?? 50;
  const chars = query.number("chars", { least: 100, most: 1_000_000 }) ?? 4_000;
  const total = book.places.totalAt(version);
  const from = Math.min(query.number("from", anyIndex) ?? Math.max(0, total - limit), total);
  const found = await book.messages.read(
    from,
    Math.min(total, from + limit),
    book.places.totalAt(book.version),
  );
  return {
    version,
    total,
    from,
    messages: found.map((message, at) => shownMessage(message, from + at, chars)),
  };
}

/** @throws InvalidParameterError, InvalidVersionError */
export async function calls(book: SessionBook, query: Query): Promise<CallsAnswer> {
  const version = await versionIn(book, query);
  const asked = query.number("limit", { least: 1, most: 2_000 });
  const total = book.calls.totalAt(version);
  const limit = asked ?? 500;
  const from = Math.min(query.number("from", anyIndex) ?? Math.max(0, total - limit), total);
  const at = book.columns.atOf(version);
  return { version, at, total, from, calls: book.calls.at(version, from, limit) };
}

/** @throws InvalidParameterError */
export function usage(book: SessionBook, query: Query): UsageAnswer {
  const count = query.number("points", { least: 2, most: 2_000 }) ?? 200;
  return { version: book.version, points: book.usage.points(count), models: book.usage.models() };
}

/** @throws InvalidParameterError, InvalidVersionError */
export async function files(book: SessionBook, query: Query): Promise<FilesAnswer> {
  const version = await versionIn(book, query);
  return { version, files: book.writes.at(version, (callId) => book.columns.toolOf(callId)) };
}

/** @throws InvalidParameterError, InvalidVersionError */
export async function supervision(
  book: SessionBook,
  supervised: SupervisionBook,
  query: Query,
): Promise<SupervisionAnswer> {
  const version = await versionIn(book, query);
  const position = book.columns.positionOf(version);
  return { version, position, runtimes: await supervised.treesAt(book.sessionId, position) };
}

/** The version that a request is about: `at`, or the last. */
async function versionIn(book: SessionBook, query: Query): Promise<number> {
  const at = query.number("at", anyVersion);
  if (at !== null) await assertVersion(book, at);
  return at ?? book.version;
}

/** @throws InvalidVersionError when the session has no such fact, not even one that came a moment ago */
export async function assertVersion(book: SessionBook, version: number): Promise<void> {
  if (version > book.version) await book.refresh();
  if (version > book.version) throw new InvalidVersionError(book.stream, version, book.version);
}

async function factAt(log: EventLog, stream: string, version: number): Promise<Fact> {
  for await (const fact of log.read(stream, { from: version, to: version })) return fact;
  throw new InvalidVersionError(stream, version, version - 1);
}
