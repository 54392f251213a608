/** The calls through which snapshots and restores reach the file system. A test gives its own, to have them fail. */
import type { BigIntStats } from "node:fs";
import { link, lstat, mkdir, open, realpath, rename, rmdir, unlink, type FileHandle } from "node:fs/promises";

/** Each rejects with the system's error. */
export interface FileCalls {
  /** Never follows a link at the end of the path. */
  lstat(path: string): Promise<BigIntStats>;
  open(path: string, flags: number, mode?: number): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  realpath(path: string): Promise<string>;
}

/** Those of the system. */
export const systemFiles: FileCalls = {
  lstat: (path) => lstat(path, { bigint: true }),
  open: (path, flags, mode) => open(path, flags, mode),
  rename: (from, to) => rename(from, to),
  link: (from, to) => link(from, to),
  unlink: (path) => unlink(path),
  mkdir: (path) => mkdir(path),
  rmdir: (path) => rmdir(path),
  realpath: (path) => realpath(path),
};
