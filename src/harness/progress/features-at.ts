/** The features of a folder as the log knew them at a time. */
import type { EventLog } from "../../log/index.ts";
import { featureFile, project } from "../../projections/index.ts";
import type { FeatureDocument } from "../features/document.ts";
import { placeOf } from "../features/file.ts";
import { readText } from "../features/text.ts";

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
  const position = await positionOf(log, stream, version);
  let view = featureFile.initial;
  for await (const fact of log.read(place.stream)) {
    if (fact.position > position) break;
    view = project(featureFile, view, fact);
  }
  if (view.sha256 === null) return null;
  return (await readText(await log.getBlob(view.sha256))).document;
}

async function positionOf(log: EventLog, stream: string, version: number): Promise<number> {
  for await (const { position } of log.read(stream, { from: version, to: version })) return position;
  return 0;
}
