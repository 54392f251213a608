/** What one scan found: an entry for each path below the root. */
import type { CoverageReason, UnknownContent } from "./types.ts";

/** A regular file. */
export interface FileEntry {
  readonly kind: "file";
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  /** The twelve bits of permissions. */
  readonly mode: number;
  readonly sha256: string | null;
  /** Why there is no hash; `null` exactly when there is one. */
  readonly unknown: UnknownContent | null;
  /** Nobody had touched the file within a second of being read, so its times tell whether it is the same. */
  readonly settled: boolean;
}

/** A symbolic link: its own text, as hex of its bytes. */
export interface LinkEntry {
  readonly kind: "link";
  readonly target: string;
}

/** A folder. With a gap, not all that is in it was seen. */
export interface FolderEntry {
  readonly kind: "folder";
  readonly gap: "time_limit" | "unreadable" | null;
}

/** Something that is not looked at: ignored or skipped. */
export interface HiddenEntry {
  readonly kind: "hidden";
  readonly isFolder: boolean;
}

/** What a scan notes of a path. */
export type Entry = FileEntry | LinkEntry | FolderEntry | HiddenEntry;

/** By path relative to the root, with `/`; the root itself is `""`, and missing when there is none. */
export interface Manifest {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly reasons: ReadonlySet<CoverageReason>;
  /** Which ignore rules held in a folder, for the next scan; lost with the process. */
  readonly rulesOf: ReadonlyMap<string, string>;
}

/** Files of an earlier scan that a later one hides, looked at all the same. */
export interface SecondLook {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Those that are no files any more. */
  readonly gone: ReadonlySet<string>;
}

/** The folder that holds `path`; `undefined` for the root. */
export function parentOf(path: string): string | undefined {
  if (path === "") return undefined;
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The path of what is called `name` in a folder. */
export function childOf(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Whether this scan could not see `path`, which it has no entry for: something above it was not looked at in full. */
export function isOutOfSight(manifest: Manifest, path: string): boolean {
  for (let above = parentOf(path); above !== undefined; above = parentOf(above)) {
    const entry = manifest.entries.get(above);
    if (entry?.kind === "hidden") return entry.isFolder;
    if (entry?.kind === "folder") return entry.gap !== null;
    if (entry !== undefined) return false;
  }
  return false;
}

/** Whether nothing has written to the file, as far as the system tells. */
export function isSameFile(a: FileEntry, b: FileEntry): boolean {
  return (
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs &&
    a.inode === b.inode &&
    a.mode === b.mode
  );
}

/** Whether the two say the same of a path, but for `settled`. */
export function isSameEntry(a: Entry, b: Entry): boolean {
  switch (a.kind) {
    case "file":
      return b.kind === "file" && isSameFile(a, b) && a.sha256 === b.sha256 && a.unknown === b.unknown;
    case "link":
      return b.kind === "link" && a.target === b.target;
    case "folder":
      return b.kind === "folder" && a.gap === b.gap;
    case "hidden":
      return b.kind === "hidden" && a.isFolder === b.isFolder;
  }
}
