/**
 * Replaces text inside the bytes of a file, and touches no byte outside of it.
 *
 * Bytes, not strings: a file that is not valid UTF-8 everywhere would come back damaged.
 */

/** Bytes with the line ends of CRLF as LF, and where each of them lies in the original. */
interface LfView {
  readonly bytes: Buffer;
  /** Position in the original of a position in the view. */
  originalOf(position: number): number;
}

/** What a splice is asked to do. */
export interface SpliceRequest {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** `matches` counts places, overlapping ones too. */
export type SpliceOutcome =
  | { readonly ok: true; readonly bytes: Buffer; readonly matches: number; readonly firstChangedLine: number }
  | {
      readonly ok: false;
      readonly reason: "empty" | "identical" | "absent" | "ambiguous";
      readonly matches: number;
    };

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const bom = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Replaces `oldText` by `newText` in `file`.
 *
 * A byte order mark stays and need not be in the texts. Where the file has CRLF, a line end in the texts matches either
 * kind, and a new line gets the kind of the lines around it. Without `replaceAll` there must be exactly one match.
 */
export function splice(file: Buffer, request: SpliceRequest): SpliceOutcome {
  const mark = file.subarray(0, 3).equals(bom) ? 3 : 0;
  const body = file.subarray(mark);
  const isCrlf = body.includes("\r\n");
  const exact = textsOf(request, false);
  const attempt = isCrlf
    ? spliceLf(body, textsOf(request, true), request.replaceAll)
    : spliceExact(body, exact, request.replaceAll);
  // Old text with CRLF for a file of LF: the model guessed the line ends, not the text.
  const outcome =
    !isCrlf && !attempt.ok && attempt.reason === "absent" && request.oldText.includes("\r\n")
      ? spliceExact(body, textsOf(request, true), request.replaceAll)
      : attempt;
  return outcome.ok ? { ...outcome, bytes: Buffer.concat([file.subarray(0, mark), outcome.bytes]) } : outcome;
}

interface Texts {
  readonly old: Buffer;
  readonly new: Buffer;
}

function textsOf({ oldText, newText }: SpliceRequest, asLf: boolean): Texts {
  const plain = (text: string): Buffer => {
    const unmarked = text.startsWith("\u{FEFF}") ? text.slice(1) : text;
    return Buffer.from(asLf ? unmarked.replaceAll("\r\n", "\n") : unmarked);
  };
  return { old: plain(oldText), new: plain(newText) };
}

function spliceExact(body: Buffer, texts: Texts, replaceAll: boolean): SpliceOutcome {
  return spliceView(
    body,
    { bytes: body, originalOf: (position) => position },
    texts,
    replaceAll,
    () => texts.new,
  );
}

function spliceLf(body: Buffer, texts: Texts, replaceAll: boolean): SpliceOutcome {
  // What old and new text share keeps its bytes, so that a file of mixed line ends changes only where it has to.
  const prefix = sharedPrefix(texts.old, texts.new);
  const suffix = sharedSuffix(texts.old.subarray(prefix), texts.new.subarray(prefix));
  const inserted = texts.new.subarray(prefix, texts.new.length - suffix);
  const view = lfView(body);
  const shared = { prefix, suffix };
  return spliceView(body, view, texts, replaceAll, (start) => withLineEnds(inserted, body, start), shared);
}

const nothingShared = { prefix: 0, suffix: 0 };

function spliceView(
  body: Buffer,
  view: LfView,
  texts: Texts,
  replaceAll: boolean,
  replacement: (start: number) => Buffer,
  shared = nothingShared,
): SpliceOutcome {
  if (texts.old.length === 0) return { ok: false, reason: "empty", matches: 0 };
  if (texts.old.equals(texts.new)) return { ok: false, reason: "identical", matches: 0 };
  const found = matchesOf(view.bytes, texts.old);
  if (found.length === 0) return { ok: false, reason: "absent", matches: 0 };
  if (found.length > 1 && !replaceAll) return { ok: false, reason: "ambiguous", matches: found.length };
  const apart = found.filter(notOverlapping(texts.old.length));
  const pieces: Buffer[] = [];
  let done = 0;
  for (const position of apart) {
    const start = view.originalOf(position + shared.prefix);
    const end = view.originalOf(position + texts.old.length - shared.suffix);
    pieces.push(body.subarray(done, start), replacement(start));
    done = end;
  }
  pieces.push(body.subarray(done));
  const firstChange = (apart[0] ?? 0) + sharedPrefix(texts.old, texts.new);
  const firstChangedLine = countOf(view.bytes.subarray(0, firstChange), lineFeed) + 1;
  return { ok: true, bytes: Buffer.concat(pieces), matches: apart.length, firstChangedLine };
}

/** Every place where `wanted` begins. */
function matchesOf(bytes: Buffer, wanted: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) found.push(at);
  return found;
}

function notOverlapping(length: number): (position: number) => boolean {
  let free = 0;
  return (position) => {
    if (position < free) return false;
    free = position + length;
    return true;
  };
}

function lfView(body: Buffer): LfView {
  const bytes = Buffer.alloc(body.length);
  /** Positions in the view before which a carriage return is missing. */
  const removed: number[] = [];
  let length = 0;
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === carriageReturn && body[at + 1] === lineFeed) removed.push(length);
    else bytes[length++] = body[at] ?? 0;
  }
  return {
    bytes: bytes.subarray(0, length),
    // A position at a line feed stands before its carriage return, so that both go or stay together.
    originalOf: (position) => position + countBelow(removed, position),
  };
}

/** How many of the ascending `numbers` are smaller than `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Gives the line feeds of `text` the kind of line end that is used where it is put. */
function withLineEnds(text: Buffer, body: Buffer, start: number): Buffer {
  if (!text.includes(lineFeed)) return text;
  const following = body.indexOf(lineFeed, start);
  const nearest = following === -1 ? body.lastIndexOf(lineFeed, start) : following;
  if (body[nearest - 1] !== carriageReturn) return text;
  return Buffer.from(text.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

function sharedPrefix(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

function sharedSuffix(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}
