/** How files differ from a checkpoint. Changes nothing. docs/reference/checkpoints.md, "Comparing" */
import { isUtf8 } from "node:buffer";
import type { PathContent } from "../../projections/index.ts";
import type { Observed } from "../../workspace/index.ts";
import { unifiedDiff } from "./diff-text.ts";
import { lookAt, type Judged, type LookParts } from "./look.ts";
import { actionFor, holds, type RestoreCode } from "./plan.ts";
import { selected, type Source } from "./source.ts";
import type { CheckpointDiff, FileDiff } from "./types.ts";

/** Bytes of one diff, and of all together. */
const MAX_FILE_DIFF_BYTES = 64 * 1024;
const MAX_DIFF_BYTES = 256 * 1024;

/** Compares the paths of a checkpoint with what is there. @throws CheckpointError `invalid_paths`, `path_not_in_checkpoint` */
export async function diffFiles(
  source: Source,
  paths: readonly string[] | undefined,
  parts: LookParts,
): Promise<CheckpointDiff> {
  const targets = selected(source, paths);
  const diffs: FileDiff[] = [];
  let left = MAX_DIFF_BYTES;
  for await (const judged of lookAt(
    source,
    { targets, isSelection: paths !== undefined, force: false },
    parts,
  )) {
    if (judged.target.is !== "unknown" && holds(judged.current, judged.target)) continue;
    const diff = capped(await diffOf(judged, parts), left);
    left -= Buffer.byteLength(diff.diff);
    diffs.push(diff);
  }
  const { checkpointId, sessionId, at } = source;
  const shown = diffs.map(({ diff }) => diff).filter((diff) => diff !== "");
  const changed = diffs.map(({ path }) => path);
  return {
    checkpointId,
    sessionId,
    changed,
    diffs,
    output:
      changed.length === 0 ? `No differences from ${checkpointId ?? `version ${at}`}.` : shown.join("\n"),
    truncated: diffs.some(({ truncated }) => truncated),
  };
}

async function diffOf(judged: Judged, { log }: LookParts): Promise<FileDiff> {
  const { path, target, current, verdict } = judged;
  const base = {
    path,
    beforeExists: target.is !== "absent",
    afterExists: current.kind !== "absent",
    action: actionFor(target, current),
    modeChanged: isModeChanged(target, current),
    conflict: verdict.is === "conflict",
    truncated: false,
  };
  const code = incomparable(judged);
  if (code !== null) return { ...base, binary: false, diff: "", code };
  const before = target.is === "file" ? Buffer.from(await log.getBlob(target.sha256)) : Buffer.alloc(0);
  const after = current.kind === "file" ? current.bytes : Buffer.alloc(0);
  if (isBinary(before) || isBinary(after)) {
    const diff = before.equals(after)
      ? ""
      : `Binary file ${JSON.stringify(path)}: ${before.length} bytes at the checkpoint, ${after.length} bytes now\n`;
    return { ...base, binary: true, diff, code: null };
  }
  const diff = await unifiedDiff(path, before.toString(), after.toString());
  return { ...base, binary: false, diff, code: null };
}

/** What is not known on one side is listed, and never taken for absent. */
function incomparable({ target, current, verdict }: Judged): RestoreCode | null {
  if (verdict.is !== "failed") return null;
  if (current.kind === "unusable" && verdict.code !== "outside_cwd") return verdict.code;
  return verdict.code === "content_unavailable" || target.is === "unknown" ? "content_unavailable" : null;
}

function isModeChanged(target: PathContent, current: Observed): boolean {
  return (
    target.is === "file" && current.kind === "file" && target.mode !== null && target.mode !== current.mode
  );
}

function isBinary(bytes: Buffer): boolean {
  return bytes.includes(0) || !isUtf8(bytes);
}

/** Cuts at the end of a line. */
function capped(file: FileDiff, left: number): FileDiff {
  const most = Math.max(0, Math.min(MAX_FILE_DIFF_BYTES, left));
  const bytes = Buffer.from(file.diff);
  if (bytes.length <= most) return file;
  const end = bytes.subarray(0, most).lastIndexOf("\n") + 1;
  return { ...file, diff: bytes.subarray(0, end).toString(), truncated: true };
}
