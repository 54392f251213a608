/** The workspace of a session as it was at a version, in another folder. docs/reference/bisect.md, "The copy" */
import { mkdir, readdir, realpath, rmdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { EventLog } from "../../log/index.ts";
import {
  codeOf,
  copyWorkspace,
  defaultScanLimits,
  emptyFolder,
  type CoverageReason,
  type IgnoredFiles,
  type ScanLimits,
} from "../../workspace/index.ts";
import { FolderNotEmptyError } from "../errors.ts";
import { MaterialisedFolder } from "./materialised-folder.ts";
import { positionOf, workspaceHistory, type WorkspaceHistory } from "./workspace-history.ts";

/** How a workspace is brought back. */
export interface MaterialiseOptions {
  /** Default `none`: they are left out. */
  readonly ignored?: IgnoredFiles;
  /** Bounds of what is copied. Default: those of a scan. */
  readonly limits?: Partial<Omit<ScanLimits, "cacheBytes">>;
  /** Absolute paths that are never copied: the home of the runtime. The files of the log never are. */
  readonly skipped?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Why a materialised workspace may not be all that there was. */
export type MaterialiseReason = CoverageReason | "workspace_missing";

/** What was brought back. */
export interface Materialised {
  /** Regular files that were copied, before paths were set to their content. */
  readonly files: number;
  /**
   * Paths, relative to the folder, whose content at the version is not known or not stored any more. Such a file is left
   * out; one that no call wrote to afterwards is as it is in the workspace now.
   */
  readonly filesUnavailable: readonly string[];
  /** `full`: without a reason and with all files. `none`: the workspace could not be read. */
  readonly coverage: "full" | "partial" | "none";
  /** Sorted, each once: of the receipts, and of the copy. */
  readonly coverageReasons: readonly MaterialiseReason[];
}

/**
 * Copies the workspace of a session into a folder, and sets every path that calls or restores changed to its content
 * at a version. The workspace is only read, and need not be there any more. What fails leaves the folder empty.
 *
 * @param version - of the session, from 1
 * @param folder - absent or empty; it is made with those above it
 * @throws SessionNotFoundError, InvalidVersionError; FolderNotEmptyError
 */
export async function materialise(
  log: EventLog,
  sessionId: string,
  version: number,
  folder: string,
  options: MaterialiseOptions = {},
): Promise<Materialised> {
  const history = await workspaceHistory(log, sessionId);
  const position = await positionOf(log, sessionId, version);
  const { root, isNew } = await emptyRoot(folder);
  try {
    const { folder: placed, told } = await copyInto(log, history, root, { ...options, keep: null });
    const { filesUnavailable } = await placed.moveTo(position);
    return materialisedOf(told, filesUnavailable);
  } catch (error) {
    await emptyFolder(root);
    if (isNew) await rmdir(root);
    throw error;
  }
}

/** What a copy has, before it is moved to a version. */
interface CopyTold {
  readonly files: number;
  readonly isRead: boolean;
  readonly reasons: ReadonlySet<MaterialiseReason>;
}

/** Copies the workspace as it is now. @param root - absolute, no link, empty */
export async function copyInto(
  log: EventLog,
  history: WorkspaceHistory,
  root: string,
  { keep, ...options }: MaterialiseOptions & { readonly keep: string | null },
): Promise<{ readonly folder: MaterialisedFolder; readonly told: CopyTold }> {
  const { signal } = options;
  const skipped = new Set<string>();
  for (const path of [root, ...(options.skipped ?? []), ...(await filesOf(log))])
    skipped.add(resolve(path)).add(await realpath(path).catch(() => resolve(path)));
  const copied = await copyWorkspace(history.cwd, root, {
    skipped,
    limits: { ...defaultScanLimits, ...options.limits },
    ignored: options.ignored ?? "none",
    ...(signal === undefined ? {} : { signal }),
  });
  const { linked, links, files } = copied;
  const folder = await MaterialisedFolder.of({ log, history, root, keep, skipped, linked, links, signal });
  const reasons = new Set<MaterialiseReason>([...history.reasons, ...copied.reasons]);
  if (!copied.exists) reasons.add("workspace_missing");
  return { folder, told: { files, isRead: !copied.reasons.has("scan_failed"), reasons } };
}

/** What is told of a copy that stands at a version. */
export function materialisedOf(
  { files, isRead, reasons }: CopyTold,
  filesUnavailable: readonly string[],
): Materialised {
  const isFull = reasons.size === 0 && filesUnavailable.length === 0;
  const coverage = isRead ? (isFull ? "full" : "partial") : "none";
  return { files, filesUnavailable, coverage, coverageReasons: [...reasons].toSorted() };
}

/** The folder without links, made if it is not there. @throws FolderNotEmptyError */
async function emptyRoot(folder: string): Promise<{ readonly root: string; readonly isNew: boolean }> {
  let isNew = false;
  try {
    isNew = (await mkdir(folder, { recursive: true })) !== undefined;
    const root = await realpath(folder);
    if ((await readdir(root)).length === 0) return { root, isNew };
  } catch (error) {
    if (!["EEXIST", "ENOTDIR"].includes(codeOf(error) ?? "")) throw error;
  }
  throw new FolderNotEmptyError(folder);
}

/** The files of the log itself may lie in the workspace. */
async function filesOf(log: EventLog): Promise<string[]> {
  const { location } = await log.info();
  return ["", "-wal", "-shm", "-journal", ".head"].map((end) => location + end);
}
