/** Copies a workspace as a scan sees it. docs/reference/bisect.md, "The copy" */
import { readdir, realpath, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { byCodePoint } from "../../events/index.ts";
import { codeOf } from "../file-errors.ts";
import type { Entry } from "../scan/manifest.ts";
import type { CoverageReason, ScanLimits } from "../scan/types.ts";
import { walkGently } from "../scan/walk.ts";
import {
  copyAll,
  copyFolder,
  copyLink,
  copyRegular,
  forAll,
  type Copied,
  type CopyEnds,
} from "./copy-entry.ts";

/**
 * What becomes of ignored files and folders, such as `node_modules`: `none` leaves them out, `copy` copies them whole,
 * `link` puts a link to the original in the place of each.
 */
export type IgnoredFiles = "none" | "copy" | "link";

/** How a workspace is copied. */
export interface CopyOptions {
  /** Absolute paths that are not looked into: the runtime's own, and where the copy goes. */
  readonly skipped: Iterable<string>;
  readonly limits: Omit<ScanLimits, "cacheBytes">;
  readonly ignored: IgnoredFiles;
  readonly signal?: AbortSignal;
}

/** What was copied. */
export interface CopiedWorkspace {
  /** `false`: there is no such workspace. */
  readonly exists: boolean;
  /** Regular files. */
  readonly files: number;
  readonly reasons: ReadonlySet<CoverageReason>;
  /** Relative paths of the links among them. */
  readonly links: readonly string[];
  /** Relative paths of the ignored entries that are links to the original now. */
  readonly linked: readonly string[];
}

/** The longest time without giving others theirs. */
const SLICE_MS = 10;

/**
 * Copies `workspace` into `to`, which is an empty folder.
 *
 * The smallest files come first where a bound cuts. Rejects with the system's error when nothing can be written, and
 * with the signal's reason.
 */
export async function copyWorkspace(
  workspace: string,
  to: string,
  options: CopyOptions,
): Promise<CopiedWorkspace> {
  const root = await resolved(workspace);
  const skipped = new Set<string>();
  for (const path of options.skipped) skipped.add(resolve(path)).add(await resolved(path));
  const started = performance.now();
  const isLate = (): boolean => performance.now() - started > options.limits.timeMs;
  const request = { root, base: null, skipped, isLate };
  let walked: Awaited<ReturnType<typeof walkGently>>;
  try {
    walked = await walkGently(request, restNowAndThen(options.signal));
  } catch (error) {
    options.signal?.throwIfAborted();
    if (codeOf(error) === undefined) throw error;
    return { exists: true, files: 0, reasons: new Set(["scan_failed"]), links: [], linked: [] };
  }
  if (!walked.entries.has("")) return { exists: false, files: 0, reasons: new Set(), links: [], linked: [] };
  return new Copy({ from: root, to }, options, walked.entries, new Set(walked.reasons), skipped).run();
}

class Copy {
  readonly #ends: CopyEnds;
  readonly #options: CopyOptions;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #reasons: Set<CoverageReason>;
  readonly #skipped: ReadonlySet<string>;
  readonly #linked: string[] = [];
  #files = 0;

  constructor(
    ends: CopyEnds,
    options: CopyOptions,
    entries: ReadonlyMap<string, Entry>,
    reasons: Set<CoverageReason>,
    skipped: ReadonlySet<string>,
  ) {
    this.#ends = ends;
    this.#options = options;
    this.#entries = entries;
    this.#reasons = reasons;
    this.#skipped = skipped;
  }

  async run(): Promise<CopiedWorkspace> {
    const { signal } = this.#options;
    // A folder comes before what is in it, since the walk found it so.
    for (const path of this.#pathsOf("folder")) if (path !== "") await copyFolder(path, this.#ends);
    const links: string[] = [];
    const link = async (path: string): Promise<void> => {
      const copied = await copyLink(path, this.#ends);
      this.#note(copied);
      if (copied === "copied") links.push(path);
    };
    await forAll(this.#pathsOf("link"), link, signal);
    await forAll(
      this.#withinLimits(),
      async (path) => {
        const copied = await copyRegular(path, this.#ends);
        this.#note(copied);
        if (copied === "copied") this.#files += 1;
      },
      signal,
    );
    if (this.#options.ignored !== "none")
      for (const path of this.#pathsOf("hidden")) await this.#ignored(path);
    return { exists: true, files: this.#files, reasons: this.#reasons, links, linked: this.#linked };
  }

  #pathsOf(kind: Entry["kind"]): string[] {
    return [...this.#entries].filter(([, entry]) => entry.kind === kind).map(([path]) => path);
  }

  #withinLimits(): string[] {
    const { files, fileBytes, readBytes } = this.#options.limits;
    const found = [...this.#entries].flatMap(([path, entry]) =>
      entry.kind === "file" ? [{ path, size: entry.size }] : [],
    );
    found.sort((a, b) => a.size - b.size || byCodePoint(a.path, b.path));
    if (found.length > files) this.#reasons.add("file_limit");
    let left = readBytes;
    return found.slice(0, files).flatMap(({ path, size }) => {
      if (size > fileBytes || size > left) {
        this.#reasons.add(size > fileBytes ? "file_too_large" : "byte_limit");
        return [];
      }
      left -= size;
      return [path];
    });
  }

  async #ignored(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    const source = join(this.#ends.from, path);
    if (entry?.kind !== "hidden" || this.#skipped.has(source)) return;
    if (this.#options.ignored === "link") {
      await symlink(source, join(this.#ends.to, path));
      this.#linked.push(path);
    } else if (entry.isFolder) {
      const { files, isWhole } = await copyAll(path, this.#ends, this.#skipped, this.#options.signal);
      this.#files += files;
      if (!isWhole) this.#reasons.add("unreadable");
    } else {
      const copied = await copyRegular(path, this.#ends);
      // What is no file may be a link.
      this.#note(copied === "gone" ? await copyLink(path, this.#ends) : copied);
      if (copied === "copied") this.#files += 1;
    }
  }

  #note(copied: Copied): void {
    if (copied === "unreadable") this.#reasons.add("unreadable");
  }
}

/** Empties a folder, whatever is in it. Links in it are removed, never followed. */
export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
}

function restNowAndThen(signal: AbortSignal | undefined): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await turn();
    signal?.throwIfAborted();
    since = performance.now();
  };
}

async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return resolve(path); // It is not there, which the walk finds out too.
  }
}
