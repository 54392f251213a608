/**
 * What becomes of each path of a restore. Pure: it decides over what was seen, in a fixed order, the first that applies.
 * docs/reference/checkpoints.md, "What a restore does to a path"
 */
import type { FactData } from "../../events/index.ts";
import type { PathContent } from "../../projections/index.ts";
import type { Observed, Unusable, WriteFailure } from "../../workspace/index.ts";

/** Why a path was not brought back. */
export type RestoreCode =
  | "changed_by_other"
  | "not_written_by_agent"
  | "unsafe_path"
  | "unsupported_file_type"
  | "file_too_large"
  | "content_unavailable"
  | "outside_cwd"
  | "permission_denied"
  | "read_failed"
  | "file_changed_during_read"
  | "not_attempted"
  | "interrupted"
  | WriteFailure;

/** What a restore does to a file. */
export type RestoreAction = "overwrite" | "recreate" | "remove" | "chmod";

/** What is known of a path when it is judged. */
export interface PathState {
  /** What it held at the checkpoint. */
  readonly target: PathContent;
  /** Whether the log still has the bytes of the target. */
  readonly isStored: boolean;
  readonly current: Observed;
  /** What a call or a restore last wrote there after the checkpoint; `null` for nothing. */
  readonly ledger: PathContent | null;
  readonly outsideCwd: boolean;
  /** Named by the caller. */
  readonly isSelected: boolean;
}

/** What is decided for all paths. */
export interface PlanRules {
  readonly origin: FactData<"checkpoint.created">["origin"];
  readonly force: boolean;
}

/** What becomes of a path. */
export type Verdict =
  | { readonly is: "restore"; readonly action: RestoreAction }
  | { readonly is: "unchanged" }
  | { readonly is: "conflict" | "failed"; readonly code: RestoreCode };

/** Judges one path. */
export function judge(state: PathState, { origin, force }: PlanRules): Verdict {
  const { target, current, outsideCwd, isSelected, isStored, ledger } = state;
  const unusable = unusableCode(target, current);
  if (unusable !== null) return { is: "failed", code: unusable };
  if (target.is === "unknown" || (target.is === "file" && !isStored))
    return { is: "failed", code: "content_unavailable" };
  if (outsideCwd && !isSelected && !force) return { is: "failed", code: "outside_cwd" };
  if (holds(current, target)) return { is: "unchanged" };
  if (!force) {
    if (ledger !== null && !holds(current, ledger)) return { is: "conflict", code: "changed_by_other" };
    if (ledger === null && origin === "guard") return { is: "conflict", code: "not_written_by_agent" };
    // A restore kept this file and then did not write it: what differs now is somebody else's.
    if (ledger === null && origin === "pre_restore") return { is: "conflict", code: "changed_by_other" };
  }
  return { is: "restore", action: actionFor(target, current) };
}

/** What a restore would do, whatever stands against it. */
export function actionFor(target: PathContent, current: Observed): RestoreAction {
  if (target.is === "absent") return "remove";
  if (current.kind === "absent") return "recreate";
  const isSameBytes = target.is === "file" && current.kind === "file" && current.sha256 === target.sha256;
  return isSameBytes ? "chmod" : "overwrite";
}

/** Whether a path holds these bytes under this mode. What is not known is never held; a mode that is not known is any. */
export function holds(current: Observed, content: PathContent): boolean {
  if (content.is === "unknown") return false;
  if (content.is === "absent") return current.kind === "absent" || isBlocked(current);
  if (current.kind !== "file" || current.sha256 !== content.sha256) return false;
  return content.mode === null || content.mode === current.mode;
}

/** Below what is no directory there is no file. */
function isBlocked(current: Observed): boolean {
  return current.kind === "unusable" && current.code === "blocked";
}

function unusableCode(target: PathContent, current: Observed): RestoreCode | null {
  if (current.kind !== "unusable") return null;
  if (current.code === "blocked" && target.is === "absent") return null;
  return codes[current.code];
}

const codes: Readonly<Record<Unusable, RestoreCode>> = {
  unsafe_path: "unsafe_path",
  symbolic_link: "unsafe_path",
  unsupported_file_type: "unsupported_file_type",
  file_too_large: "file_too_large",
  blocked: "read_failed",
  permission_denied: "permission_denied",
  read_failed: "read_failed",
  file_changed_during_read: "file_changed_during_read",
};
