/** Manifests on the disk. */
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { byCodePoint } from "../../events/index.ts";
import {
  fileErrors,
  MAX_MANIFEST_BYTES,
  refused,
  validateManifest,
  type ManifestReport,
} from "./validate.ts";

const NAMES = new Set(["lemon_extension.json", "extension.json", ".lemon-extension.json"]);

/**
 * The manifests in a directory and one level below: absolute, sorted by code point. Directories whose name begins with a
 * dot are not entered. What is no directory, or can't be listed, has none.
 */
export async function findManifests(directory: string): Promise<readonly string[]> {
  const folder = path.resolve(directory);
  const here = await namesIn(folder);
  const below = here.filter((name) => !name.startsWith("."));
  const nested = below.map(async (name) =>
    (await namesIn(path.join(folder, name))).map((each) => `${name}/${each}`),
  );
  const candidates = [...here, ...(await Promise.all(nested)).flat()]
    .filter((name) => NAMES.has(path.posix.basename(name)))
    .map((name) => path.join(folder, ...name.split("/")));
  const files = await Promise.all(candidates.map(async (file) => ((await isFile(file)) ? [file] : [])));
  return [...new Set(files.flat())].toSorted(byCodePoint);
}

/** Reads and checks one manifest. Never rejects: a file that can't be read is a report that says so. */
export async function readManifest(file: string): Promise<ManifestReport> {
  const place = path.resolve(file);
  let size = 0;
  try {
    const found = await stat(place);
    // Opening a pipe would wait for its other end, for ever.
    if (!found.isFile()) return refused(place, 0, fileErrors.unreadable);
    size = found.size;
    if (size > MAX_MANIFEST_BYTES) return refused(place, size, fileErrors.tooLarge);
    return validateManifest(place, await readFile(place));
  } catch {
    return refused(place, size, fileErrors.unreadable);
  }
}

/** Finds and reads all manifests of a directory. */
export async function readManifests(directory: string): Promise<readonly ManifestReport[]> {
  return Promise.all((await findManifests(directory)).map(readManifest));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
