/** `lemon checkpoint create|resume|delete|prune` */
import { checkpointReader, idOfKey } from "../../harness/index.ts";
import { requireSession } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { CheckpointCreateFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { withRuntime } from "../leading.ts";
import { readingLog } from "../reading.ts";

/** Keeps the state of a session, or with `--files` files. */
export async function createCheckpoint(
  context: Context,
  session: string,
  { files }: CheckpointCreateFlags,
): Promise<Status> {
  const { out } = context;
  await readingLog(context, (log) => requireSession(log, idOfKey(session)));
  const record = await withRuntime(context, ({ checkpoints }) => {
    if (files === undefined) return checkpoints.create(session);
    return checkpoints.createFilesystem(session, files === true ? undefined : files);
  });
  if (out.json) out.document(record);
  else out.line(record.id);
  return statuses.done;
}

/** Puts the todo list of a checkpoint back. */
export async function resumeCheckpoint(context: Context, id: string): Promise<Status> {
  const { out } = context;
  await assertThere(context, id);
  const resumed = await withRuntime(context, ({ checkpoints }) => checkpoints.resume(id));
  if (out.json) out.document(resumed);
  else out.line(`session ${resumed.sessionId} has the todo list of ${resumed.timestamp} again`);
  return statuses.done;
}

/** Deletes a checkpoint. */
export async function deleteCheckpoint(context: Context, id: string): Promise<Status> {
  const { out } = context;
  await assertThere(context, id);
  const isDeleted = await withRuntime(context, ({ checkpoints }) => checkpoints.delete(id));
  if (out.json) out.document({ id, deleted: isDeleted });
  else out.line(`deleted ${id}`);
  return statuses.done;
}

/** Deletes all checkpoints of a session but the newest. */
export async function pruneCheckpoints(
  context: Context,
  session: string,
  { keep }: { readonly keep?: number },
): Promise<Status> {
  const { out } = context;
  await readingLog(context, (log) => requireSession(log, idOfKey(session)));
  const deleted = await withRuntime(context, ({ checkpoints }) => checkpoints.prune(session, keep));
  if (out.json) out.document({ deleted });
  else out.line(`deleted ${deleted}`);
  return statuses.done;
}

/** Before a log would be made. @throws NotFoundError */
async function assertThere(context: Context, id: string): Promise<void> {
  await readingLog(context, (log) => checkpointReader(log, context.cwd).get(id));
}
