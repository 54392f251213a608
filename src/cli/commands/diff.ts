/** `lemon diff ID A B` */
import {
  diffStates,
  requireSession,
  stateRef,
  type StateChange,
  type StateDiff,
} from "../../replay/index.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";
import { LemonError } from "../../errors.ts";

/** Characters of a value that are shown. */
const VALUE = 60;

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
    lines.push(`${signs[change.change]} ${change.key}${detail(change)}`);
  }
  return lines;
}

const signs: Readonly<Record<StateChange["change"], string>> = { added: "+", removed: "-", changed: "~" };

function detail({ part, before, after, change }: StateChange): string {
  const shown = after ?? before;
  if (part === "messages") return `: ${messageText(shown)}`;
  if (part === "files") return "";
  if (change !== "changed" || !isPlain(before) || !isPlain(after)) return `: ${short(shown)}`;
  const differing = Object.keys({ ...before, ...after }).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  return `: ${differing.map((key) => `${key} ${short(before[key])} → ${short(after[key])}`).join(", ")}`;
}

function messageText(message: unknown): string {
  const { role, version, ...rest } = message as { readonly role: string; readonly version: number };
  return `${role} (version ${version}) ${short(rest)}`;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  return oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"), VALUE);
}

function colourOf(line: string): "green" | "red" | "dim" {
  return line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
}
