/** A workspace and a home to scan it from, gone after the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import {
  openWorkspaceScanner,
  type ScannedChange,
  type ScannerOptions,
  type ScanOutcome,
  type ScanTime,
  type ScanWindow,
  type WorkspaceScanner,
} from "../../../src/workspace/index.ts";

/** A time by which nothing was touched just now: what the cache holds is trusted. */
export const later = { now: () => Date.now() + 60_000, monotonic: () => performance.now() };
/** The time as it is: whatever a test has just written is read again. */
const realTime = { now: () => Date.now(), monotonic: () => performance.now() };

function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lemon-scan-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A workspace in `root`, its runtime in `home`. */
export class Place {
  readonly folder: string;
  readonly root: string;
  readonly cacheFile: string;
  readonly scanner: WorkspaceScanner;
  #calls = 0;

  /** @param time - `null` for a scanner in its thread */
  constructor(
    options: Partial<ScannerOptions> = {},
    folder = freshFolder(),
    time: ScanTime | null = realTime,
  ) {
    this.folder = folder;
    this.root = join(folder, "work");
    this.cacheFile = options.cacheFile ?? join(folder, "home", "scan-cache.db");
    mkdirSync(this.root, { recursive: true });
    mkdirSync(dirname(this.cacheFile), { recursive: true });
    this.scanner = openWorkspaceScanner({
      cacheFile: this.cacheFile,
      ...(time === null ? {} : { inProcess: time }),
      ...options,
    });
    onTestFinished(() => this.end());
  }

  /** Before the test ends: for the rounds of a property. */
  async end(): Promise<void> {
    await this.scanner.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param files - content by path; `null` makes a folder, `-> x` a link to `x` */
  write(files: Record<string, string | null>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.root, name);
      mkdirSync(content === null ? path : dirname(path), { recursive: true });
      if (content === null) continue;
      if (content.startsWith("-> ")) symlinkSync(content.slice(3), path);
      else writeFileSync(path, content);
    }
  }

  remove(name: string): void {
    rmSync(join(this.root, name), { recursive: true });
  }

  open(marker = `session-s:${(this.#calls += 1)}`): Promise<ScanWindow> {
    return this.scanner.open(this.root, marker);
  }

  /** What `work` changed. */
  async around(work: () => unknown): Promise<ScanOutcome> {
    const window = await this.open();
    await work();
    return window.close();
  }

  /** The outcome as `created a.txt`, folders with a `/`, with the reasons. */
  short({ files, createdDirs, coverageReasons }: ScanOutcome): string[] {
    const name = (path: string): string => relative(this.root, path);
    const line = ({ change, path, code }: ScannedChange): string =>
      `${change} ${name(path)}${code === null ? "" : ` (${code})`}`;
    return [...files.map(line), ...createdDirs.map((path) => `${name(path)}/`), ...coverageReasons];
  }
}
