/** `lemon diff ID A B` */
import { changeLine, diffStates, requireSession, stateRef, type StateDiff } from "../../replay/index.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";
import { LemonError } from "../../errors.ts";

/** Shows what differs between two states. @throws UsageError for a version that is none */
export async function diff(context: Context, id: string, a: string, b: string): Promise<Status> {
  const { out } = context;
  const [from, to] = [await refOf(id, a), await refOf(id, b)];
  const found = await readingLog(context, async (log) => {
    for (const { sessionId } of [from, to]) await requireSession(log, sessionId);
    return diffStates(log, from, to);
  });
  if (out.json) {
    const { patch, changes, files, ...refs } = found;
    out.document({ ...refs, patch, changes, files });
    return statuses.done;
  }
  for (const line of told(found)) out.line(line);
  for (const { diff: text } of found.files) {
    if (text === null) continue;
    out.line("");
    for (const line of text.trimEnd().split("\n")) out.line(out.paint(colourOf(line), line));
  }
  return statuses.done;
}

async function refOf(id: string, given: string): ReturnType<typeof stateRef> {
  try {
    return await stateRef(id, given);
  } catch (error) {
    if (error instanceof LemonError) throw new UsageError(error.message);
    throw error;
  }
}

function told({ a, b, changes, patch }: StateDiff): string[] {
  const head = `from ${a.sessionId}@${a.version} to ${b.sessionId}@${b.version}`;
  if (patch.length === 0) return [head, "nothing differs"];
  const lines = [head];
  let part = "";
  for (const change of changes) {
    if (change.part !== part) lines.push("", change.part);
    part = change.part;
    lines.push(changeLine(change));
  }
  return lines;
}

function colourOf(line: string): "green" | "red" | "dim" {
  return line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
}
