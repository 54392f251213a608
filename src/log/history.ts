/**
 * The history of a stream that was forked from another: its ancestors' facts up to the forks, which stay where they
 * are and are never copied, and then its own. Whoever folds a session reads it here. docs/reference/forks.md
 *
 * One history has one order, so facts of ancestors come with the versions that they have for the fork: its own count
 * from 1, the one before is 0, the one before that -1. Two facts of a history never have the same version, and where
 * a version stands is seen from its sign. `originOf` tells which fact of which stream it is.
 */
import { upcast, type Fact, type FactOf } from "../events/index.ts";
import { LogCorruptError } from "./errors.ts";
import type { EventLog, ReadOptions, StoredFact } from "./port.ts";

/** A part of a history: a stream from its first version on. */
export interface HistoryPart {
  readonly stream: string;
  /** Its last version that belongs to the history; `null`: all do. */
  readonly to: number | null;
  /** What its versions are less in the history: 0 for the stream's own. */
  readonly shift: number;
}

/** Which part of a history to read. `from` and `to` are versions of the history, so they may be 0 or less. */
export type HistoryOptions = Pick<ReadOptions, "from" | "to" | "types" | "backwards">;

type FactReader = Pick<EventLog, "read">;

/**
 * What the history of a stream is made of, oldest first; the last part is the stream's own. A stream that is no fork
 * has that part alone.
 *
 * @throws LogCorruptError when forks follow each other in a circle
 */
export async function historyParts(log: FactReader, stream: string): Promise<HistoryPart[]> {
  const parts: HistoryPart[] = [{ stream, to: null, shift: 0 }];
  for (;;) {
    const oldest = parts[0] as HistoryPart;
    const forked = await forkOf(log, oldest.stream);
    if (forked === null) return parts;
    const parent = `session-${forked.from}`;
    if (parts.some((part) => part.stream === parent))
      throw new LogCorruptError(parent, "it is a fork of itself", null);
    parts.unshift({ stream: parent, to: forked.at, shift: oldest.shift + forked.at });
  }
}

/** What the history of a stream would be made of if it were forked now from another, which is only read. */
export async function forkedParts(
  log: FactReader,
  stream: string,
  from: string,
  at: number,
): Promise<HistoryPart[]> {
  const parts = await historyParts(log, from);
  return [
    ...parts.map((part) => ({
      ...part,
      to: part.stream === from ? at : part.to,
      shift: part.shift + at,
    })),
    { stream, to: null, shift: 0 },
  ];
}

/**
 * A history's facts, oldest first, or newest first with `backwards`. A fact of an ancestor keeps its stream, position
 * and hash; its version and causation are those of the history.
 *
 * @param stream - its name, or what its history is made of, for who knows it already
 * @throws LogCorruptError when facts of an ancestor are missing in this log
 */
export async function* historyOf(
  log: FactReader,
  stream: string | readonly HistoryPart[],
  options: HistoryOptions = {},
): AsyncIterable<Fact> {
  for (const { part, range } of await ranges(log, stream, options)) {
    if (part.shift === 0) yield* log.read(part.stream, range);
    else for await (const fact of log.read(part.stream, range)) yield shifted(fact, part.shift);
  }
}

/** Like `historyOf`, a page of facts at a time and without parsing their data. */
export async function* storedHistoryOf(
  log: Pick<EventLog, "read" | "readStored">,
  stream: string | readonly HistoryPart[],
  options: HistoryOptions = {},
): AsyncIterable<readonly StoredFact[]> {
  for (const { part, range } of await ranges(log, stream, options)) {
    if (part.shift === 0) yield* log.readStored(part.stream, range);
    else
      for await (const page of log.readStored(part.stream, range))
        yield page.map((stored) => shifted(stored, part.shift));
  }
}

/** Which fact of which stream a version of a history is; `null` for one before its first. */
export function originOf(
  parts: readonly HistoryPart[],
  version: number,
): { readonly stream: string; readonly version: number } | null {
  for (const { stream, to, shift } of parts.toReversed()) {
    const own = version + shift;
    if (own >= 1 && (to === null || own <= to)) return { stream, version: own };
  }
  return null;
}

/** What the first fact of a stream says of its parent; `null`: it is no fork. */
export async function forkOf(
  log: FactReader,
  stream: string,
): Promise<FactOf<"session.forked">["data"] | null> {
  for await (const fact of log.read(stream, { to: 1, types: ["session.forked"] }))
    return (upcast(fact) as FactOf<"session.forked">).data;
  return null;
}

interface PartRange {
  readonly part: HistoryPart;
  readonly range: ReadOptions;
}

async function ranges(
  log: FactReader,
  stream: string | readonly HistoryPart[],
  { from, to, types, backwards = false }: HistoryOptions,
): Promise<PartRange[]> {
  const found: PartRange[] = [];
  for (const part of typeof stream === "string" ? await historyParts(log, stream) : stream) {
    const ends = [part.to, to === undefined ? null : to + part.shift].filter((end) => end !== null);
    const last = ends.length === 0 ? null : Math.min(...ends);
    if (last !== null && last < 1) continue;
    // Also where it is not read: who begins later must not see a history that others don't.
    if (part.to !== null) await assertWhole(log, part.stream, part.to);
    const first = from === undefined ? 1 : from + part.shift;
    if (last !== null && first > last) continue;
    const range = {
      backwards,
      ...(first > 1 ? { from: first } : {}),
      ...(last === null ? {} : { to: last }),
      ...(types === undefined ? {} : { types }),
    };
    found.push({ part, range });
  }
  return backwards ? found.toReversed() : found;
}

/** A log may have been put together from others, and a history with a hole tells another story. */
async function assertWhole(log: FactReader, stream: string, to: number): Promise<void> {
  for await (const _last of log.read(stream, { from: to, to })) return;
  throw new LogCorruptError(stream, `a session was forked from it at version ${to}, which is missing`, null);
}

function shifted<Of extends Fact | StoredFact>(fact: Of, shift: number): Of {
  const { version, causation } = fact;
  return { ...fact, version: version - shift, causation: causation === null ? null : causation - shift };
}
