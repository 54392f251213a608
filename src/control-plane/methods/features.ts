/** `features.*`. docs/reference/features.md has the rules. */
import path from "node:path";
import { z } from "zod";
import { LemonError } from "../../errors.ts";
import type { Runtime } from "../../runtime/index.ts";
import { defineMethod, type Method } from "../method.ts";
import {
  dependencyProblem,
  feature,
  featureDocument,
  featureProgress,
  optionalText,
  sessionId,
} from "./shapes.ts";

const where = {
  cwd: optionalText.describe(
    "the folder of the file; a relative one starts at that of the session, or of the server",
  ),
  sessionId: sessionId.exactOptional().describe("default folder: where this session works"),
};

const load = defineMethod({
  name: "features.load",
  scope: "read",
  summary: "Gives the features of a project.",
  params: z.object(where),
  result: featureDocument,
  run: async (params, { runtime }) => runtime.features.load(await folderOf(runtime, params)),
});

const progress = defineMethod({
  name: "features.progress",
  scope: "read",
  summary: "Counts the features of a project by status.",
  params: z.object(where),
  result: featureProgress,
  run: async (params, { runtime }) => runtime.features.progress(await folderOf(runtime, params)),
});

const next = defineMethod({
  name: "features.next",
  scope: "read",
  summary: "Gives the features that can be begun, and what is wrong with dependencies.",
  params: z.object(where),
  result: z.object({ features: z.array(feature), dependencyProblems: z.array(dependencyProblem) }),
  run: async (params, { runtime }) => {
    const document = await runtime.features.load(await folderOf(runtime, params));
    const [features, dependencyProblems] = await Promise.all([
      runtime.features.next(document),
      runtime.features.problems(document),
    ]);
    return { features, dependencyProblems };
  },
});

const updateStatus = defineMethod({
  name: "features.updateStatus",
  scope: "write",
  summary: "Changes the status of a feature in the file, and gives all features.",
  params: z.object({
    ...where,
    id: z.string(),
    status: z.string(),
    notes: optionalText.describe("left out: the notes stay; empty: they are cleared"),
  }),
  result: featureDocument,
  run: async ({ id, status, notes, ...params }, { runtime }) =>
    runtime.features.updateStatus(await folderOf(runtime, params), id, status as never, notes),
});

/** All of them. */
export const featureMethods: readonly Method[] = [load, progress, next, updateStatus];

async function folderOf(
  runtime: Runtime,
  { cwd = ".", sessionId: id }: { readonly cwd?: string; readonly sessionId?: string },
): Promise<string> {
  const known = id === undefined ? null : await knownFolder(runtime, id);
  return path.resolve(known ?? runtime.sessions.cwd, cwd.trim() === "" ? "." : cwd);
}

/** A session that was never started works nowhere yet. */
async function knownFolder(runtime: Runtime, id: string): Promise<string | null> {
  try {
    return (await runtime.sessions.state(id)).cwd;
  } catch (error) {
    if (error instanceof LemonError && error.reason === "session_not_found") return null;
    throw error;
  }
}
