/**
 * A real pipe for the output of a command.
 *
 * Node's own `pipe` is a socket, and a socket can't be opened by name: `echo x > /dev/stderr` and `tee /dev/stdout`
 * fail on it. A named pipe whose name is removed at once is what a shell would have made.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

/** `writeEnd` is for the child; {@link OutputPipe.release} closes our copy of it, or the stream would never end. */
export interface OutputPipe {
  readonly stream: Readable;
  readonly writeEnd: number;
  release(): void;
}

/** Both ends of a pipe that no command has had yet. */
interface Ends {
  readonly reader: number;
  readonly writeEnd: number;
}

/** Node can't make a pipe, and the process that can costs as much as the command: it makes some in advance. */
const atOnce = 16;
const unused: Ends[] = [];
let making: Promise<void> | undefined;

/** `null` where the system can't make one; a socket has to do then. A pipe is never used for two commands. */
export async function openOutputPipe(): Promise<OutputPipe | null> {
  // Whoever waits with us may have taken the last one before us.
  while (unused.length === 0) {
    making ??= makePipes().finally(() => (making = undefined));
    try {
      await making;
    } catch {
      return null; // No mkfifo, a full disk, or a file system that takes no pipes: no reason not to run a command.
    }
  }
  const ends = unused.pop();
  if (ends === undefined) return null;
  const { reader, writeEnd } = ends;
  return {
    // It owns the descriptor from here on.
    stream: new Socket({ fd: reader, readable: true, writable: false }),
    writeEnd,
    release: () => closeSync(writeEnd),
  };
}

async function makePipes(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "lemon-output-"));
  try {
    const names = Array.from({ length: atOnce }, (_, index) => join(directory, String(index)));
    await promisify(execFile)("mkfifo", ["-m", "600", ...names]);
    for (const name of names) unused.push(endsOf(name));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function endsOf(name: string): Ends {
  // The reader first, without waiting for a writer; then the writer finds it and need not wait either.
  const reader = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader, writeEnd: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}
