/** The features of a folder as the log knew them at a time. */
import { LemonError, NotFoundError } from "../../errors.ts";
import type { EventLog } from "../../log/index.ts";
import { featureFile, project } from "../../projections/index.ts";
import type { FeatureDocument } from "../features/document.ts";
import { placeOf, streamOfFolder } from "../features/file.ts";
import { readText } from "../features/text.ts";

/** A feature file as the log knew it. */
export interface FeaturesAt {
  /** Of its bytes. */
  readonly sha256: string;
  /** `null` when it could not be read. */
  readonly document: FeatureDocument | null;
  /** Why not: `unavailable` when its bytes are not in the log any more, else the reason of the error. */
  readonly error: string | null;
}

/**
 * The file as it was last written or seen when the fact of that version was recorded; `null` when nothing was known of it.
 *
 * @throws NotFoundError when there is no such folder; what `readText` throws
 */
export async function featuresAt(
  log: EventLog,
  cwd: string,
  stream: string,
  version: number,
): Promise<FeatureDocument | null> {
  const place = await placeOf(cwd);
  const sha256 = await digestAt(log, place.stream, await positionOf(log, stream, version));
  return sha256 === null ? null : (await readText(await log.getBlob(sha256))).document;
}

/**
 * The same by the log alone: the folder need not be there any more, and what is wrong with the file is told.
 *
 * @param folder - without links: its features are found by its name
 * @param position - of the last fact of the whole log that counts
 */
export async function featuresKnownAt(
  log: EventLog,
  folder: string,
  position: number,
): Promise<FeaturesAt | null> {
  const sha256 = await digestAt(log, streamOfFolder(folder), position);
  if (sha256 === null) return null;
  try {
    return { sha256, document: (await readText(await log.getBlob(sha256))).document, error: null };
  } catch (error) {
    if (!(error instanceof LemonError) || error.reason.startsWith("log_")) throw error;
    return { sha256, document: null, error: error instanceof NotFoundError ? "unavailable" : error.reason };
  }
}

async function digestAt(log: EventLog, stream: string, position: number): Promise<string | null> {
  let view = featureFile.initial;
  for await (const fact of log.read(stream)) {
    if (fact.position > position) break;
    view = project(featureFile, view, fact);
  }
  return view.sha256;
}

async function positionOf(log: EventLog, stream: string, version: number): Promise<number> {
  for await (const { position } of log.read(stream, { from: version, to: version })) return position;
  return 0;
}
