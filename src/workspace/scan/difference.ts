/** From two scans to what changed. */
import { join } from "node:path";
import { byCodePoint } from "../../events/index.ts";
import {
  type Entry,
  type FileEntry,
  isOutOfSight,
  isSameFile,
  type Manifest,
  type SecondLook,
} from "./manifest.ts";
import type { CoverageReason, ScannedChange, ScanOutcome } from "./types.ts";

/** What a scan that failed says. */
export const failedScan: ScanOutcome = {
  files: [],
  createdDirs: [],
  coverage: "none",
  coverageReasons: ["scan_failed"],
};

/**
 * What changed from `before` to `after`. What one of them could not see is left out: its coverage has the reason.
 *
 * @param root - the paths are given below it
 * @param again - what `after` hides of `before`
 */
export function difference(
  root: string,
  before: Manifest,
  after: Manifest,
  again: SecondLook = { entries: new Map(), gone: new Set() },
): ScanOutcome {
  const files: ScannedChange[] = [];
  const createdDirs: string[] = [];
  const reasons = new Set<CoverageReason>([...before.reasons, ...after.reasons]);
  const look = (path: string, old: Entry | undefined, now: Entry | undefined): void => {
    if (old === now || now?.kind === "hidden" || isStillHidden(old, now)) return;
    if (old === undefined && isOutOfSight(before, path)) return;
    if (now === undefined && !again.gone.has(path) && isOutOfSight(after, path)) return;
    if (isLinkChanged(old, now)) reasons.add("symlink_changed");
    if (now?.kind === "folder" && old?.kind !== "folder") createdDirs.push(path);
    const change = changeOf(fileOf(old), fileOf(now));
    if (change !== null) files.push({ path, ...change });
  };
  const found = (path: string): Entry | undefined =>
    again.gone.has(path) ? undefined : (again.entries.get(path) ?? after.entries.get(path));
  for (const [path, old] of before.entries) look(path, old, found(path));
  for (const [path, now] of after.entries) if (!before.entries.has(path)) look(path, undefined, now);
  const coverageReasons = [...reasons].toSorted();
  return {
    files: files
      .toSorted((a, b) => byCodePoint(a.path, b.path))
      .map((file) => ({ ...file, path: join(root, file.path) })),
    createdDirs: createdDirs.toSorted(byCodePoint).map((path) => join(root, path)),
    coverage: coverageReasons.length === 0 ? "full" : "partial",
    coverageReasons,
  };
}

/** Whether what was not looked at before may be what is there now. An ignored folder tells at least that there was no file. */
function isStillHidden(old: Entry | undefined, now: Entry | undefined): boolean {
  return old?.kind === "hidden" && old.isFolder === (now?.kind === "folder");
}

function fileOf(entry: Entry | undefined): FileEntry | undefined {
  return entry?.kind === "file" ? entry : undefined;
}

function isLinkChanged(old: Entry | undefined, now: Entry | undefined): boolean {
  if (old?.kind === "link" && now?.kind === "link") return old.target !== now.target;
  return old?.kind === "link" || now?.kind === "link";
}

function changeOf(
  old: FileEntry | undefined,
  now: FileEntry | undefined,
): Omit<ScannedChange, "path"> | null {
  const change = kindOf(old, now);
  if (change === null) return null;
  return {
    change,
    beforeSha256: old?.sha256 ?? null,
    afterSha256: now?.sha256 ?? null,
    beforeMode: old?.mode ?? null,
    afterMode: now?.mode ?? null,
    code: old?.unknown ?? now?.unknown ?? null,
  };
}

function kindOf(old: FileEntry | undefined, now: FileEntry | undefined): ScannedChange["change"] | null {
  if (old === undefined) return now === undefined ? null : "created";
  if (now === undefined) return "deleted";
  if (isSameContent(old, now)) return old.mode === now.mode ? null : "mode";
  return "modified";
}

/** By hash where both are known, else by what the system says. A changed mode moves the ctime, and says nothing of content. */
function isSameContent(old: FileEntry, now: FileEntry): boolean {
  if (old.sha256 !== null && now.sha256 !== null) return old.sha256 === now.sha256;
  if (old.mode === now.mode) return isSameFile(old, now);
  return old.size === now.size && old.mtimeNs === now.mtimeNs && old.inode === now.inode;
}
