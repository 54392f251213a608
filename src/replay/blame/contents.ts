/**
 * What a file held, by digest: from the log, from the disk, or made again from the arguments of the call that wrote it. A
 * digest that agrees is what makes it that content. docs/reference/blame.md, "Where contents come from"
 */
import { createHash } from "node:crypto";
import { NotFoundError } from "../../errors.ts";
import { upcast, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { PathWrite } from "./file-writes.ts";
import type { ContentOf } from "./fold.ts";

type Args = Readonly<Record<string, unknown>>;

/** @param onDisk - the file as it is, `null` when it is not there */
export function contentsFrom(
  log: EventLog,
  onDisk: { readonly sha256: string; readonly bytes: Uint8Array } | null,
): ContentOf {
  const stored = async (sha256: string): Promise<Uint8Array | null> => {
    if (onDisk?.sha256 === sha256) return onDisk.bytes;
    try {
      return await log.getBlob(sha256);
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  };
  return async (sha256, write) => {
    const bytes = await stored(sha256);
    if (bytes !== null || write === null) return bytes;
    const again = await madeAgain(log, write, stored);
    return again !== null && sha256Of(again) === sha256 ? again : null;
  };
}

/** In lower-case hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What `write` and `edit` would have made of the file. */
async function madeAgain(
  log: EventLog,
  write: PathWrite,
  stored: (sha256: string) => Promise<Uint8Array | null>,
): Promise<Uint8Array | null> {
  if (write.tool !== "write" && write.tool !== "edit") return null;
  const args = await argumentsOf(log, write);
  if (args === null) return null;
  const text = (name: string): string | null => {
    const value = args[name];
    return typeof value === "string" ? value : null;
  };
  if (write.tool === "write") {
    const content = text("content");
    return content === null ? null : Buffer.from(content);
  }
  const [oldText, newText] = [text("oldText"), text("newText")];
  const before = write.before.is === "file" ? await stored(write.before.sha256) : null;
  if (before === null || oldText === null || newText === null) return null;
  const was = Buffer.from(before).toString("utf8");
  const parts = was.split(oldText);
  return Buffer.from(args["replaceAll"] === true ? parts.join(newText) : was.replace(oldText, () => newText));
}

/** As the tool got them, secrets hidden. */
async function argumentsOf(log: EventLog, { stream, callId, version }: PathWrite): Promise<Args | null> {
  const types = ["model.responded", "tool_call.started"];
  for await (const fact of log.read(stream, { to: version, types, backwards: true })) {
    if (fact.redacted !== undefined) continue;
    const told = upcast(fact) as FactOf<"model.responded" | "tool_call.started">;
    if (told.type === "tool_call.started") {
      if (told.data.callId === callId && told.data.args !== null) return told.data.args;
      continue;
    }
    const call = told.data.calls.find((candidate) => candidate.callId === callId);
    if (call !== undefined) return call.args;
  }
  return null;
}
