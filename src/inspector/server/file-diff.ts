/** What a session did to one file between two versions. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { NotFoundError } from "../../errors.ts";
import type { EventLog } from "../../log/index.ts";
import type { FileContent, FileDiffAnswer } from "../api.ts";
import type { SessionBook } from "../session/session-book.ts";
import { assertVersion } from "./answers.ts";
import type { Query } from "./query.ts";

/** A larger file is not compared either. */
const MAX_FILE_BYTES = 1024 * 1024;

const versions = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** @throws NotFoundError, InvalidParameterError, InvalidVersionError */
export async function fileDiff(book: SessionBook, log: EventLog, query: Query): Promise<FileDiffAnswer> {
  const path = query.required("path");
  const [a, b] = [query.number("a", versions) ?? 0, query.number("b", versions) ?? book.version];
  await assertVersion(book, Math.max(a, b));
  // Version 0 stands before all that is known of the session, also before what a session that it was forked from wrote.
  const [before, after] = [a, b].map((version) =>
    book.writes.contentAt(path, version === 0 ? -Infinity : version),
  );
  if (before === null || before === undefined || after === null || after === undefined)
    throw new NotFoundError(`no call of session ${book.sessionId} wrote a file of this path`, {
      field: "path",
    });
  const [bytesBefore, bytesAfter] = [await bytesOf(log, path, before), await bytesOf(log, path, after)];
  const isThere = bytesBefore !== "unavailable" && bytesAfter !== "unavailable";
  // The library that compares is loaded when something is compared.
  const { compareBytes } = await import("../derive/hunks.ts");
  const shown = isThere
    ? compareBytes(bytesBefore, bytesAfter)
    : { shown: "unavailable" as const, hunks: [] };
  return { path, a: { ...before, version: a }, b: { ...after, version: b }, ...shown };
}

async function bytesOf(
  log: EventLog,
  path: string,
  content: FileContent,
): Promise<Uint8Array | null | "unavailable"> {
  if (content.is === "absent") return null;
  if (content.is === "unknown") return "unavailable";
  if (await log.hasBlob(content.sha256)) return log.getBlob(content.sha256);
  return (await bytesInFolder(path, content.sha256)) ?? "unavailable";
}

/** The log holds what a write replaced; what the last one wrote is still in the file, unless someone else changed it. */
async function bytesInFolder(path: string, sha256: string): Promise<Uint8Array | null> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_FILE_BYTES) return null;
    const bytes = await readFile(path);
    return createHash("sha256").update(bytes).digest("hex") === sha256 ? bytes : null;
  } catch {
    // Removed, or not to be read by this user: the bytes are not to be had.
    return null;
  }
}
