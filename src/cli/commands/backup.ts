/** `lemon backup FILE` */
import path from "node:path";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";

/** Copies the log to a name that is free, while others use it. */
export async function backup(context: Context, file: string): Promise<Status> {
  const { out } = context;
  const target = path.resolve(file);
  await readingLog(context, (log) => log.backup(target));
  if (out.json) out.document({ file: target });
  else out.line(target);
  return statuses.done;
}
