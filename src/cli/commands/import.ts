/** `lemon import FILE` */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { openEventLog } from "../../log/index.ts";
import { checkBundle, importBundle } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";

/** Adds the session of a bundle to the log. The log is opened, and made if need be, when the bundle was found sound. */
export async function importSession(context: Context, file: string): Promise<Status> {
  const { out, home, log: place, isLogNamed } = context;
  const bundle = await checkBundle(path.resolve(file));
  if (!isLogNamed) await mkdir(home, { recursive: true, mode: 0o700 });
  const log = await openEventLog(place, { onWarning: (message) => out.warn(message) });
  try {
    const done = await importBundle(log, bundle);
    if (out.json) out.document(done);
    else if (done.added === 0) out.line(`session ${done.sessionId} is there already`);
    else {
      const blobs = done.blobs === 1 ? "1 blob" : `${done.blobs} blobs`;
      const what = done.isRedacted ? "without their data" : `and ${blobs}`;
      out.line(`session ${done.sessionId}: ${done.added} facts ${what} added`);
    }
    return statuses.done;
  } finally {
    await log.close();
  }
}
