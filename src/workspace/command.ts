/**
 * Starts a shell command behind a gate, and reads what it prints. docs/reference/processes.md tells the whole story.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { FileError, codeOf } from "./file-errors.ts";
import { callVariable } from "./process-end.ts";
import { openOutputPipe, type OutputPipe } from "./output-pipe.ts";
import { markOf, type ProcessMark } from "./process-table.ts";

/**
 * Waits for a line on descriptor 3, which only the host holds: if the host dies first, the read fails and nothing runs.
 *
 * `sh`, because bash would read `BASH_ENV` before the gate opens. Both outputs share one pipe, so that they keep their order.
 */
const gate = 'IFS= read -r go <&3 && exec 3<&- && exec "$0" -c "$1" 2>&1';

/** Output counts as over when the command has ended and nothing came for this long … */
const quietMs = 150;
/** … or this long after its end, whatever still comes: a child that it left behind may print for ever. */
const maxDrainMs = 1_000;

/** How a command ended. */
export interface CommandExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a command is started with. */
export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Value of `LEMON_CALL` in its environment. */
  readonly callMarker: string;
  /** Every piece of output as it comes, both streams in one. */
  readonly onOutput: (bytes: Buffer) => void;
}

/** A command that waits at its gate. */
export interface GatedCommand {
  readonly mark: ProcessMark;
  /** Lets it run. */
  open(): void;
  /** Ends it if it still waits; it never runs then. */
  refuse(): void;
  /** Resolves when the command has ended, and something that it left behind may still print. */
  readonly exited: Promise<CommandExit>;
  /** Resolves when the command has ended and its output is read. What it left in the background runs on. */
  readonly ended: Promise<CommandExit>;
}

/** Starts the shell and stops at the gate. @throws FileError if `cwd` is no directory or the command can't be started */
export async function startCommand(request: CommandRequest): Promise<GatedCommand> {
  await requireDirectory(request.cwd);
  const pipe = await openOutputPipe();
  const child = spawnGated(request, pipe);
  const control = child.stdio[3] as Writable; // The last "pipe" of its stdio.
  const outputs = [pipe?.stream, child.stdout, child.stderr].filter((stream) => stream instanceof Readable);
  for (const output of outputs) output.on("data", request.onOutput);
  // A broken pipe means that the other side has ended, and its exit tells that.
  for (const stream of [...outputs, control]) stream.on("error", () => stream.destroy());
  const exited = new Promise<CommandExit>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    pipe?.stream.destroy();
    throw startError(error);
  }
  const pid = child.pid;
  if (pid === undefined) throw new FileError("The command could not be started");
  const ended = exited.then(async (exit) => {
    control.destroy();
    await Promise.all(outputs.map(drain));
    return exit;
  });
  return {
    mark: await markOf(pid),
    open: () => void control.end("go\n"),
    refuse: () => void control.destroy(),
    exited,
    ended,
  };
}

function spawnGated(request: CommandRequest, pipe: OutputPipe | null): ChildProcess {
  const out = pipe?.writeEnd ?? "pipe";
  try {
    return spawn("/bin/sh", ["-c", gate, shell(), request.command], {
      cwd: request.cwd,
      env: { ...request.env, [callVariable]: request.callMarker },
      // A session of its own: one id for everything that it starts, and no terminal to take input from.
      detached: true,
      stdio: ["ignore", out, out, "pipe"],
    });
  } catch (error) {
    pipe?.stream.destroy();
    throw startError(error); // Some failures come at once, others as an event.
  } finally {
    pipe?.release();
  }
}

/** A child left behind may hold the pipe for ever, so its end is not waited for. */
async function drain(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(quiet);
      clearTimeout(longest);
      stream.off("data", onData);
      stream.off("close", done);
      stream.destroy();
      resolve();
    };
    const onData = (): void => {
      quiet.refresh();
    };
    const quiet = setTimeout(done, quietMs);
    const longest = setTimeout(done, maxDrainMs);
    stream.on("data", onData);
    stream.once("close", done);
  });
}

async function requireDirectory(cwd: string): Promise<void> {
  const found = await stat(cwd).catch((error: unknown) => {
    throw new FileError(`The working directory ${cwd} can't be entered`, error);
  });
  if (!found.isDirectory()) throw new FileError(`The working directory ${cwd} is not a directory`);
}

function startError(error: unknown): FileError {
  if (codeOf(error) === "E2BIG") {
    return new FileError(
      "The command is too long to be passed on (128 KiB): write it to a file and run that",
      error,
    );
  }
  return new FileError("The command could not be started", error);
}

function shell(): string {
  return ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((file) => existsSync(file)) ?? "/bin/sh";
}
