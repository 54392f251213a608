/** What esbuild says of a file that it can't bundle, as a load error. docs/reference/extensions.md, "Load errors" */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Loader, Location, Message } from "esbuild";
import { messageOf } from "../../errors.ts";
import { ExtensionLoadError, type LoadError } from "../port.ts";
import { BuildFailed } from "./build.ts";
import type { Gathered } from "./gathered.ts";
import { isBuildFailure, withEsbuild } from "./service.ts";

type Fault = LoadError["error"];

/** The load error for whatever was thrown while `sourcePath` was bundled. */
export async function loadErrorOf(sourcePath: string, error: unknown): Promise<ExtensionLoadError> {
  if (error instanceof ExtensionLoadError) return error;
  if (error instanceof BuildFailed) return fromMessages(sourcePath, error);
  return compileFault(sourcePath, { message: messageOf(error) });
}

/** The file, or the folder in which it was found, is no longer there. */
export function notFound(sourcePath: string): ExtensionLoadError {
  const message = "Extension file not found";
  return new ExtensionLoadError({
    sourcePath,
    error: { name: "Error", message, code: "ENOENT" },
    errorMessage: message,
  });
}

/** A fault that the parser did not find. */
export function compileFault(
  sourcePath: string,
  { message, ...rest }: Omit<Fault, "name">,
  where = "",
): ExtensionLoadError {
  return new ExtensionLoadError({
    sourcePath,
    error: { name: "CompileError", message, ...rest },
    errorMessage: `Compile error: ${message}${where}`,
  });
}

async function fromMessages(sourcePath: string, failed: BuildFailed): Promise<ExtensionLoadError> {
  const { gathered } = failed;
  const { errors } = failed.cause as { readonly errors: readonly Message[] };
  const folder = path.dirname(gathered.entry);
  // esbuild sorts them by place; one in the file itself says more than one in a helper.
  const first = errors.find(({ location }) => fileOf(location, folder) === gathered.entry) ?? errors[0];
  if (first === undefined) return compileFault(sourcePath, { message: messageOf(failed.cause) });
  const message = firstLine(first.text);
  const file = fileOf(first.location, folder);
  if (file === undefined || first.location === null) return compileFault(sourcePath, { message });
  const { line } = first.location;
  const place = {
    ...(file === gathered.entry ? {} : { file }),
    line,
    column: columnOf(first.location, file, gathered),
  };
  const shown = shownPath(file, folder);
  if (gathered.locals.has(file) && !(await isParsed(file))) {
    const where = file === gathered.entry ? `at line ${line}` : `in ${shown} at line ${line}`;
    return new ExtensionLoadError({
      sourcePath,
      error: { name: "SyntaxError", message, ...place },
      errorMessage: `Syntax error ${where}: ${message}`,
    });
  }
  const code = message.startsWith("Could not resolve ") ? { code: "ERR_MODULE_NOT_FOUND" } : {};
  const where = file === gathered.entry ? ` (line ${line})` : ` (${shown}, line ${line})`;
  return compileFault(sourcePath, { message, ...code, ...place }, where);
}

function fileOf(location: Location | null, folder: string): string | undefined {
  return location === null ? undefined : path.resolve(folder, location.file);
}

function shownPath(file: string, folder: string): string {
  return path.relative(folder, file).split(path.sep).join("/");
}

/** From 1, in characters. esbuild counts bytes from 0, and what was put before the author's first line. */
function columnOf({ line, column, lineText }: Location, file: string, { locals }: Gathered): number {
  const characters = Buffer.from(lineText, "utf8").subarray(0, column).toString("utf8").length;
  const before = line === 1 ? (locals.get(file) ?? 0) : 0;
  return Math.max(0, characters - before) + 1;
}

const withParser: ReadonlySet<string> = new Set(["js", "jsx", "ts", "tsx", "json", "css"]);

/** Whether the parser alone is content with the file: then the fault is in what the file says, not in how. */
async function isParsed(file: string): Promise<boolean> {
  const loader = path.extname(file).replace(/^\.([cm](?=[jt]s$))?/, "");
  if (!withParser.has(loader)) return true;
  const text = await readFile(file, "utf8").catch(() => undefined);
  // What can't be read has no mistake in it.
  if (text === undefined) return true;
  return withEsbuild(async (esbuild) =>
    esbuild.transform(text, { loader: loader as Loader, logLevel: "silent" }).then(
      () => true,
      (error: unknown) => {
        if (isBuildFailure(error)) return false;
        throw error;
      },
    ),
  );
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}
