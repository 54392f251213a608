/** Where bundled code lies so that a thread can import it: one file for each content, under its own hash. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const maxAgeMs = 30 * 24 * 60 * 60 * 1000;
const maxFiles = 200;

/**
 * Puts code into the cache; when that can't be written, into a folder of this process alone.
 *
 * @returns absolute path of the file
 */
export async function storeCode(cacheDir: string, sha256: string, code: Uint8Array): Promise<string> {
  try {
    return await storeIn(cacheDir, sha256, code);
  } catch {
    // Read-only, full or no folder at all: an extension loads all the same.
    return storeIn(privateFolder(), sha256, code);
  }
}

async function storeIn(folder: string, sha256: string, code: Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${sha256}.mjs`);
  if (await holds(file, code)) {
    const now = new Date();
    // The age of an entry is the time since it was last used.
    await utimes(file, now, now).catch(() => undefined);
    return file;
  }
  const fresh = path.join(folder, `${sha256}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFile(fresh, code, { mode: 0o600 });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  return file;
}

/** An entry that somebody cut or changed is written anew. */
async function holds(file: string, code: Uint8Array): Promise<boolean> {
  const known = await readFile(file).catch(() => undefined);
  return known?.equals(code) ?? false;
}

let folderOfProcess: string | undefined;

function privateFolder(): string {
  if (folderOfProcess === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), "lemon-extensions-"));
    folderOfProcess = folder;
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
  // Whoever cleans up temporary folders may have taken it away.
  mkdirSync(folderOfProcess, { recursive: true, mode: 0o700 });
  return folderOfProcess;
}

/**
 * Removes what has not been used for 30 days, and what is beyond the 200 files used last. Never rejects: a file that
 * can't be removed is tried again the next time.
 *
 * @param now - epoch milliseconds
 */
export async function pruneCache(cacheDir: string, now: number): Promise<void> {
  const names = await readdir(cacheDir).catch((): string[] => []);
  const entries = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{64}\.([0-9a-f]{12}\.tmp|mjs)$/.test(name))
      .map(async (name) => {
        const file = path.join(cacheDir, name);
        return { file, usedAt: (await stat(file).catch(() => undefined))?.mtimeMs ?? now };
      }),
  );
  const byUse = entries.toSorted((a, b) => b.usedAt - a.usedAt || (a.file < b.file ? -1 : 1));
  const old = byUse.filter(({ usedAt }, index) => index >= maxFiles || now - usedAt > maxAgeMs);
  await Promise.all(old.map(async ({ file }) => rm(file, { force: true }).catch(() => undefined)));
}
