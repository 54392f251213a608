/** By what a stored state is known: who wrote it, and the fact after which it stood. */
import type { EventLog, StoredFact } from "../log/index.ts";
import { machineVersion } from "./machine-version.ts";
import type { StreamViews, ViewsKind } from "./stream-views.ts";

/** Tells stored states of these machines and views from all others. */
export function snapshotWriter({ version }: Pick<ViewsKind<StreamViews>, "version">): string {
  return `${machineVersion}/${version}`;
}

/** Place and hash of a fact; `null` when the stream has no such version. */
export async function hashedFact(
  log: Pick<EventLog, "readStored">,
  stream: string,
  version: number,
): Promise<Pick<StoredFact, "position" | "hash"> | null> {
  for await (const [fact] of log.readStored(stream, { from: version, to: version })) return fact ?? null;
  return null;
}
