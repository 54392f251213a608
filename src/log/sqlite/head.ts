/**
 * `<log>.head`: the last fact that was committed, as a lower bound. A cut write-ahead log loses the newest facts and
 * leaves a sound database, so only something outside the database can tell.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Statement } from "better-sqlite3";
import { messageOf } from "../../errors.ts";
import type { Fact } from "../../events/index.ts";
import type { Connection } from "./connection.ts";

/** What the file holds. */
export type LogHead = Pick<Fact, "position" | "stream" | "version" | "hash">;

/** A head file that can't be understood. */
export const UNREADABLE = "unreadable";

const PERIOD_MS = 1_000;

/** Writes the head of this process's last commit, at most once a second and at close. */
export class HeadFile {
  readonly #file: string;
  readonly #onWarning: (message: string) => void;
  readonly #hashAt: Statement<[number], string>;
  #latest: LogHead | null = null;
  #timer: NodeJS.Timeout | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor({ db, location }: Connection, onWarning: (message: string) => void) {
    this.#file = headFileOf(location);
    this.#onWarning = onWarning;
    this.#hashAt = db.prepare<[number], string>("SELECT hash FROM facts WHERE position = ?").pluck();
  }

  committed({ position, stream, version, hash }: Fact): void {
    this.#latest = { position, stream, version, hash };
    if (this.#timer !== undefined) return;
    const waitMs = this.#writtenAt + PERIOD_MS - performance.now();
    if (waitMs <= 0) this.write();
    else
      this.#timer = setTimeout(() => {
        this.write();
      }, waitMs).unref();
  }

  /** Writes what was committed since the last time, now. Never throws: the facts themselves are safe. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#latest === null) return;
    this.#writtenAt = performance.now();
    try {
      if (this.#mayReplace(readHead(this.#file), this.#latest)) writeHead(this.#file, this.#latest);
      this.#latest = null;
    } catch (error) {
      this.#onWarning(`could not write ${this.#file}: ${messageOf(error)}`);
    }
  }

  /** Says so when the log lacks the fact that the file names. Never throws: a damaged log can still be read in part. */
  check(): void {
    const head = readHead(this.#file);
    if (head === null || head === UNREADABLE) return;
    try {
      if (this.#holds(head)) return;
    } catch (error) {
      this.#onWarning(`could not look for position ${head.position}: ${messageOf(error)}`);
      return;
    }
    this.#onWarning(
      `${this.#file} names position ${head.position}, which this log does not hold: facts were lost, see \`lemon verify\``,
    );
  }

  /** Another process may be further on; and a head that the log lacks is evidence of a loss, which stays. */
  #mayReplace(written: LogHead | typeof UNREADABLE | null, latest: LogHead): boolean {
    if (written === null || written === UNREADABLE) return true;
    return written.position < latest.position && this.#holds(written);
  }

  #holds(head: LogHead): boolean {
    return this.#hashAt.get(head.position) === head.hash;
  }
}

/** The head file of the log at `location`. */
export function headFileOf(location: string): string {
  return `${location}.head`;
}

/** @returns `null` when there is none */
export function readHead(file: string): LogHead | typeof UNREADABLE | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : UNREADABLE;
  }
  return parseHead(text);
}

/** Readers see the old head or the new one, never half of one. */
export function writeHead(file: string, { position, stream, version, hash }: LogHead): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ position, stream, version, hash })}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

function parseHead(text: string): LogHead | typeof UNREADABLE {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
  return isHead(value) ? value : UNREADABLE;
}

function isHead(value: unknown): value is LogHead {
  if (typeof value !== "object" || value === null) return false;
  const { position, stream, version, hash } = value as Record<string, unknown>;
  const areNumbers = Number.isSafeInteger(position) && Number.isSafeInteger(version);
  return areNumbers && typeof stream === "string" && typeof hash === "string";
}
