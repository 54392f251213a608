/** `lemon checkpoint list|show|diff`: look, and change nothing. */
import { checkpointReader, type FilesystemState } from "../../harness/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { columns, namePrintable } from "../printable.ts";
import { readingLog } from "../reading.ts";
import { assertSession } from "./checkpoint-point.ts";

/** Lists the checkpoints of a session, the newest first. */
export async function listCheckpoints(context: Context, session: string): Promise<Status> {
  const { out, cwd } = context;
  const listed = await readingLog(context, async (log) => {
    await assertSession(log, session);
    return checkpointReader(log, cwd).list(session);
  });
  if (out.json) {
    out.document(listed);
    return statuses.done;
  }
  const rows = listed.map(({ id, timestamp, kind, origin, tool, pathCount, bytes }) => [
    id,
    timestamp,
    kind,
    origin,
    tool ?? "",
    `${pathCount} files`,
    `${bytes} bytes`,
  ]);
  for (const line of columns(rows)) out.line(line);
  if (listed.length === 0) out.note("no checkpoints");
  return statuses.done;
}

/** Shows what a checkpoint holds, never the bytes of files. */
export async function showCheckpoint(context: Context, id: string): Promise<Status> {
  const { out, cwd } = context;
  const record = await readingLog(context, (log) => checkpointReader(log, cwd).get(id));
  if (out.json) {
    out.document(record);
    return statuses.done;
  }
  const { sessionId, timestamp, kind, origin } = record;
  out.line(`${out.paint("bold", record.id)}  ${kind}, ${origin}, session ${sessionId}, ${timestamp}`);
  if (kind === "filesystem") {
    const {
      cwd: place,
      point,
      files,
    } = (record.state as { readonly filesystem: FilesystemState }).filesystem;
    out.line(point ? `whatever calls change after it, in ${place}` : `in ${place}`);
    const rows = files.map(({ path, mode, size }) => {
      const name = namePrintable(path);
      return mode === null
        ? ["not there", "", name]
        : [mode.toString(8).padStart(4, "0"), `${size} bytes`, name];
    });
    for (const line of columns(rows)) out.line(line);
    return statuses.done;
  }
  const { state, context: kept, todos, requirements } = record;
  out.line(JSON.stringify({ state, context: kept, todos, requirements }, null, 2));
  return statuses.done;
}

/** Shows how files differ from a checkpoint. */
export async function diffCheckpoint(
  context: Context,
  id: string,
  paths: readonly string[],
  { force = false }: { readonly force?: boolean } = {},
): Promise<Status> {
  const { out, cwd } = context;
  const selection = { force, ...(paths.length === 0 ? {} : { paths }) };
  const found = await readingLog(context, (log) => checkpointReader(log, cwd).diffFilesystem(id, selection));
  if (out.json) {
    out.document(found);
    return statuses.done;
  }
  if (found.changed.length === 0) out.line(found.output);
  for (const { path, action, diff, code, conflict, truncated } of found.diffs) {
    const notes = [
      action,
      ...(conflict ? ["changed by somebody else"] : []),
      ...(code === null ? [] : [code]),
    ];
    out.line(out.paint("bold", `${namePrintable(path)}: ${notes.join(", ")}`));
    for (const line of diff.split("\n").slice(0, -1)) out.line(coloured(context, line));
    if (truncated) out.line("(cut)");
  }
  return statuses.done;
}

function coloured({ out }: Context, line: string): string {
  if (line.startsWith("+")) return out.paint("green", line);
  return line.startsWith("-") ? out.paint("red", line) : line;
}
