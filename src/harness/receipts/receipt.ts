/** The shape of a receipt, made of what is known of a call. Pure. docs/reference/receipts.md */
import type { FactData } from "../../events/index.ts";
import type { FileChange } from "../../workspace/index.ts";

/** What a call really changed. */
export type Receipt = NonNullable<FactData<"tool_call.returned">["receipt"]>;

/** A file in a receipt. */
export type ReceiptFile = Receipt["files"][number];

/** Why a receipt may not name everything. */
export type CoverageReason = Receipt["coverageReasons"][number];

/** What a receipt is made of. */
export interface ReceiptParts {
  /** The tool. */
  readonly action: string;
  readonly isError: boolean;
  /** In the order in which they were taken. */
  readonly checkpointIds: readonly string[];
  /** What the call was about besides what it changed. */
  readonly affected: readonly string[];
  readonly files: readonly ReceiptFile[];
  readonly createdDirs: readonly string[];
  /** `none`: nothing is known beyond what `files` says. */
  readonly isBlind?: boolean;
  readonly reasons: readonly CoverageReason[];
  readonly overlappingCallIds: readonly string[];
}

/** Puts a receipt together. */
export function receiptOf(parts: ReceiptParts): Receipt {
  const { action, isError, checkpointIds, affected, files, createdDirs, isBlind = false } = parts;
  const changedPaths = files.map(({ path }) => path);
  const isChanged = files.length > 0 || createdDirs.length > 0;
  const coverageReasons = [...new Set(parts.reasons)].sort();
  return {
    action,
    outcome: isChanged ? (isError ? "partial" : "applied") : "none",
    success: !isError,
    checkpointId: checkpointIds.at(-1) ?? null,
    checkpointIds: [...checkpointIds],
    checkpointKind: checkpointIds.length === 0 ? null : "filesystem",
    affectedPaths: [...new Set([...affected, ...changedPaths])],
    changedPaths,
    writtenPaths: files.filter(({ change }) => change !== "deleted").map(({ path }) => path),
    createdDirs: [...createdDirs],
    files: [...files],
    coverage: isBlind ? "none" : coverageReasons.length > 0 ? "partial" : "full",
    coverageReasons,
    overlappingCallIds: [...parts.overlappingCallIds].sort(),
  };
}

/** A change whose bytes are known on both sides. */
export function receiptFile({ path, before, after }: FileChange): ReceiptFile {
  return {
    path,
    change: changeOf(before, after),
    beforeSha256: before?.sha256 ?? null,
    afterSha256: after?.sha256 ?? null,
    beforeMode: before?.mode ?? null,
    afterMode: after?.mode ?? null,
    code: null,
  };
}

function changeOf(before: FileChange["before"], after: FileChange["after"]): ReceiptFile["change"] {
  if (before === null) return "created";
  if (after === null) return "deleted";
  return before.sha256 === after.sha256 ? "mode" : "modified";
}
