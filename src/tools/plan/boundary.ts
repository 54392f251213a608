/**
 * The one folder that plan mode may write to, and whether a path lies in it once every link is followed.
 * docs/reference/plan-mode.md, "The boundary"
 */
import { lstat, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../../workspace/index.ts";
import { errorResult, ToolFailure } from "../result.ts";

/** The folder, below the working directory. */
export const PLANS_FOLDER = ".lemon/plans";

/**
 * Makes the folder where there is none, and checks that the file would lie in it.
 *
 * @param file - absolute and normalised
 * @param written - the path as it was asked for
 * @throws ToolFailure `plan_boundary`
 */
export async function assertInPlans(file: string, written: string, cwd: string): Promise<void> {
  const plans = await plansFolder(cwd);
  if (plans === null || !(await liesIn(file, plans))) {
    throw new ToolFailure(
      errorResult(`${written} is outside ${PLANS_FOLDER}/`, { errorType: "plan_boundary" }),
    );
  }
}

/** The real folder; `null` when it is a link that leads out of the working directory, or nowhere. */
async function plansFolder(cwd: string): Promise<string | null> {
  const root = await realpath(cwd);
  let folder = root;
  for (const name of PLANS_FOLDER.split("/")) {
    // One step after the other, each looked at before the next: nothing is made on the far side of a link.
    const next = path.join(folder, name);
    await mkdir(next).catch(ignoreExisting);
    const real = await realOf(next);
    if (real === null || !isBelow(real, root)) return null;
    folder = real;
  }
  return folder;
}

/** What is there of the path decides: the rest would be made below it, with no link in between. */
async function liesIn(file: string, folder: string): Promise<boolean> {
  let place = file;
  while (!(await isThere(place))) {
    const above = path.dirname(place);
    if (above === place) return false;
    place = above;
  }
  const real = await realOf(place);
  return real !== null && (real === folder || isBelow(real, folder));
}

/** A link is there even if it leads nowhere. */
async function isThere(place: string): Promise<boolean> {
  try {
    await lstat(place);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

/** `null` for a link that leads nowhere, or in a circle. */
async function realOf(place: string): Promise<string | null> {
  try {
    return await realpath(place);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
    throw error;
  }
}

function isBelow(place: string, folder: string): boolean {
  const inside = path.relative(folder, place);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}
