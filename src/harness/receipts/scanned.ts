/** What a look at the workspace found, on its way into a receipt. */
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../ports.ts";
import type { ScanOutcome, ScanWindow } from "../../workspace/index.ts";

/** When there was no look, for that reason. */
export function unseen(reason: "scan_failed" | "time_limit"): ScanOutcome {
  return { files: [], createdDirs: [], coverage: "none", coverageReasons: [reason] };
}

/** Where bytes are kept. */
export interface Keeping {
  /** Stores bytes as they are, nothing masked. @returns their SHA-256 */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  readonly logger: Logger;
}

/** Stores what changed files held before, as it was: a restore takes it from there. Then the window is given up. */
export async function keepBefore(
  { files }: ScanOutcome,
  window: ScanWindow,
  { putBlob, logger }: Keeping,
): Promise<void> {
  const wanted = new Set(files.flatMap(({ beforeSha256 }) => beforeSha256 ?? []));
  try {
    for (const sha256 of wanted) {
      // What the cache has lost meanwhile can't be restored; its digest is known all the same.
      const bytes = await window.bytes(sha256);
      if (bytes !== null) await putBlob(bytes);
    }
  } catch (error) {
    // What the call did is told even so.
    logger.warn({ cause: messageOf(error) }, "what files held before a call could not be kept");
  }
  await window.discard();
}

/** What others than the runtime changed. */
export async function withoutOwn(
  outcome: ScanOutcome,
  { isOwn }: { readonly isOwn: (file: string) => Promise<boolean> },
): Promise<ScanOutcome> {
  const files: ScanOutcome["files"][number][] = [];
  for (const file of outcome.files) if (!(await isOwn(file.path))) files.push(file);
  return { ...outcome, files };
}
