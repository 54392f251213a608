/** What a scan of the workspace says. docs/reference/coverage.md has the rules. */

import type { Logger } from "../../ports.ts";

/** Why a receipt does not cover everything. The scanner gives those that it can know; the others come from the calls. */
export type CoverageReason =
  | "background_processes"
  | "byte_limit"
  | "file_limit"
  | "file_too_large"
  | "guard_off"
  | "ignored_paths"
  | "overlapping_calls"
  | "scan_failed"
  | "symlink_changed"
  | "time_limit"
  | "unreadable";

/** Why the content of a file is not known. */
export type UnknownContent = "byte_limit" | "file_limit" | "file_too_large" | "time_limit" | "unreadable";

/** One file that is not as it was. */
export interface ScannedChange {
  /** Absolute, below the root as it was given. */
  readonly path: string;
  /** `mode`: the permissions alone. A renamed file is one that was deleted and one that was created. */
  readonly change: "created" | "modified" | "deleted" | "mode";
  /** Lower-case hex. `null` for a file that was not there, or whose content is not known. */
  readonly beforeSha256: string | null;
  readonly afterSha256: string | null;
  /** The twelve bits of permissions, `null` where there was no file. */
  readonly beforeMode: number | null;
  readonly afterMode: number | null;
  /** Why a hash that should be there is `null`; the one of before counts first. */
  readonly code: UnknownContent | null;
}

/** What changed between the two scans of a window. */
export interface ScanOutcome {
  /** By code point of the path. */
  readonly files: readonly ScannedChange[];
  /** Absolute, outermost first. */
  readonly createdDirs: readonly string[];
  /** `full` only without a reason; `none` when a scan failed, and then nothing is listed. */
  readonly coverage: "full" | "partial" | "none";
  /** Sorted, each once, of both scans. */
  readonly coverageReasons: readonly CoverageReason[];
}

/** The time between two scans: what a tool call does to the workspace. */
export interface ScanWindow {
  /** Scans again and gives what changed since. Ends the window. Never rejects: a scan that fails is an outcome. */
  close(): Promise<ScanOutcome>;
  /** Gives up the window without a second scan; after `close`, gives up the bytes that it keeps. */
  discard(): Promise<void>;
  /**
   * The bytes that a file had before the window. Those of files that `close` lists are kept until `discard`, or until the
   * scanner closes; room for new ones may cost those that are older than an hour.
   *
   * @param sha256 - lower-case hex
   * @returns `null` when they are not held, or not intact
   */
  bytes(sha256: string): Promise<Uint8Array | null>;
}

/** Scans workspaces, in a thread of its own. One for each runtime. */
export interface WorkspaceScanner {
  /**
   * Scans `root` and remembers it. Trouble with the workspace or the cache never rejects: the outcome then has coverage
   * `none` for the reason `scan_failed`.
   *
   * @param root - absolute; a link is followed once, here
   * @param marker - names the call over all sessions, so that the window can be found after a crash
   * @param signal - gives up the window
   * @throws the signal's reason, and an error after `close`
   */
  open(root: string, marker: string, signal?: AbortSignal): Promise<ScanWindow>;
  /**
   * The newest window that was opened under `marker` and never ended, as a process leaves it that is killed. It is to be
   * asked for by whoever leads the session only: nobody checks that the process is gone.
   *
   * @returns `null` when there is none, or the cache was lost
   */
  recover(marker: string): Promise<ScanWindow | null>;
  /** Ends the thread. Windows that are still open can be recovered. */
  close(): Promise<void>;
}

/** Bounds of one scan, each inclusive. */
export interface ScanLimits {
  /** Files whose content is known: the smallest. */
  readonly files: number;
  readonly fileBytes: number;
  /** Bytes that are read, without those that the cache knows. */
  readonly readBytes: number;
  readonly timeMs: number;
  /** Size of the cache file. */
  readonly cacheBytes: number;
}

const MIB = 1024 * 1024;

/** 20,000 files, 10 MiB a file, 200 MiB read, 2 s; a cache of 512 MiB. */
export const defaultScanLimits: ScanLimits = {
  files: 20_000,
  fileBytes: 10 * MIB,
  readBytes: 200 * MIB,
  timeMs: 2_000,
  cacheBytes: 512 * MIB,
};

/** The two times that a scan needs. */
export interface ScanTime {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
}

/** How a scanner is made. */
export interface ScannerOptions {
  /** Absolute path of the cache. It is made when it is missing, and thrown away when it is not one. */
  readonly cacheFile: string;
  /** The folder of the runtime, which is never looked into. Default: where the cache is. */
  readonly home?: string;
  readonly limits?: Partial<ScanLimits>;
  /** Told when the scanner itself fails; default: silent. */
  readonly logger?: Logger;
  /** After how long a scan that does not end is given up, with its thread. Default: 15,000 ms. */
  readonly patienceMs?: number;
  /** For tests: scans in the calling thread, and by this time. */
  readonly inProcess?: ScanTime;
}
