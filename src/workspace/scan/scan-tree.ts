/** One scan: a walk, and the content of what the last scan does not vouch for. */
import { hash } from "node:crypto";
import { byCodePoint } from "../../events/index.ts";
import { lookAgain } from "./look-again.ts";
import type { FileEntry, Manifest, SecondLook } from "./manifest.ts";
import { readContent } from "./read-content.ts";
import type { ScanLimits, ScanTime, UnknownContent } from "./types.ts";
import { fileEntry, walk, type Unread } from "./walk.ts";

/** Where the content of files goes. */
export interface ContentStore {
  /** Makes room, and says for how many bytes of content there is some. */
  room(files: number, bytes: number): number;
  /** Whether they are held from now on. */
  put(contents: readonly HeldContent[]): boolean;
}

/** A content by its hash. */
export interface HeldContent {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** What a scan needs. */
export interface ScanRequest {
  /** Absolute, no link. */
  readonly root: string;
  readonly base: Manifest | null;
  /** Its files are looked at also where they are ignored by now. */
  readonly watched?: Manifest;
  readonly skipped: ReadonlySet<string>;
  readonly limits: ScanLimits;
  readonly time: ScanTime;
  readonly store: ContentStore;
}

const NO_BYTES = hash("sha256", "", "hex");
/** A file that was touched this shortly before it was read may change again and keep its times. */
const UNSETTLED_MS = 1_000;
/** Content is handed over in parts of this size. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_FILES = 1_000;

/**
 * Scans a workspace.
 *
 * @throws the system's error when the root is there and can't be listed
 */
export function scanTree(request: ScanRequest): { readonly manifest: Manifest; readonly again: SecondLook } {
  const started = request.time.monotonic();
  const isLate = (): boolean => request.time.monotonic() - started > request.limits.timeMs;
  const manifest = walk({ ...request, isLate });
  new ContentReader(request, manifest, isLate).read();
  const again = lookAgain({ root: request.root, before: request.watched, after: manifest, isLate });
  new ContentReader(request, again, isLate).read();
  return { manifest, again };
}

class ContentReader {
  readonly #request: ScanRequest;
  readonly #walked: Unread;
  readonly #isLate: () => boolean;
  #left = 0;
  #batch: HeldContent[] = [];
  #batchPaths: string[] = [];
  #batchBytes = 0;
  #slab: Buffer | null = null;
  #slabUsed = 0;

  constructor(request: ScanRequest, walked: Unread, isLate: () => boolean) {
    this.#request = request;
    this.#walked = walked;
    this.#isLate = isLate;
  }

  /** Smallest first, so that a bound costs as few files as can be. */
  read(): void {
    const { limits, store } = this.#request;
    this.#giveUpBeyondLimit();
    const files = this.#bySize(this.#walked.unread);
    if (files.length === 0) return;
    const wanted = files.reduce((sum, { size }) => sum + (size > limits.fileBytes ? 0 : size), 0);
    this.#left = Math.min(limits.readBytes, store.room(files.length, Math.min(wanted, limits.readBytes)));
    for (const { path, size } of files) this.#file(path, size);
    this.#flush();
  }

  /** Of more files than the limit the smallest count. */
  #giveUpBeyondLimit(): void {
    const { entries, fileCount, unread } = this.#walked;
    const { files: limit } = this.#request.limits;
    if (fileCount <= limit) return;
    const all = this.#bySize([...entries.keys()].filter((path) => entries.get(path)?.kind === "file"));
    const beyond = new Set(all.slice(limit).map(({ path }) => path));
    for (const path of beyond) this.#giveUp(path, "file_limit");
    unread.splice(0, unread.length, ...unread.filter((path) => !beyond.has(path)));
  }

  #bySize(paths: readonly string[]): { readonly path: string; readonly size: number }[] {
    return paths
      .map((path) => ({ path, size: this.#entry(path).size }))
      .toSorted((a, b) => a.size - b.size || byCodePoint(a.path, b.path));
  }

  #entry(path: string): FileEntry {
    const entry = this.#walked.entries.get(path);
    if (entry?.kind !== "file") throw new Error("a path to read is not that of a file");
    return entry;
  }

  #file(path: string, size: number): void {
    if (size > this.#request.limits.fileBytes) return this.#giveUp(path, "file_too_large");
    if (this.#isLate()) return this.#giveUp(path, "time_limit");
    if (size > this.#left) return this.#giveUp(path, "byte_limit");
    const now = this.#request.time.now();
    const known = this.#entry(path);
    if (size === 0) return this.#take(path, known, NO_BYTES, now); // Not opened: files of the kernel say that they are empty.
    const { root } = this.#request;
    const absolute = root === "/" ? `/${path}` : `${root}/${path}`;
    const content = readContent(
      absolute,
      this.#request.limits.fileBytes,
      nanoseconds(now - UNSETTLED_MS),
      (bytes) => this.#allocate(bytes),
    );
    if (content === "unreadable") return this.#giveUp(path, "unreadable");
    if (content === "gone") {
      this.#walked.entries.delete(path);
      return;
    }
    this.#left -= content.bytes.length;
    const sha256 = hash("sha256", content.bytes, "hex");
    this.#take(path, fileEntry(content.stats), sha256, now);
    this.#hold(path, { sha256, bytes: content.bytes });
  }

  #take(path: string, found: FileEntry, sha256: string, now: number): void {
    const touched = found.mtimeNs > found.ctimeNs ? found.mtimeNs : found.ctimeNs;
    const settled = touched < nanoseconds(now - UNSETTLED_MS);
    this.#walked.entries.set(path, { ...found, sha256, unknown: null, settled });
  }

  #giveUp(path: string, unknown: UnknownContent): void {
    this.#walked.reasons.add(unknown);
    this.#walked.entries.set(path, { ...this.#entry(path), sha256: null, unknown, settled: false });
  }

  #hold(path: string, content: HeldContent): void {
    this.#batch.push(content);
    this.#batchPaths.push(path);
    this.#batchBytes += content.bytes.length;
    if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_FILES) this.#flush();
  }

  /** Many small files share the memory of a batch: a buffer for each costs as much as reading it. */
  #allocate(bytes: number): Buffer {
    if (this.#slabUsed + bytes > BATCH_BYTES) return Buffer.allocUnsafe(bytes);
    this.#slab ??= Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.#slabUsed += bytes;
    return this.#slab.subarray(this.#slabUsed - bytes, this.#slabUsed);
  }

  /** What could not be stored is read again by the next scan. */
  #flush(): void {
    if (this.#batch.length > 0 && !this.#request.store.put(this.#batch)) {
      this.#walked.reasons.add("byte_limit");
      for (const path of this.#batchPaths)
        this.#walked.entries.set(path, { ...this.#entry(path), settled: false });
    }
    this.#batch = [];
    this.#batchPaths = [];
    this.#batchBytes = 0;
    this.#slabUsed = 0;
  }
}

function nanoseconds(milliseconds: number): bigint {
  return BigInt(Math.floor(milliseconds)) * 1_000_000n;
}
