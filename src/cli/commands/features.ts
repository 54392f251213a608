/** `lemon features [list|next|set ID STATUS]` */
import {
  hasFeatureNews,
  problemsOf,
  progressOf,
  readFeatures,
  requireFeature,
  requireStatus,
  type FeatureDocument,
} from "../../harness/index.ts";
import { actionable } from "../../projections/index.ts";
import type { Runtime } from "../../runtime/index.ts";
import { statuses, type Status } from "../errors.ts";
import { featureLines, featureProblemLines, progressLine } from "../feature-lines.ts";
import type { Context } from "../globals.ts";
import { readingLogIfAny } from "../reading.ts";

/** Lists the features of the working directory, each with its status. */
export async function listFeatures(context: Context): Promise<Status> {
  const { out } = context;
  const document = await loaded(context);
  if (out.json) {
    out.document({ ...document, progress: progressOf(document), dependencyProblems: problemsOf(document) });
    return statuses.done;
  }
  for (const line of featureLines(out, document.features)) out.line(line);
  out.line(progressLine(progressOf(document)));
  for (const line of featureProblemLines(document)) out.warn(line);
  return statuses.done;
}

/** Lists the features that can be begun, in the order in which to begin them. */
export async function nextFeatures(context: Context): Promise<Status> {
  const { out } = context;
  const document = await loaded(context);
  const features = actionable(document.features);
  if (out.json) {
    out.document({ features, dependencyProblems: problemsOf(document) });
    return statuses.done;
  }
  for (const line of featureLines(out, features)) out.line(line);
  if (features.length === 0) out.note(`nothing can be begun: ${progressLine(progressOf(document))}`);
  for (const line of featureProblemLines(document)) out.warn(line);
  return statuses.done;
}

/** Sets the status of a feature. What can't be done is refused before a log is made. */
export async function setFeature(
  context: Context,
  id: string,
  status: string,
  { notes }: { readonly notes?: string },
): Promise<Status> {
  const { cwd, out } = context;
  requireStatus(status);
  // A write that was cut off may be about to make the file, or this feature in it.
  if (!(await hasNews(context))) requireFeature(await readFeatures(cwd), id);
  const document = await withRuntime(context, (runtime) =>
    runtime.features.updateStatus(cwd, id, status, notes),
  );
  const feature = requireFeature(document, id);
  if (out.json) out.document(feature);
  else for (const line of featureLines(out, [feature])) out.line(line);
  return statuses.done;
}

/**
 * The features. The log is opened for writing only when there is something to record or to finish, and what is wrong
 * with it keeps nobody from reading the file.
 */
async function loaded(context: Context): Promise<FeatureDocument> {
  const { cwd, out } = context;
  if (await hasNews(context)) {
    try {
      return await withRuntime(context, (runtime) => runtime.features.load(cwd));
    } catch (error) {
      // What is wrong with the file itself is told once, as the error that it is.
      const document = await readFeatures(cwd);
      out.warn(
        `the features are shown as they are: ${error instanceof Error ? error.message : String(error)}`,
      );
      return document;
    }
  }
  return readFeatures(cwd);
}

async function hasNews(context: Context): Promise<boolean> {
  const { cwd, out } = context;
  try {
    return (await readingLogIfAny(context, (log) => hasFeatureNews(log, cwd))) ?? false;
  } catch (error) {
    out.warn(`the log could not be read: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function withRuntime<Result>(
  context: Context,
  use: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  const { openRuntime } = await import("../leading.ts");
  const runtime = await openRuntime(context);
  try {
    return await use(runtime);
  } finally {
    context.leftBehind(await runtime.close());
  }
}
