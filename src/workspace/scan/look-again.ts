/**
 * A tool may write the very rule that hides what it changed. So a file that was seen before a call is looked at after it
 * too, whether it is ignored by then or not.
 */
import { lstatSync } from "node:fs";
import {
  type Entry,
  isOutOfSight,
  isSameFile,
  type Manifest,
  parentOf,
  type SecondLook,
} from "./manifest.ts";
import { fileEntry, type Unread } from "./walk.ts";

/** What a second look needs. */
export interface SecondLookRequest {
  /** Absolute, no link. */
  readonly root: string;
  readonly before: Manifest | undefined;
  readonly after: Unread & Manifest;
  readonly isLate: () => boolean;
}

/** Looks at the files of `before` that `after` does not show. What can't be looked at is in neither list. */
export function lookAgain({ root, before, after, isLate }: SecondLookRequest): Unread & SecondLook {
  const entries = new Map<string, Entry>();
  const gone = new Set<string>();
  const unread: string[] = [];
  const isFolder = folderCheck(root);
  for (const [path, old] of before?.entries ?? []) {
    if (old.kind !== "file" || !isHidden(after, path)) continue;
    if (isLate()) break;
    try {
      const stats = isFolder(parentOf(path))
        ? lstatSync(`${root}/${path}`, { bigint: true, throwIfNoEntry: false })
        : undefined;
      if (stats?.isFile() !== true) {
        gone.add(path);
        continue;
      }
      const found = fileEntry(stats);
      entries.set(path, isSameFile(old, found) ? old : found);
      if (!isSameFile(old, found) || !old.settled) unread.push(path);
    } catch {
      continue; // Closed to us: the scan has said so of a folder above.
    }
  }
  return { entries, gone, unread, reasons: after.reasons, fileCount: 0 };
}

function isHidden(manifest: Manifest, path: string): boolean {
  const entry = manifest.entries.get(path);
  return entry === undefined ? isOutOfSight(manifest, path) : entry.kind === "hidden";
}

/** Whether a path is that of a folder, with no link on the way. */
function folderCheck(root: string): (path: string | undefined) => boolean {
  const known = new Map<string, boolean>();
  const check = (path: string | undefined): boolean => {
    if (path === undefined || path === "") return true;
    const before = known.get(path);
    if (before !== undefined) return before;
    const isFolder =
      check(parentOf(path)) &&
      lstatSync(`${root}/${path}`, { throwIfNoEntry: false })?.isDirectory() === true;
    known.set(path, isFolder);
    return isFolder;
  };
  return check;
}
