/**
 * Brings a stream back from the log: the newest stored state that these machines wrote, then the facts after it, with
 * every decision compared on the way. That of a fork begins with the history of its parent.
 */
import {
  DataRedactedError,
  historyParts,
  storedHistoryOf,
  type EventLog,
  type Snapshot,
  type SnapshotHead,
} from "../log/index.ts";
import { Cascade, type CascadeSnapshot, type StreamActors } from "./cascade.ts";
import { factOf, Feed, type FedDivergence } from "./feed.ts";
import { isNewest } from "./session-states.ts";
import { hashedFact, snapshotWriter } from "./stored.ts";
import type { StreamViews, ViewsKind } from "./stream-views.ts";

/** A stream as the log has it. */
export interface LoadedStream<Views extends StreamViews = StreamViews> {
  readonly cascade: Cascade;
  readonly views: Views;
  /** Version of the last recorded fact. */
  readonly version: number;
  /** Hash of that fact; the empty string when there is none. */
  readonly hash: string;
  /** Version of the stored state that it started from; without one, that before its history: 0, or less for a fork. */
  readonly fromVersion: number;
  /** The first difference between what was recorded and what the machines decide now. */
  readonly divergence: FedDivergence | null;
}

/**
 * @param options.snapshots - `false` replays from the first fact
 * @param options.to - the last version to take; default all
 * @throws DataRedactedError when data of the stream was left out
 */
export async function loadStream<Views extends StreamViews>(
  log: EventLog,
  stream: string,
  actors: StreamActors,
  kind: ViewsKind<Views>,
  options: { readonly snapshots?: boolean; readonly to?: number } = {},
): Promise<LoadedStream<Views>> {
  const start = options.snapshots === false ? null : await restoreStored(log, stream, actors, kind);
  const parts = start === null ? await historyParts(log, stream) : [];
  const feed = start === null ? Feed.of(actors, parts) : new Feed(start.cascade);
  const views = start?.views ?? kind.create();
  // A fork's history begins below zero: where it is long, its state is stored soon.
  const fromVersion = start?.cascade.version ?? 0 - (parts[0]?.shift ?? 0);
  let version = fromVersion;
  let hash = start?.hash ?? "";
  let divergence: FedDivergence | null = null;
  const to = options.to === undefined ? {} : { to: options.to };
  const recorded =
    start === null
      ? storedHistoryOf(log, parts, to)
      : log.readStored(stream, { from: fromVersion + 1, ...to });
  for await (const page of recorded) {
    for (const stored of page) {
      if (stored.redacted !== undefined) throw new DataRedactedError(stream);
      const fact = factOf(stored);
      divergence ??= feed.take(stored, fact);
      views.fold(fact);
      version = stored.version;
      hash = stored.hash;
    }
  }
  if (options.to === undefined) divergence ??= feed.end();
  return { cascade: feed.cascade, views, version, hash, fromVersion, divergence };
}

/** The actors of a stream as they are stored, and the fact after which they stood so. */
export interface StoredActors {
  readonly factHash: string;
  readonly cascade: CascadeSnapshot;
}

/** The stored state, if these machines wrote it and it belongs to the history that the log holds now. */
async function restoreStored<Views extends StreamViews>(
  log: EventLog,
  stream: string,
  actors: StreamActors,
  kind: ViewsKind<Views>,
): Promise<{ cascade: Cascade; views: Views; hash: string } | null> {
  const parts = new Map<string, Snapshot>();
  const writer = snapshotWriter(kind);
  const isPart = ({ name, writer: by }: SnapshotHead): boolean => by === writer && isNewest({ name });
  for (const snapshot of await log.loadSnapshots(stream, (heads) => heads.filter(isPart)))
    parts.set(snapshot.name, snapshot);
  const stored = parts.get("actors");
  if (stored === undefined) return null;
  const { factHash, cascade } = JSON.parse(stored.text) as StoredActors;
  if ((await hashedFact(log, stream, cascade.version))?.hash !== factHash) return null;
  const views = kind.restore(parts);
  return views === null ? null : { cascade: new Cascade(actors, cascade), views, hash: factHash };
}
