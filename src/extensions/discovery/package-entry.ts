/** The extension file that a folder's package.json names. */
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { kindOf, messageOf } from "../../errors.ts";
import type { LoadError } from "../port.ts";
import { isExtensionFileName, isPassedOver, suffixWords } from "./names.ts";

/** A path relative to the folder with `/`, why there is none, or `null`: the folder's package.json names none. */
export type PackageEntry = { readonly file: string } | { readonly loadError: LoadError } | null;

/** Reads `lemon.extension` of the package.json in `folder`. The file that it names is not opened. */
export async function packageEntry(folder: string): Promise<PackageEntry> {
  const manifest = path.join(folder, "package.json");
  let named: unknown;
  try {
    if (!(await isRegularFile(manifest))) return null;
    named = namedIn(JSON.parse(stripMark(await readFile(manifest, "utf8"))));
  } catch (error) {
    const word =
      error instanceof SyntaxError ? "is not valid JSON" : `could not be read: ${messageOf(error)}`;
    return refusal(manifest, `package.json ${word}`);
  }
  if (named === undefined) return null;
  if (typeof named !== "string")
    return refusal(manifest, `lemon.extension must be a string, got ${kindOf(named)}`);
  const problem = await problemOf(folder, named);
  if (problem !== null) return refusal(manifest, `lemon.extension ${problem}`);
  return { file: path.relative(folder, path.resolve(folder, named)).split(path.sep).join("/") };
}

async function problemOf(folder: string, named: string): Promise<string | null> {
  const file = path.resolve(folder, named);
  if (named.includes("\0") || !isInside(folder, file)) return "leads outside its folder";
  const found = await stat(file).catch(() => null);
  if (found === null) return "names a file that is not there";
  if (!isInside(await realpath(folder), await realpath(file))) return "leads outside its folder";
  if (!found.isFile()) return "must name a file";
  const parts = path.relative(folder, file).split(path.sep);
  if (parts.some(isPassedOver) || !isExtensionFileName(parts.at(-1) ?? ""))
    return `must name a ${suffixWords} file that is not hidden, a test or types`;
  return null;
}

function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== "" && way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

function namedIn(manifest: unknown): unknown {
  const lemon = memberOf(manifest, "lemon");
  return memberOf(lemon, "extension");
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function refusal(sourcePath: string, message: string): PackageEntry {
  return { loadError: { sourcePath, error: { name: "Error", message }, errorMessage: message } };
}

async function isRegularFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

function stripMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
