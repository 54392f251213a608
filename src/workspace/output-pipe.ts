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

/** `null` where the system can't make one; a socket has to do then. */
export async function openOutputPipe(): Promise<OutputPipe | null> {
  const directory = await temporaryDirectory();
  if (directory === null) return null;
  try {
    const name = join(directory, "pipe");
    await promisify(execFile)("mkfifo", ["-m", "600", name]);
    return pipeAt(name);
  } catch {
    return null; // No mkfifo, or a file system that takes no pipes.
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function temporaryDirectory(): Promise<string | null> {
  try {
    return await mkdtemp(join(tmpdir(), "lemon-output-"));
  } catch {
    return null; // Full or read-only: no reason not to run a command.
  }
}

function pipeAt(name: string): OutputPipe {
  // The reader first, without waiting for a writer; then the writer finds it and need not wait either.
  const reader = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeEnd = openSync(name, constants.O_WRONLY);
    return {
      // It owns the descriptor from here on.
      stream: new Socket({ fd: reader, readable: true, writable: false }),
      writeEnd,
      release: () => closeSync(writeEnd),
    };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}
