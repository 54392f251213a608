/**
 * Which project folders may lead to code. Opening a cloned folder must not run what its author wants, so trust is given
 * by the user, to one text of one file: the record holds the folder's real path and the SHA-256 of the project file. A
 * folder without that file is trusted as if it were empty, so one that appears later must be trusted anew.
 *
 * One small file a project under `<home>/trust`, so that two processes never lose each other's records.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { NotFoundError } from "../errors.ts";

/** The project file of a folder. */
export function projectFile(dir: string): string {
  return path.join(dir, ".lemon", "config.toml");
}

/** The folder of a project's own extensions. */
export function projectExtensions(dir: string): string {
  return path.join(dir, ".lemon", "extensions");
}

/** What a project file that is not there says. */
export const nothing: Uint8Array = new Uint8Array();

/**
 * Lets the project file of `dir`, as it is now, and the extensions in `dir` lead to code. A later change of it asks again.
 *
 * @param home - where the record is kept
 * @returns the file's real folder and its SHA-256
 * @throws NotFoundError when there is neither a project file nor a folder of extensions
 */
export async function trustProject(home: string, dir: string): Promise<{ path: string; sha256: string }> {
  const bytes = await readProjectFile(dir).catch((cause: unknown) => {
    throw new NotFoundError(`There is no project file to trust at ${projectFile(dir)}`, { cause });
  });
  if (bytes === null && !(await isFolder(projectExtensions(dir)))) {
    throw new NotFoundError(
      `There is no project file to trust at ${projectFile(dir)}, and no folder ${projectExtensions(dir)}`,
    );
  }
  const record = { path: await realpath(dir), sha256: sha256(bytes ?? nothing) };
  const file = recordFile(home, record.path);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, file);
  return record;
}

/**
 * Takes the trust in `dir` back, whatever its file says now.
 *
 * @returns whether there was any
 */
export async function revokeTrust(home: string, dir: string): Promise<boolean> {
  const file = recordFile(home, await realFolder(dir));
  const known = (await readRecord(file)) !== null;
  await rm(file, { force: true });
  return known;
}

/** Whether `dir` is trusted as its project file is now, or as it has none. */
export async function isTrusted(home: string, dir: string): Promise<boolean> {
  const bytes = await readProjectFile(dir).catch(() => undefined);
  return bytes !== undefined && isTrustedText(home, dir, bytes ?? nothing);
}

/** Whether `dir` is trusted with these bytes as its project file, or its `.lemon` is the user's own home. */
export async function isOwnOrTrusted(home: string, dir: string, bytes: Uint8Array): Promise<boolean> {
  const [own, theirs] = await Promise.all([realFolder(home), realFolder(path.join(dir, ".lemon"))]);
  return own === theirs || isTrustedText(home, dir, bytes);
}

/** The same for bytes that were read already, so that what is judged is what is used. */
async function isTrustedText(home: string, dir: string, bytes: Uint8Array): Promise<boolean> {
  const folder = await realFolder(dir);
  const record = await readRecord(recordFile(home, folder));
  return record !== null && record.path === folder && record.sha256 === sha256(bytes);
}

/** `null` when there is none. */
async function readProjectFile(dir: string): Promise<Uint8Array | null> {
  try {
    return await readFile(projectFile(dir));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function recordFile(home: string, folder: string): string {
  return path.join(home, "trust", `${sha256(folder)}.json`);
}

/** A record that is missing, unreadable or not ours is no trust. */
async function readRecord(file: string): Promise<{ path: unknown; sha256: unknown } | null> {
  try {
    const record: unknown = JSON.parse(await readFile(file, "utf8"));
    const known = typeof record === "object" && record !== null && "path" in record && "sha256" in record;
    return known ? { path: record.path, sha256: record.sha256 } : null;
  } catch {
    return null;
  }
}

/** The real path, so that a link to a trusted folder is trusted; of a folder that is gone, what it was called. */
async function realFolder(dir: string): Promise<string> {
  return realpath(dir).catch(() => path.resolve(dir));
}

function sha256(of: string | Uint8Array): string {
  return createHash("sha256").update(of).digest("hex");
}
