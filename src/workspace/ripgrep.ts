/**
 * Runs ripgrep, and keeps it from everything that it does by itself: reading a configuration, standard input, ignore
 * files only inside of git.
 */
import { spawn } from "node:child_process";
import { FileError, codeOf } from "./file-errors.ts";
import { messageOf } from "../errors.ts";

/**
 * For every run. `.git` is no part of a project's text. Sorted output costs parallelism and buys that a cut list is
 * always the same list.
 */
const always = ["--no-config", "--no-require-git", "--hidden", "--glob=!.git", "--sort=path"];

/** One run. */
export interface RipgrepRequest {
  readonly args: readonly string[];
  /** Directory to search, or the one of the file. Never part of a pattern: it is the child's working directory. */
  readonly cwd: string;
  /** `.`, or the name of a file in `cwd`. */
  readonly path: string;
  /** Byte that ends a record: a line feed, or NUL. */
  readonly separator: 0 | 10;
  /** @returns false to stop the run: enough was found */
  readonly onRecord: (record: Buffer) => boolean;
  readonly signal: AbortSignal;
}

/** How a run ended. `failed` with an empty `message` means that some files could not be read. */
export interface RipgrepEnd {
  readonly failed: boolean;
  readonly message: string;
}

/** @throws FileError if ripgrep is not installed; the signal's reason on abort */
export async function runRipgrep(request: RipgrepRequest): Promise<RipgrepEnd> {
  const { cwd, path, signal, args } = request;
  signal.throwIfAborted();
  // "./": a name that begins with a dash is no option, and without any path it would read standard input.
  const child = spawn(await ripgrepPath(), [...always, ...args, "--", path === "." ? "./" : `./${path}`], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    child.kill("SIGKILL");
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<RipgrepEnd>((resolve, reject) => {
      let message = "";
      const records = new Records(request.separator);
      child.once("error", (error) => reject(startError(error)));
      child.stderr.on("data", (chunk: Buffer) => {
        if (message.length < 4_000) message += chunk.toString();
      });
      child.stdout.on("data", (chunk: Buffer) => {
        for (const record of records.push(chunk)) if (!stopped && !request.onRecord(record)) stop();
      });
      child.once("close", (code) => {
        if (signal.aborted) reject(signal.reason as Error);
        else resolve({ failed: !stopped && code !== 0 && code !== 1, message: message.trim() });
      });
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Cuts a stream of bytes into records. */
class Records {
  readonly #separator: number;
  #rest: Buffer[] = [];

  constructor(separator: number) {
    this.#separator = separator;
  }

  *push(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    for (let end = chunk.indexOf(this.#separator); end !== -1; end = chunk.indexOf(this.#separator, at)) {
      yield Buffer.concat([...this.#rest, chunk.subarray(at, end)]);
      this.#rest = [];
      at = end + 1;
    }
    if (at < chunk.length) this.#rest.push(chunk.subarray(at));
  }
}

async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (error) {
    // Its binary is an optional dependency, which `npm install --omit=optional` leaves out.
    throw new FileError(`ripgrep is not installed, so grep and find can't run: ${messageOf(error)}`, error);
  }
}

function startError(error: unknown): FileError {
  const hint = codeOf(error) === "ENOENT" ? " (was it installed with --omit=optional?)" : "";
  return new FileError(`ripgrep could not be started${hint}`, error);
}
