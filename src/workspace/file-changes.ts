/**
 * The one door through which built-in tools change files: what a file holds is kept before it is touched, nobody else
 * of this process touches it meanwhile, and what was done to it is noted. docs/reference/receipts.md
 */
import { chmod, mkdir, realpath, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { LemonError } from "../errors.ts";
import { codeOf } from "./file-errors.ts";
import { type FileImage, imageOf, isSameImage, sha256Of } from "./file-image.ts";
import { inFileOrder } from "./file-queue.ts";
import { displayPath } from "./paths.ts";
import { replaceFile, type Replaced } from "./replace-file.ts";

/** Somebody changed a file between the look at it and the write, so it was not written. Code `LEMON_FILE_CHANGED`. */
class FileChangedError extends LemonError {
  constructor(shown: string) {
    super(
      "file_changed",
      `${shown} was changed by somebody else in this moment (file_changed), so it was not written: read it again`,
      { field: "path" },
    );
  }
}

/** A file that is going to be changed. */
export interface FileToChange {
  /** Real and absolute, as `targetOf` gives it. */
  readonly path: string;
  /** What the change was worked out from, `null` for no file. Left out: it does not matter what it holds. */
  readonly bytes?: Uint8Array | null;
}

/** What a call did to one file. */
export interface FileChange {
  readonly path: string;
  /** `null`: there was no file. */
  readonly before: FileImage | null;
  readonly after: FileImage | null;
}

/** All that a call did. */
export interface NotedChanges {
  /** What it was about, changed or not, in order. */
  readonly affected: readonly string[];
  /** What is other than before, in order. */
  readonly files: readonly FileChange[];
  /** Outermost first. */
  readonly createdDirs: readonly string[];
}

/** What changing files needs. */
export interface FileChangesParts {
  readonly cwd: string;
  /** Names the siblings that are written; see `replaceFile`. */
  readonly writer: string;
  /** Once it has fired nothing more is changed. */
  readonly signal: AbortSignal;
  /** Keeps what files hold, and resolves when that is durable. @returns each of them; `null`: nothing is kept */
  readonly keep: (paths: readonly string[]) => Promise<ReadonlyMap<string, FileImage | null> | null>;
  /** Told which files are about to be changed. @returns told when that is over */
  readonly begin: (paths: readonly string[]) => () => void;
}

/** The changes of one call. */
export class FileChanges {
  readonly #parts: FileChangesParts;
  readonly #affected = new Set<string>();
  readonly #before = new Map<string, FileImage | null>();
  readonly #now = new Map<string, FileImage | null>();
  readonly #createdDirs: string[] = [];

  constructor(parts: FileChangesParts) {
    this.#parts = parts;
  }

  /** Runs `task` once every earlier one for any of these files has ended. @param paths - as `targetOf` gives them */
  inOrder<Result>(paths: readonly string[], task: () => Promise<Result>): Promise<Result> {
    return inFileOrder(paths, async () => {
      const { signal, begin } = this.#parts;
      signal.throwIfAborted();
      const over = begin(paths);
      try {
        return await task();
      } finally {
        over();
      }
    });
  }

  /** The call is about this file, and leaves it as it is. */
  leave(path: string): void {
    this.#affected.add(path);
  }

  /**
   * Keeps what the files hold. To be awaited before any of them is changed.
   *
   * @throws FileChangedError when one is not what the change was worked out from, and the errors of `keep`
   */
  async guard(files: readonly FileToChange[]): Promise<void> {
    const { cwd, keep, signal } = this.#parts;
    const paths = [...new Set(files.map(({ path }) => path))];
    const kept = await keep(paths);
    for (const path of paths) {
      const image = kept === null ? await imageOf(path) : (kept.get(path) ?? null);
      this.#affected.add(path);
      if (!this.#before.has(path)) this.#before.set(path, image);
      this.#now.set(path, image);
    }
    for (const { path, bytes } of files) {
      const wanted = bytes === undefined || bytes === null ? bytes : sha256Of(bytes);
      if (wanted !== undefined && wanted !== (this.#now.get(path)?.sha256 ?? null))
        throw new FileChangedError(displayPath(path, cwd));
    }
    signal.throwIfAborted();
  }

  /** Gives a guarded file these bytes. @param mode - for a new file; see `replaceFile`. @throws FileChangedError */
  async replace(path: string, bytes: Uint8Array, mode?: number): Promise<Replaced> {
    await this.#assertUntouched(path);
    return this.#noting(path, async () => {
      await this.#makeParents(path);
      const result = await replaceFile(path, bytes, this.#parts.writer, mode);
      return { result, image: { sha256: sha256Of(bytes), mode: (await stat(path)).mode & 0o7777 } };
    });
  }

  /** Gives a guarded file this mode. @throws FileChangedError */
  async setMode(path: string, mode: number): Promise<void> {
    const { sha256 } = (await this.#assertUntouched(path)) ?? { sha256: "" };
    await this.#noting(path, async () => {
      await chmod(path, mode);
      return { result: undefined, image: { sha256, mode } };
    });
  }

  /** Removes a guarded file. @throws FileChangedError */
  async remove(path: string): Promise<void> {
    await this.#assertUntouched(path);
    await this.#noting(path, async () => {
      await rm(path);
      return { result: undefined, image: null };
    });
  }

  /** What was done so far. */
  noted(): NotedChanges {
    const files: FileChange[] = [];
    for (const [path, before] of this.#before) {
      const after = this.#now.get(path) ?? null;
      if (!isSameImage(before, after)) files.push({ path, before, after });
    }
    return { affected: [...this.#affected], files, createdDirs: [...this.#createdDirs] };
  }

  /** The file is what was kept of it, or what this call made of it: else its content is kept nowhere. */
  async #assertUntouched(path: string): Promise<FileImage | null> {
    const { cwd, signal } = this.#parts;
    const known = this.#now.get(path);
    if (known === undefined) throw new Error("a file is changed only once it is guarded");
    const found = await imageNow(path);
    if (found === "other" || !isSameImage(found, known)) throw new FileChangedError(displayPath(path, cwd));
    // The last look before the change: nothing is awaited in between that others could use.
    signal.throwIfAborted();
    return found;
  }

  async #noting<Result>(
    path: string,
    change: () => Promise<{ readonly result: Result; readonly image: FileImage | null }>,
  ): Promise<Result> {
    try {
      const { result, image } = await change();
      this.#now.set(path, image);
      return result;
    } catch (error) {
      // A file that had to be written in place may be half of what it should be.
      const now = await imageNow(path).catch(() => "other" as const);
      if (now !== "other") this.#now.set(path, now);
      throw error;
    }
  }

  async #makeParents(path: string): Promise<void> {
    const folder = dirname(path);
    const missing = await missingFrom(folder);
    if (missing.length === 0) return;
    try {
      await mkdir(folder, { recursive: true });
    } finally {
      for (const made of missing) if (await isThere(made)) this.#createdDirs.push(made);
    }
  }
}

/** `other`: a link stands in its place or above it, or something that is no file. */
async function imageNow(path: string): Promise<FileImage | null | "other"> {
  try {
    const folder = dirname(path);
    if ((await isThere(folder)) && (await realpath(folder)) !== folder) return "other";
    return await imageOf(path);
  } catch (error) {
    if (error instanceof LemonError) return "other";
    throw error;
  }
}

/** The folder and those above that are not there, outermost first. */
async function missingFrom(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = folder; !(await isThere(at)); at = dirname(at)) missing.unshift(at);
  return missing;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
