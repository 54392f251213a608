/**
 * States of a session at intervals, stored so that who asks for one at any version folds from the nearest and not from
 * the first fact. Of the conversation such a state has its length: messages never change, so they are the first ones of
 * the views that were stored last. docs/reference/journaled-stream.md, "Snapshots"
 */
import type { EventLog, Snapshot, SnapshotHead } from "../log/index.ts";
import {
  PAGE_SIZE,
  SessionTally,
  sessionView,
  tallyVersion,
  transcript,
  type SessionView,
  type StoredTally,
  type Transcript,
  type TranscriptMessage,
  type TranscriptPage,
} from "../projections/index.ts";
import { hashedFact, snapshotWriter } from "./stored.ts";
import type { StoredText } from "./stream-views.ts";

/** What the folds of a session's views are. */
export const sessionViewsVersion = `${transcript.name}.${transcript.version},${sessionView.name}.${sessionView.version},tally.${tallyVersion}`;

/** What a transcript is beside its messages. */
export type TranscriptRest = Pick<Transcript, "batch" | "summary" | "counted">;

/** The views of a session as they are stored last; full pages stand beside it. */
export interface StoredViews {
  readonly session: SessionView;
  readonly pages: number;
  readonly tail: readonly TranscriptMessage[];
  readonly rest: TranscriptRest;
  /** `null` when it is too long to be stored as often as this. */
  readonly tally: StoredTally | null;
  /** Version of the last state at an interval, 0 for none. */
  readonly stateVersion: number;
}

/** A state at an interval. */
export interface StoredState {
  readonly factHash: string;
  readonly session: SessionView;
  /** How many there were. */
  readonly messages: number;
  readonly rest: TranscriptRest;
  readonly tally: StoredTally;
}

/** A state that was stored, ready to go on from. */
export interface RestoredState {
  readonly version: number;
  /** Of its last fact, over the whole log. */
  readonly position: number;
  readonly session: SessionView;
  readonly transcript: Transcript;
  readonly tally: SessionTally;
}

/** Under which name the state at a version is stored. */
export function stateName(version: number): string {
  return `at/${version}`;
}

/** Under which name a full page is stored. */
export function pageName(index: number): string {
  return `transcript/${index}`;
}

/** Whether it is part of what a stream is resumed from, and no state at an interval. */
export function isNewest({ name }: Pick<SnapshotHead, "name">): boolean {
  return !name.startsWith("at/");
}

/**
 * The nearest state that this build stored and that belongs to the history which the log holds; `null` for none.
 *
 * @param to - the last version that counts; default all
 */
export async function nearestState(
  log: EventLog,
  stream: string,
  to = Number.MAX_SAFE_INTEGER,
): Promise<RestoredState | null> {
  const writer = snapshotWriter({ version: sessionViewsVersion });
  let below = to;
  while (below > 0) {
    const last = below;
    below = 0;
    const [stored] = await log.loadSnapshots(stream, (heads) => {
      const nearest = newest(heads, writer, last);
      // If it is of no use, and be it that its bytes are spoilt, the next one below it is looked at.
      if (nearest !== null) below = nearest.version - 1;
      return nearest === null ? [] : [nearest];
    });
    if (stored === undefined) continue;
    const { factHash, session, messages, rest, tally } = JSON.parse(stored.text) as StoredState;
    const fact = await hashedFact(log, stream, stored.version);
    if (fact?.hash !== factHash) continue;
    const conversation = await firstMessages(log, stream, writer, messages);
    if (conversation === null) continue;
    const { version } = stored;
    const { position } = fact;
    const restored = { session, transcript: { ...conversation, ...rest }, tally: new SessionTally(tally) };
    return { version, position, ...restored };
  }
  return null;
}

function newest(heads: readonly SnapshotHead[], writer: string, to: number): SnapshotHead | null {
  let found: SnapshotHead | null = null;
  for (const head of heads) {
    if (isNewest(head) || head.writer !== writer || head.version > to) continue;
    if (found === null || head.version > found.version) found = head;
  }
  return found;
}

/** `null` when not so many are stored. */
async function firstMessages(
  log: EventLog,
  stream: string,
  writer: string,
  count: number,
): Promise<Pick<Transcript, "pages" | "tail"> | null> {
  const full = Math.floor(count / PAGE_SIZE);
  const names = new Set(["views"]);
  for (let index = 0; index * PAGE_SIZE < count; index += 1) names.add(pageName(index));
  const parts = new Map<string, Snapshot>();
  for (const part of await log.loadSnapshots(stream, (heads) =>
    heads.filter((head) => head.writer === writer && names.has(head.name)),
  ))
    parts.set(part.name, part);
  const pages = storedPages(parts, full);
  if (pages === null) return null;
  const rest = count - full * PAGE_SIZE;
  if (rest === 0) return { pages, tail: [] };
  const next = parts.get(pageName(full));
  const growing = next === undefined ? tailOf(parts.get("views"), full) : new StoredPage(next).messages;
  return growing.length < rest ? null : { pages, tail: growing.slice(0, rest) };
}

/** The messages after so many full pages, if it has just those. */
function tailOf(views: StoredText | undefined, full: number): readonly TranscriptMessage[] {
  if (views === undefined) return [];
  const { pages, tail } = JSON.parse(views.text) as StoredViews;
  return pages === full ? tail : [];
}

/** The first full pages; `null` when one is missing. */
export function storedPages(
  parts: ReadonlyMap<string, StoredText>,
  count: number,
): readonly TranscriptPage[] | null {
  const pages: TranscriptPage[] = [];
  for (let index = 0; index < count; index += 1) {
    const page = parts.get(pageName(index));
    if (page === undefined) return null;
    pages.push(new StoredPage(page));
  }
  return pages;
}

/** Parsed when it is first looked at: most resumes of a long session look at the newest pages only. */
class StoredPage implements TranscriptPage {
  #stored: StoredText | null;
  #messages: readonly TranscriptMessage[] = [];

  constructor(stored: StoredText) {
    this.#stored = stored;
  }

  get messages(): readonly TranscriptMessage[] {
    if (this.#stored !== null) {
      this.#messages = JSON.parse(this.#stored.text) as TranscriptMessage[];
      this.#stored = null;
    }
    return this.#messages;
  }
}
