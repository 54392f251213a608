/** Who wrote the lines of a file: the call, prompt, model and hook behind each. docs/reference/blame.md */
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { NotFoundError } from "../../errors.ts";
import { InvalidVersionError, type EventLog } from "../../log/index.ts";
import { NotTextError, InvalidLineError } from "../errors.ts";
import { requireSession } from "../session-list.ts";
import { contentsFrom, sha256Of } from "./contents.ts";
import { historyOfPath, writesByPath } from "./file-writes.ts";
import { FileFold, type LineOwner } from "./fold.ts";
import { isText, type OwnedLines } from "./lines.ts";
import { toldOwners, type ToldOwner } from "./told-owners.ts";

/** Bytes of the largest file whose lines are told. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** A line and whose it is. */
export interface BlameLine extends ToldOwner {
  /** From 1. */
  readonly line: number;
  /** Without its end. */
  readonly text: string;
}

/** What of a file is asked. */
export interface BlameOptions {
  /** One line, from 1. Default: all. */
  readonly line?: number;
  /** As the file was after this version of that session. Default: as it is on disk. */
  readonly at?: { readonly sessionId: string; readonly version: number };
}

/**
 * Tells whose the lines of a file are. Reads the log and the file.
 *
 * @param file - absolute
 * @throws NotFoundError when there is no such file, on disk or at that version; SessionNotFoundError,
 * InvalidVersionError, InvalidLineError, NotTextError
 */
export async function blame(
  log: EventLog,
  file: string,
  { line, at }: BlameOptions = {},
): Promise<BlameLine[]> {
  if (line !== undefined && (!Number.isSafeInteger(line) || line < 1)) throw new InvalidLineError(line, null);
  const place = await realPlace(file);
  const to = at === undefined ? undefined : await positionOf(log, at);
  const onDisk = await readIfThere(place);
  const { lines, owners } = await ownedLines(log, place, at === undefined ? onDisk : null, to, onDisk);
  if (line !== undefined && line > lines.length) throw new InvalidLineError(line, lines.length);
  const wanted = line === undefined ? lines.map((_text, index) => index) : [line - 1];
  const told = await toldOwners(log, new Set(wanted.map((index) => owners[index] ?? "unavailable")));
  return wanted.flatMap((index) => {
    const owner = told.get(owners[index] ?? "unavailable");
    return owner === undefined
      ? []
      : [{ line: index + 1, text: (lines[index] ?? "").replace(/\r$/, ""), ...owner }];
  });
}

interface OnDisk {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** @param shown - what the file holds in the end, `null`: what the log says; `known` helps to find contents */
async function ownedLines(
  log: EventLog,
  place: string,
  shown: OnDisk | null,
  to: number | undefined,
  known: OnDisk | null,
): Promise<OwnedLines<LineOwner>> {
  const writes = historyOfPath(await writesByPath(log, to), place);
  if (shown === null && writes.length === 0)
    throw new NotFoundError(`${place} is not there, and no call or restore of the log wrote it`, {
      field: "file",
    });
  const fold = new FileFold(contentsFrom(log, known), writes);
  for (const write of writes) await fold.take(write);
  if (shown !== null) {
    if (!isText(shown.bytes)) throw new NotTextError(place, "it is not UTF-8 text");
    fold.found(shown.sha256, shown.bytes);
    return fold.lines;
  }
  if (to !== undefined && fold.isThere) {
    if (!fold.isKnown)
      throw new NotFoundError(`what ${place} held then is not in the log`, { field: "file" });
    return fold.lines;
  }
  const last = writes.at(-1);
  const how =
    last === undefined || fold.isThere
      ? ""
      : `: ${last.tool ?? "a restore"} of ${last.stream}, version ${last.version}, removed it`;
  throw new NotFoundError(`${place} is not there${to === undefined ? "" : " at that version"}${how}`, {
    field: "file",
  });
}

/** The real path; of a file that is gone, that of its folder. */
async function realPlace(file: string): Promise<string> {
  const absolute = path.resolve(file);
  try {
    return await realpath(absolute);
  } catch {
    const folder = path.dirname(absolute);
    return folder === absolute ? absolute : path.join(await realPlace(folder), path.basename(absolute));
  }
}

async function readIfThere(place: string): Promise<OnDisk | null> {
  const found = await stat(place).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) throw new NotTextError(place, "it is no file");
  if (found.size > MAX_FILE_BYTES)
    throw new NotTextError(place, `it has ${found.size} bytes, more than ${MAX_FILE_BYTES}`);
  const bytes = await readFile(place);
  return { sha256: sha256Of(bytes), bytes };
}

async function positionOf(
  log: EventLog,
  { sessionId, version }: NonNullable<BlameOptions["at"]>,
): Promise<number> {
  const found = await requireSession(log, sessionId);
  for await (const fact of log.read(`session-${sessionId}`, { from: version, to: version }))
    return fact.position;
  throw new InvalidVersionError(`session-${sessionId}`, version, found.version);
}
