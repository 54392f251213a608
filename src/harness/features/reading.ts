/** Features for one who only looks: no log is opened for writing, and nothing is changed. */
import { NotFoundError } from "../../errors.ts";
import type { EventLog } from "../../log/index.ts";
import type { Feature, FeatureDocument } from "./document.ts";
import { FeatureError } from "./errors.ts";
import { digestOf, placeOf, readBytes } from "./file.ts";
import { fileState } from "./journal.ts";
import { readText } from "./text.ts";

/** The file as it is. @throws what `Features.load` throws, without the errors of a log */
export async function readFeatures(cwd: string): Promise<FeatureDocument> {
  const { file } = await placeOf(cwd);
  const bytes = await readBytes(file);
  if (bytes === null) throw noFile(file);
  return (await readText(bytes)).document;
}

/** Whether a load would write: a write was cut off, or the file is not the one that the log knows. */
export async function hasFeatureNews(log: EventLog, cwd: string): Promise<boolean> {
  const { file, stream } = await placeOf(cwd);
  const { open, recorded } = await fileState(log, stream);
  const digest = digestOf(file);
  return open !== null || (digest !== null && digest !== "other" && digest !== recorded);
}

/** The first feature with the id. @throws FeatureError `feature_not_found` */
export function requireFeature({ features }: FeatureDocument, id: string): Feature {
  const found = features.find((feature) => feature.id === id);
  if (found !== undefined) return found;
  throw new FeatureError("feature_not_found", "no feature has this id", { field: "id" });
}

/** The error for a folder without features. */
export function noFile(file: string): NotFoundError {
  return new NotFoundError(`there is no ${file}`, { field: "cwd" });
}
