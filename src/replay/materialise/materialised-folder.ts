/** A copy of a workspace that can be moved through the versions of a session. docs/reference/bisect.md, "The copy" */
import { mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { byCodePoint } from "../../events/index.ts";
import { LogCorruptError, type EventLog } from "../../log/index.ts";
import { NotFoundError } from "../../errors.ts";
import type { PathContent } from "../../projections/index.ts";
import {
  ensureFolder,
  observe,
  putFile,
  removeEmptyFolder,
  removeFile,
  setFileMode,
  systemFiles,
  type Observed,
} from "../../workspace/index.ts";
import { foldersAt, wantedAt, writesByPath, type Wanted, type WritesByPath } from "./content-at.ts";
import type { WorkspaceHistory } from "./workspace-history.ts";

/** What it is made of. */
export interface FolderParts {
  readonly log: Pick<EventLog, "getBlob" | "hasBlob">;
  readonly history: WorkspaceHistory;
  /** Absolute, no link: where the copy is. */
  readonly root: string;
  /** Where contents go that the log doesn't have and that moving would lose; `null` when it is moved once. */
  readonly keep: string | null;
  /** Absolute paths of the workspace that are never part of it. */
  readonly skipped: ReadonlySet<string>;
  /** Relative paths that are links to the original. */
  readonly linked: readonly string[];
  /** Relative paths of the links that were copied. */
  readonly links: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

type Known = Exclude<PathContent, { readonly is: "unknown" }>;

interface Target {
  readonly path: string;
  readonly target: Known;
  /** Nothing wrote to it after the version. */
  readonly isLast: boolean;
}

/** Mode of a file whose mode was not recorded and that is not there. */
const DEFAULT_MODE = 0o644;

/** A folder that holds the copy of a workspace. */
export class MaterialisedFolder {
  readonly #parts: FolderParts;
  readonly #writes: WritesByPath;
  /** What the copied workspace held; `null` for what is no file. */
  readonly #first = new Map<string, Known | null>();
  readonly #firstFolders = new Set<string>();
  readonly #firstLinks = new Map<string, string>();
  /** Folders that were made for files of a version. */
  readonly #made = new Set<string>();

  private constructor(parts: FolderParts) {
    this.#parts = parts;
    this.#writes = writesByPath(parts.history.steps);
  }

  /** Takes a look at the copy, which nobody has changed yet. */
  static async of(parts: FolderParts): Promise<MaterialisedFolder> {
    const folder = new MaterialisedFolder(parts);
    await folder.#lookFirst();
    return folder;
  }

  /**
   * Gives every path that the log knows what it held just after a position of the log. What else is in the folder stays.
   *
   * @returns the paths whose content then is not known or not stored, by code point. Such a path is left out; one that
   * nothing wrote to afterwards is as it was in the workspace when it was copied
   */
  async moveTo(position: number): Promise<{ readonly filesUnavailable: readonly string[] }> {
    const filesUnavailable: string[] = [];
    const targets: Target[] = [];
    for (const wanted of wantedAt(this.#writes, position)) {
      const { path } = wanted;
      if (this.#isOutOfReach(path)) continue;
      if (isMasked(path) || this.#isLinked(path)) {
        filesUnavailable.push(path);
        continue;
      }
      const target = await this.#available(wanted);
      if (target === null) filesUnavailable.push(path);
      const known = target ?? this.#otherwise(wanted);
      if (known !== null) targets.push({ path, target: known, isLast: wanted.isLast });
    }
    targets.sort((a, b) => byCodePoint(a.path, b.path));
    // What is to go goes first: a file may be where a folder was.
    for (const target of targets.toReversed()) await this.#remove(target);
    await this.#removeFolders(position, targets);
    for (const { path, target } of targets)
      if (target.is === "file" && !(await this.#put(path, target))) filesUnavailable.push(path);
    await this.#makeFolders(position);
    await this.#linkAgain(targets);
    return { filesUnavailable: filesUnavailable.toSorted(byCodePoint) };
  }

  async #lookFirst(): Promise<void> {
    const { log, keep, root, links } = this.#parts;
    for (const link of links) this.#firstLinks.set(link, await readlink(join(root, link)));
    if (keep !== null) await mkdir(keep, { recursive: true });
    for (const path of this.#writes.keys()) {
      if (this.#isOutOfReach(path) || isMasked(path) || this.#isLinked(path)) continue;
      const found = await this.#look(path);
      this.#first.set(path, knownOf(found));
      if (found.kind !== "file" || keep === null || (await log.hasBlob(found.sha256))) continue;
      await writeFile(join(keep, found.sha256), found.bytes, { mode: 0o600 });
    }
    for (const { path } of foldersAt(this.#parts.history.steps, 0))
      if (!this.#isOutOfReach(path) && (await this.#isFolder(path))) this.#firstFolders.add(path);
  }

  /** The best content that there are bytes of; `null` when there is none. */
  async #available({ path, choices }: Wanted): Promise<Known | null> {
    for (const choice of choices) {
      if (choice.is === "absent" || (await this.#hasBytes(path, choice.sha256))) return choice;
    }
    return null;
  }

  async #hasBytes(path: string, sha256: string): Promise<boolean> {
    const first = this.#first.get(path);
    if (first?.is === "file" && first.sha256 === sha256) return true;
    return this.#parts.log.hasBlob(sha256);
  }

  /** `null`: what stands there stays. */
  #otherwise({ path, isLast }: Wanted): Known | null {
    return isLast ? (this.#first.get(path) ?? null) : { is: "absent" };
  }

  /** @returns whether the bytes were there */
  async #put(path: string, { sha256, mode }: Extract<Known, { readonly is: "file" }>): Promise<boolean> {
    this.#parts.signal?.throwIfAborted();
    const { root } = this.#parts;
    const found = await this.#look(path);
    const first = this.#first.get(path);
    const firstMode = first?.is === "file" ? first.mode : null;
    const wanted = mode ?? (found.kind === "file" ? found.mode : firstMode) ?? DEFAULT_MODE;
    if (found.kind === "file" && found.sha256 === sha256) {
      if (found.mode !== wanted) await setFileMode(root, path, wanted);
      return true;
    }
    const bytes = await this.#bytes(sha256);
    if (bytes === null) {
      await removeFile(root, path);
      return false;
    }
    for (const made of await putFile(root, path, { bytes, mode: wanted })) this.#made.add(made);
    return true;
  }

  async #bytes(sha256: string): Promise<Uint8Array | null> {
    const { log, keep } = this.#parts;
    try {
      return verified(await log.getBlob(sha256), sha256);
    } catch (error) {
      if (!(error instanceof NotFoundError) && !(error instanceof LogCorruptError)) throw error;
    }
    if (keep === null) return null;
    const kept = await readFile(join(keep, sha256)).catch(() => null);
    return kept === null ? null : verified(kept, sha256);
  }

  /** Receipts don't tell of links: one that stands where the last write left nothing came after it. */
  async #remove({ path, target, isLast }: Target): Promise<void> {
    this.#parts.signal?.throwIfAborted();
    if (target.is === "absent" && !(isLast && this.#firstLinks.has(path)))
      await removeFile(this.#parts.root, path);
  }

  /** Links that had to make way for files of another version. */
  async #linkAgain(targets: readonly Target[]): Promise<void> {
    const { root } = this.#parts;
    const notYet = new Set(targets.filter(({ isLast }) => !isLast).map(({ path }) => path));
    for (const [path, text] of this.#firstLinks)
      if (!notYet.has(path) && (await this.#look(path)).kind === "absent") {
        for (const made of await ensureFolder(root, parentOf(path))) this.#made.add(made);
        await symlink(text, join(root, path));
      }
  }

  /** Folders that were not there yet, or whose last file has gone; those that hold something else stay. */
  async #removeFolders(position: number, targets: readonly Target[]): Promise<void> {
    const { root, history } = this.#parts;
    const wanted = targets.filter(({ target }) => target.is === "file").map(({ path }) => path);
    const isNeeded = (folder: string): boolean => wanted.some((path) => path.startsWith(`${folder}/`));
    const later = foldersAt(history.steps, position).filter(({ state }) => state === "later");
    const candidates = new Set([...later.map(({ path }) => path), ...this.#made]);
    const innermostFirst = [...candidates].toSorted((a, b) => b.length - a.length || byCodePoint(a, b));
    for (const folder of innermostFirst) {
      if (this.#isOutOfReach(folder) || isNeeded(folder)) continue;
      if (await removeEmptyFolder(root, folder)) this.#made.delete(folder);
    }
  }

  async #makeFolders(position: number): Promise<void> {
    for (const { path, state } of foldersAt(this.#parts.history.steps, position)) {
      if (this.#isOutOfReach(path) || isMasked(path) || this.#isLinked(path)) continue;
      const isThere = state === "made" || (state === "unsaid" && this.#firstFolders.has(path));
      if (!isThere || (await this.#look(path)).kind === "file") continue;
      for (const made of await ensureFolder(this.#parts.root, path)) this.#made.add(made);
    }
  }

  #look(path: string): Promise<Observed> {
    return observe(join(this.#parts.root, path), this.#parts.root, systemFiles);
  }

  async #isFolder(path: string): Promise<boolean> {
    const found = await systemFiles.lstat(join(this.#parts.root, path)).catch(() => null);
    return found?.isDirectory() === true;
  }

  /** Never part of a workspace: what belongs to git, and what belongs to the runtime. */
  #isOutOfReach(path: string): boolean {
    if (path.split("/").includes(".git")) return true;
    const { skipped, history } = this.#parts;
    for (let at = join(history.cwd, path); at !== history.cwd; at = join(at, ".."))
      if (skipped.has(at)) return true;
    return false;
  }

  #isLinked(path: string): boolean {
    return this.#parts.linked.some((link) => path === link || path.startsWith(`${link}/`));
  }
}

/** A name with a secret in it stands in the log with a placeholder in its place: which file that was is not known. */
function isMasked(path: string): boolean {
  return /\{\{secret:[^{}]*\}\}/.test(path) || path.includes("\0");
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function knownOf(found: Observed): Known | null {
  if (found.kind === "absent") return { is: "absent" };
  return found.kind === "file" ? { is: "file", sha256: found.sha256, mode: found.mode } : null;
}

/** `null` for other bytes. */
function verified(bytes: Uint8Array, sha256: string): Uint8Array | null {
  return createHash("sha256").update(bytes).digest("hex") === sha256 ? bytes : null;
}
