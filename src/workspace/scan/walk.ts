/** Goes through a workspace and asks the system about each file, without opening any. */
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { codeOf } from "../file-errors.ts";
import { type IgnoreRules, judge, noRules, rulesAbove, rulesIn } from "./ignore-rules.ts";
import { childOf, type Entry, type FileEntry, type Manifest, parentOf } from "./manifest.ts";
import type { CoverageReason } from "./types.ts";

/** What a walk needs. */
export interface WalkRequest {
  /** Absolute, no link. */
  readonly root: string;
  /** What an earlier scan of the root found. */
  readonly base: Manifest | null;
  /** Absolute paths that are not looked into: the runtime's own. */
  readonly skipped: ReadonlySet<string>;
  /** Whether the time is over. */
  readonly isLate: () => boolean;
}

/** Entries, and the paths of those whose content is yet to be read. */
export interface Unread {
  readonly entries: Map<string, Entry>;
  readonly reasons: Set<CoverageReason>;
  readonly unread: string[];
  fileCount: number;
}

/** What a walk found. */
interface Walked extends Unread {
  readonly rulesOf: Map<string, string>;
}

interface Folder {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/** A file with what the system says of it, and no content. */
export function fileEntry(stats: BigIntStats): FileEntry {
  return {
    kind: "file",
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    inode: stats.ino,
    mode: Number(stats.mode & 0o7777n),
    sha256: null,
    unknown: "unreadable",
    settled: false,
  };
}

/** Whether nothing has written to the file. Whatever changes its mode moves its ctime. */
function isUntouched(prior: FileEntry, stats: BigIntStats): boolean {
  return (
    prior.ctimeNs === stats.ctimeNs &&
    prior.mtimeNs === stats.mtimeNs &&
    prior.inode === stats.ino &&
    prior.size === Number(stats.size)
  );
}

/**
 * Goes through the workspace, the folders near the root first.
 *
 * @throws the system's error when the root is there and can't be listed
 */
export function walk(request: WalkRequest): Walked {
  const walked = nothingYet();
  const steps = new Walker(request, walked).walk();
  while (steps.next().done !== true);
  return walked;
}

/**
 * The same in the thread of whoever asks, who goes on with other work in between.
 *
 * @param rest - waited for after each folder
 * @throws the system's error when the root is there and can't be listed, and what `rest` throws
 */
export async function walkGently(request: WalkRequest, rest: () => Promise<void>): Promise<Walked> {
  const walked = nothingYet();
  const steps = new Walker(request, walked).walk();
  while (steps.next().done !== true) await rest();
  return walked;
}

function nothingYet(): Walked {
  return { entries: new Map(), reasons: new Set(), rulesOf: new Map(), unread: [], fileCount: 0 };
}

class Walker {
  readonly #request: WalkRequest;
  readonly #walked: Walked;
  readonly #prefix: string;
  readonly #waiting: Folder[] = [];
  /** A name is quicker to look up than a path, and nearly always says no. */
  readonly #skippedNames: ReadonlySet<string>;
  #looked = 0;

  constructor(request: WalkRequest, walked: Walked) {
    this.#request = request;
    this.#walked = walked;
    this.#prefix = request.root === "/" ? "" : request.root;
    this.#skippedNames = new Set([...request.skipped].map((path) => basename(path)));
  }

  /** A step for each folder. */
  *walk(): Generator<undefined, void> {
    const { root, skipped } = this.#request;
    if (skipped.has(root)) {
      this.#hide("", true);
      return;
    }
    let children: Dirent[];
    try {
      children = readdirSync(root, { withFileTypes: true });
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
      throw error;
    }
    this.#look({ path: "", rules: rulesAbove(root) }, children);
    // The list grows while it is gone through.
    for (let index = 0; index < this.#waiting.length; index += 1) {
      const folder = this.#waiting[index];
      if (folder !== undefined) this.#enter(folder);
      yield;
    }
  }

  #enter(folder: Folder): void {
    if (this.#request.isLate()) return this.#leave(folder.path, "time_limit");
    let children: Dirent[];
    try {
      children = readdirSync(this.#absolute(folder.path), { withFileTypes: true });
    } catch {
      // Gone meanwhile, or turned into something else, or closed to us: not seen, in any case.
      return this.#leave(folder.path, "unreadable");
    }
    this.#look(folder, children);
  }

  /** Takes down the folder and what is in it. */
  #look({ path, rules }: Folder, children: readonly Dirent[]): void {
    const { entries, rulesOf } = this.#walked;
    entries.set(path, { kind: "folder", gap: null });
    const own = rulesIn(rules, this.#absolute(path), path, {
      git: children.some(({ name }) => name === ".git"),
      gitignore: children.some((child) => child.name === ".gitignore" && child.isFile()),
    });
    rulesOf.set(path, own.key);
    const isKnown = this.#request.base?.rulesOf.get(path) === own.key;
    const misread = misreadNames(this.#absolute(path), children);
    if (misread.size > 0) this.#walked.reasons.add("unreadable");
    for (const child of children) {
      if (child.name === ".git" || misread.has(child.name)) continue;
      this.#looked += 1;
      if ((this.#looked & 63) === 0 && this.#request.isLate()) return this.#leave(path, "time_limit");
      this.#child(childOf(path, child.name), child, own, isKnown);
    }
  }

  #child(path: string, child: Dirent, rules: IgnoreRules, isKnown: boolean): void {
    const isFolder = child.isDirectory();
    const absolute = this.#absolute(path);
    if (this.#isSkipped(child.name, absolute)) return this.#hide(path, isFolder);
    const prior = this.#request.base?.entries.get(path);
    let inside = rules;
    // The verdict of the last scan holds while the rules do. In a folder they may be others than around it.
    if (isKnown && !isFolder && prior !== undefined && prior.kind !== "folder") {
      if (prior.kind !== "hidden") return this.#leaf(path, absolute, child, prior);
      if (!prior.isFolder) return this.#hide(path, false);
    }
    if (rules !== noRules) {
      const verdict = judge(rules, path, isFolder);
      if (verdict.isIgnored) return this.#hide(path, isFolder);
      inside = verdict.rules;
    }
    if (isFolder) this.#waiting.push({ path, rules: inside });
    else this.#leaf(path, absolute, child, prior);
  }

  #isSkipped(name: string, absolute: string): boolean {
    return name === "node_modules" || (this.#skippedNames.has(name) && this.#request.skipped.has(absolute));
  }

  /** Links and files; what is neither is a pipe, a socket or a device, and left alone. */
  #leaf(path: string, absolute: string, child: Dirent, prior: Entry | undefined): void {
    try {
      if (child.isFile()) this.#file(path, absolute, prior);
      else if (child.isSymbolicLink()) {
        const target = readlinkSync(absolute, { encoding: "hex" });
        this.#walked.entries.set(path, { kind: "link", target });
      }
    } catch (error) {
      if (codeOf(error) === "ENOENT" || codeOf(error) === "EINVAL") return; // Gone meanwhile, or no link any more.
      this.#leave(parentOf(path) ?? "", "unreadable");
    }
  }

  #file(path: string, absolute: string, prior: Entry | undefined): void {
    const stats = lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) return; // Gone meanwhile, or turned into something else.
    const { entries, unread } = this.#walked;
    this.#walked.fileCount += 1;
    if (prior?.kind === "file" && isUntouched(prior, stats)) {
      entries.set(path, prior);
      if (prior.sha256 !== null && prior.settled) return;
    } else {
      entries.set(path, fileEntry(stats));
    }
    unread.push(path);
  }

  #hide(path: string, isFolder: boolean): void {
    this.#walked.reasons.add("ignored_paths");
    this.#walked.entries.set(path, { kind: "hidden", isFolder });
  }

  /** Takes down that not all of a folder was seen. */
  #leave(path: string, gap: "time_limit" | "unreadable"): void {
    this.#walked.reasons.add(gap);
    this.#walked.entries.set(path, { kind: "folder", gap });
  }

  #absolute(path: string): string {
    return path === "" ? this.#request.root : `${this.#prefix}/${path}`;
  }
}

/**
 * The names that stand for bytes which are not UTF-8. No path in JSON can name them, and the name that Node gives may
 * be that of another file.
 */
function misreadNames(absolute: string, children: readonly Dirent[]): ReadonlySet<string> {
  const suspects = children.filter(({ name }) => name.includes("\uFFFD"));
  if (suspects.length === 0) return new Set();
  const exact = new Set(
    readdirSync(absolute, { encoding: "buffer" })
      .filter((name) => name.equals(Buffer.from(name.toString("utf8"))))
      .map((name) => name.toString("utf8")),
  );
  return new Set(suspects.map(({ name }) => name).filter((name) => !exact.has(name)));
}
