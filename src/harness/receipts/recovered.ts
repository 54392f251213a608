/** The receipt of a call whose process died: files as they are now against what was kept of them. */
import {
  imageOf,
  isSameImage,
  type CheckpointFile,
  type FileImage,
  type ScanOutcome,
} from "../../workspace/index.ts";
import { receiptFile, receiptOf, type CoverageReason, type Receipt, type ReceiptFile } from "./receipt.ts";
import { keepBefore, unseen, withoutOwn } from "./scanned.ts";
import type { ChangesWorld } from "./call-changes.ts";

/** A checkpoint that the guard took for a call. */
export interface TakenGuard {
  readonly checkpointId: string;
  readonly files: readonly CheckpointFile[];
}

/** A call that nobody saw end. */
export interface LostCall {
  readonly tool: string;
  readonly marker: string;
  /** In the order in which they were taken. */
  readonly guards: readonly TakenGuard[];
  /** Whether the workspace was looked at before it. */
  readonly isScanned: boolean;
  /** What it started may still run, where nobody here can end it. */
  readonly goesOn: boolean;
}

/** What a call had changed when its process died. `null` when it can have changed nothing. */
export async function recoveredReceipt(
  { tool, marker, guards, isScanned, goesOn }: LostCall,
  world: ChangesWorld,
): Promise<Receipt | null> {
  if (!isScanned && guards.length === 0) return null;
  const kept = new Map<string, FileImage | null>();
  for (const { files } of guards) {
    for (const { path, sha256, mode } of files)
      if (!kept.has(path)) kept.set(path, sha256 === null || mode === null ? null : { sha256, mode });
  }
  const compared = await Promise.all([...kept].map(([path, before]) => compare(path, before)));
  const scan = isScanned ? await scanned(marker, world) : null;
  const reasons: CoverageReason[] = [
    ...(scan?.coverageReasons ?? []),
    ...(goesOn ? (["background_processes"] as const) : []),
    ...(compared.some((file) => file?.code === "unreadable") ? (["unreadable"] as const) : []),
  ];
  return receiptOf({
    action: tool,
    isError: true,
    checkpointIds: guards.map(({ checkpointId }) => checkpointId),
    affected: [...kept.keys()],
    files: [...compared.filter((file) => file !== null), ...(scan?.files ?? [])],
    createdDirs: scan?.createdDirs ?? [],
    isBlind: scan?.coverage === "none",
    reasons,
    overlappingCallIds: [],
  });
}

async function scanned(marker: string, world: ChangesWorld): Promise<ScanOutcome> {
  const window = await world.scanner.recover(marker);
  if (window === null) return unseen("scan_failed");
  const outcome = await withoutOwn(await window.close(), world);
  await keepBefore(outcome, window, world);
  return outcome;
}

/** `null`: it is as it was. */
async function compare(path: string, before: FileImage | null): Promise<ReceiptFile | null> {
  try {
    const after = await imageOf(path);
    return isSameImage(before, after) ? null : receiptFile({ path, before, after });
  } catch {
    // A folder, a link, or what can't be read: other than it was, that much is sure.
    return {
      path,
      change: before === null ? "created" : "modified",
      beforeSha256: before?.sha256 ?? null,
      afterSha256: null,
      beforeMode: before?.mode ?? null,
      afterMode: null,
      code: "unreadable",
    };
  }
}
