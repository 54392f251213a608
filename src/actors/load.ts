/**
 * Brings a stream back from the log: the newest stored state that these machines wrote, then the facts after it, with
 * every decision compared on the way.
 */
import type { EventLog } from "../log/index.ts";
import { Cascade, type CascadeSnapshot, type StreamActors } from "./cascade.ts";
import { factOf, Feed, type Divergence } from "./feed.ts";
import { machineVersion } from "./machine-version.ts";
import { SessionViews, viewsVersion } from "./session-views.ts";

/** Tells stored states of these machines and views from all others. */
export const snapshotWriter = `${machineVersion}/${viewsVersion}`;

/** A stream as the log has it. */
export interface LoadedStream {
  readonly cascade: Cascade;
  readonly views: SessionViews;
  /** Version of the last recorded fact. */
  readonly version: number;
  /** Version of the stored state that it started from, 0 for none. */
  readonly fromVersion: number;
  /** The first difference between what was recorded and what the machines decide now. */
  readonly divergence: Divergence | null;
}

/**
 * @param options.snapshots - `false` replays from the first fact
 * @param options.to - the last version to take; default all
 */
export async function loadStream(
  log: EventLog,
  stream: string,
  actors: StreamActors,
  options: { readonly snapshots?: boolean; readonly to?: number } = {},
): Promise<LoadedStream> {
  const start = options.snapshots === false ? null : await restoreStored(log, stream, actors);
  const cascade = start?.cascade ?? new Cascade(actors);
  const views = start?.views ?? new SessionViews();
  const fromVersion = cascade.version;
  const feed = new Feed(cascade);
  let version = fromVersion;
  let divergence: Divergence | null = null;
  const range = { from: fromVersion + 1, ...(options.to === undefined ? {} : { to: options.to }) };
  for await (const page of log.readStored(stream, range)) {
    for (const stored of page) {
      const fact = factOf(stored);
      divergence ??= feed.take(stored, fact);
      views.fold(fact);
      version = stored.version;
    }
  }
  if (options.to === undefined) divergence ??= feed.end();
  return { cascade, views, version, fromVersion, divergence };
}

async function restoreStored(
  log: EventLog,
  stream: string,
  actors: StreamActors,
): Promise<{ cascade: Cascade; views: SessionViews } | null> {
  const texts = new Map<string, string>();
  for (const snapshot of await log.loadSnapshots(stream)) {
    if (snapshot.writer === snapshotWriter) texts.set(snapshot.name, snapshot.text);
  }
  const actorsText = texts.get("actors");
  if (actorsText === undefined) return null;
  const views = SessionViews.restore(texts);
  if (views === null) return null;
  const snapshot = JSON.parse(actorsText) as CascadeSnapshot;
  return { cascade: new Cascade(actors, snapshot), views };
}
