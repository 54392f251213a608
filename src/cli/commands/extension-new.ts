/** `lemon extension new NAME [DIR]` */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../errors.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import { extensionFiles } from "../extension-template.ts";
import type { Context } from "../globals.ts";

/** The name becomes part of a tool's name, which may have 64 characters. */
const NAME = /^(?=.{1,40}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Writes an extension that works, with a test and a manifest, into a folder that is not there yet. */
export async function newExtension(
  { out, cwd }: Context,
  version: string,
  name: string,
  folder: string | undefined,
): Promise<Status> {
  if (!NAME.test(name)) {
    throw new UsageError(
      `${JSON.stringify(name)} can't name an extension: expected lower-case letters, digits and single hyphens, ` +
        "a letter first, at most 40 characters",
      { field: "name", expected: "a name such as my-extension" },
    );
  }
  const target = path.resolve(cwd, folder ?? name);
  await makeFolder(target);
  const files = extensionFiles(name, version);
  for (const [file, text] of Object.entries(files))
    await writeFile(path.join(target, file), text, { flag: "wx" });
  if (out.json) out.document({ path: target, files: Object.keys(files) });
  else {
    out.line(target);
    for (const step of stepsFor(target)) out.note(step);
  }
  return statuses.done;
}

/** The folder itself must be new, those around it may be. */
async function makeFolder(target: string): Promise<void> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await mkdir(target);
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST";
    const problem = isTaken
      ? "is there already: name a folder that is not"
      : `can't be made: ${messageOf(error)}`;
    throw new UsageError(`${target} ${problem}`, {
      field: "dir",
      expected: "a folder that is not there yet",
    });
  }
}

function stepsFor(target: string): string[] {
  return [
    "Next:",
    `  cd ${target}`,
    "  npm install --save-dev CLONE   # the folder of a built clone of lemon-runtime, until a registry has it",
    "  npm test",
    "  npm run types",
    "  lemon extension validate .",
    '  lemon run --extension . "Greet Ada"',
  ];
}
