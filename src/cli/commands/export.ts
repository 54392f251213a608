/** `lemon export ID FILE` */
import path from "node:path";
import { exportBundle } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { ExportFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";

/** Writes a session to one file, for another log or another person. */
export async function exportSession(
  context: Context,
  id: string,
  file: string,
  { redact = false }: ExportFlags,
): Promise<Status> {
  const { out } = context;
  const target = path.resolve(file);
  const made = await readingLog(context, (log) => exportBundle(log, id, target, { redact }));
  if (out.json) out.document(made);
  else {
    const streams = made.streams.length === 1 ? "1 stream" : `${made.streams.length} streams`;
    const blobs = made.blobs === 1 ? "1 blob" : `${made.blobs} blobs`;
    const what = redact ? "without their data" : `and ${blobs}`;
    out.line(`${made.facts} facts in ${streams} ${what}: ${target}`);
  }
  return statuses.done;
}
