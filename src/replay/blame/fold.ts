/**
 * Whose each line of a file is: its recorded contents, one after the other, each line carried from one to the next.
 * docs/reference/blame.md
 */
import type { PathContent } from "../../projections/index.ts";
import { isSame, type PathWrite } from "./file-writes.ts";
import { carry, isText, linesOf, type OwnedLines } from "./lines.ts";

/**
 * Whose a line is: that of a change, or of nobody whom the log knows. `before`: it was there when the file was first
 * changed. `outside`: somebody else changed the file in between, or since. `unavailable`: bytes that would tell are gone.
 */
export type LineOwner = PathWrite | "before" | "outside" | "unavailable";

/** Finds bytes by digest; `null`: they are not to be had. */
export type ContentOf = (sha256: string, write: PathWrite | null) => Promise<Uint8Array | null>;

type Lines = OwnedLines<LineOwner>;

const noLines: Lines = { lines: [], owners: [] };

/** The contents of one file, as far as they were followed. */
export class FileFold {
  readonly #contentOf: ContentOf;
  /** The last lines that are known. */
  #lines: Lines = noLines;
  /** What the file holds now; its bytes may not be known. */
  #now: PathContent | null = null;
  /** Who changed it since the last lines that are known. */
  #pending: LineOwner[] = [];
  /** Contents that it had and that are asked for again: a restore brings back whose the lines were. */
  readonly #had = new Map<string, Lines>();
  readonly #wanted: ReadonlySet<string>;

  /** @param writes - all that will be taken */
  constructor(contentOf: ContentOf, writes: readonly PathWrite[]) {
    this.#contentOf = contentOf;
    this.#wanted = new Set(
      writes.flatMap(({ kind, before, after, overlapping }) => [
        ...(kind === "restore" && after.is === "file" ? [after.sha256] : []),
        ...(overlapping.length > 0 && before.is === "file" ? [before.sha256] : []),
      ]),
    );
  }

  get lines(): Lines {
    return this.#lines;
  }

  /** Whether the file is there. */
  get isThere(): boolean {
    return this.#now !== null && this.#now.is !== "absent";
  }

  /** Whether what it holds is known, not only that it holds something. */
  get isKnown(): boolean {
    return this.#pending.length === 0;
  }

  /** Takes a recorded change. */
  async take(write: PathWrite): Promise<void> {
    const { before, after } = write;
    if (this.#now === null) await this.#become(before, "before", write);
    else if (!isSame(this.#now, before) && !this.#isFollowed(write)) {
      // A scan beside other calls tells what was before all of them.
      const isBesideOthers =
        write.overlapping.length > 0 && before.is === "file" && this.#had.has(before.sha256);
      if (!isBesideOthers)
        await this.#become(before, before.is === "unknown" ? "unavailable" : "outside", write);
    }
    // Its mode is no line of it.
    if (isSame(before, after) || this.#isFollowed(write)) return;
    await this.#become(after, write, write);
  }

  /** What the file holds on disk, whoever wrote it. @returns whether that is what the log says */
  found(sha256: string, bytes: Uint8Array): boolean {
    const content: PathContent = { is: "file", sha256, mode: null };
    const isKnown = this.#now !== null && isSame(this.#now, content);
    if (!isKnown) this.#pending.push("outside");
    this.#show(bytes, sha256);
    return isKnown;
  }

  /** A change that overlapped others and is told by them already. */
  #isFollowed({ before, after, overlapping }: PathWrite): boolean {
    return (
      overlapping.length > 0 && this.#now !== null && !isSame(before, this.#now) && isSame(after, this.#now)
    );
  }

  async #become(content: PathContent, owner: LineOwner, write: PathWrite): Promise<void> {
    this.#now = content;
    if (content.is === "absent") {
      this.#lines = noLines;
      this.#pending = [];
      return;
    }
    this.#pending.push(owner);
    if (content.is === "unknown") return;
    const had = this.#had.get(content.sha256);
    if (had !== undefined && write.kind === "restore" && owner === write) {
      this.#lines = had;
      this.#pending = [];
      return;
    }
    const bytes = await this.#contentOf(content.sha256, owner === write ? write : null);
    if (bytes !== null) this.#show(bytes, content.sha256);
  }

  /** What changed since the last lines that are known is the doing of whoever changed it, if that was one alone. */
  #show(bytes: Uint8Array, sha256: string): void {
    const [first, ...others] = new Set(this.#pending);
    this.#pending = [];
    const next = isText(bytes) ? linesOf(bytes) : [];
    if (first !== undefined) {
      const owner = others.length === 0 ? first : "unavailable";
      const carried = carry(this.#lines, next, owner);
      this.#lines = isOtherFile(owner, carried) ? { lines: next, owners: next.map(() => owner) } : carried;
    }
    if (this.#wanted.has(sha256)) this.#had.set(sha256, this.#lines);
  }
}

/** What went while another came in its place was not moved if they have less than half of their lines in common. */
function isOtherFile(owner: LineOwner, { owners }: Lines): boolean {
  if (typeof owner === "string" || owner.movedFrom === null) return false;
  return owners.filter((each) => each !== owner).length * 2 < owners.length;
}
