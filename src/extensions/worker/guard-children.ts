/**
 * Child processes of an extension: none shares a descriptor with the host, the host knows each of them by its id, and
 * one that blocks the worker's loop ends with the call that started it.
 */
import childProcess, { type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Output } from "./output.ts";

type AnyFunction = (...args: unknown[]) => unknown;
type Options = Record<string, unknown>;

/** What the guard tells and asks. */
export interface ChildGuard {
  readonly output: Output;
  readonly childStarted: (pid: number) => void;
  readonly childEnded: (pid: number) => void;
  /** Milliseconds that the running call has left; `undefined` when nothing limits it. */
  readonly leftMs: () => number | undefined;
}

/** Replaces every function of `node:child_process` that starts one. */
export function guardChildren(guard: ChildGuard): void {
  const table = childProcess as unknown as Record<string, AnyFunction>;
  for (const name of ["spawn", "exec", "execFile", "fork"]) {
    const original = table[name] as AnyFunction; // of every Node
    table[name] = withPromisify(original, (...args) => {
      const pipes = name === "spawn" || name === "fork" ? redirect(args, name) : [];
      const child = original(...args) as ChildProcess;
      watch(guard, child, pipes);
      return child;
    });
  }
  for (const name of ["spawnSync", "execSync", "execFileSync"]) {
    const original = table[name] as AnyFunction;
    table[name] = (...args) => {
      const pipes = redirect(args, name);
      limit(args, guard.leftMs());
      return settle(guard, original(...args), pipes);
    };
  }
}

/** `util.promisify(exec)` uses a form that Node made for the original: give ours one that goes through the guard. */
function withPromisify(original: AnyFunction, guarded: AnyFunction): AnyFunction {
  const custom = Symbol.for("nodejs.util.promisify.custom");
  if (!(custom in original)) return guarded;
  const promisified = (...args: unknown[]): unknown => {
    let child: unknown;
    const promise = new Promise((resolve, reject) => {
      child = guarded(...args, (error: Error | null, stdout: unknown, stderr: unknown) => {
        if (error === null) resolve({ stdout, stderr });
        else reject(Object.assign(error, { stdout, stderr }));
      });
    });
    return Object.assign(promise, { child });
  };
  Object.defineProperty(guarded, custom, { value: promisified });
  return guarded;
}

/** The place of the options among the arguments; put there when they were left out. */
function optionsOf(args: unknown[], isChanged: boolean): Options {
  const last = args.findIndex(
    (argument, index) =>
      index > 0 && typeof argument === "object" && argument !== null && !Array.isArray(argument),
  );
  const given = last === -1 ? {} : (args[last] as Options);
  if (!isChanged) return given;
  const copy = { ...given };
  if (last !== -1) args[last] = copy;
  else {
    const callback = args.findIndex((argument, index) => index > 0 && typeof argument === "function");
    args.splice(callback === -1 ? args.length : callback, 0, copy);
  }
  return copy;
}

/**
 * Pipes instead of the host's descriptors.
 *
 * @returns for each place of `stdio` that was the host's output, which one
 */
function redirect(args: unknown[], name: string): readonly (1 | 2 | undefined)[] {
  const given = optionsOf(args, false)["stdio"];
  const isForked = name === "fork";
  const isSilent = isForked && optionsOf(args, false)["silent"] === true;
  if (given === undefined && (!isForked || isSilent)) return [];
  const list: unknown[] =
    given === undefined
      ? ["inherit", "inherit", "inherit", "ipc"]
      : Array.isArray(given)
        ? [...(given as unknown[])]
        : [given, given, given, ...(isForked ? ["ipc"] : [])];
  const pipes: (1 | 2 | undefined)[] = [];
  for (let place = 0; place < list.length; place += 1) {
    const fd = hostFd(list[place], place);
    if (fd === undefined) continue;
    const isOutput = place > 0 && fd !== 0;
    list[place] = isOutput ? "pipe" : "ignore";
    if (isOutput) pipes[place] = fd;
  }
  const options = optionsOf(args, true);
  options["stdio"] = list;
  if (pipes.length === 0 || !name.endsWith("Sync")) return pipes;
  options["maxBuffer"] ??= Infinity; // a child with inherited output has no such limit
  // Both of these return standard output alone; without `stdio` they hand standard error to our own stream.
  if (name !== "spawnSync" && pipes[2] !== undefined) options["stdio"] = undefined;
  return pipes;
}

/** Which of the host's descriptors an entry of `stdio` means. */
function hostFd(entry: unknown, place: number): 0 | 1 | 2 | undefined {
  if (entry === "inherit") return isStandard(place) ? place : undefined;
  if (isStandard(entry)) return entry;
  if (typeof entry !== "object" || entry === null) return undefined;
  if (entry === process.stdin) return 0;
  if (entry === process.stdout) return 1;
  if (entry === process.stderr) return 2;
  const { fd } = entry as { readonly fd?: unknown };
  return isStandard(fd) ? fd : undefined;
}

function isStandard(value: unknown): value is 0 | 1 | 2 {
  return value === 0 || value === 1 || value === 2;
}

function watch(guard: ChildGuard, child: ChildProcess, pipes: readonly (1 | 2 | undefined)[]): void {
  const { pid } = child;
  if (pid !== undefined) {
    guard.childStarted(pid);
    child.once("exit", () => guard.childEnded(pid));
  }
  pipes.forEach((fd, place) => {
    const stream = child.stdio[place] as Readable | null | undefined; // a pipe that we asked for
    if (fd !== undefined) stream?.on("data", (chunk: unknown) => guard.output.write(fd, chunk));
  });
}

/** Ends a child that blocks the loop when the time of its call is over, unless its author was stricter. */
function limit(args: unknown[], leftMs: number | undefined): void {
  if (leftMs === undefined) return;
  const own = optionsOf(args, false)["timeout"];
  const atMost = Math.max(1, Math.ceil(leftMs));
  if (typeof own === "number" && own > 0 && own <= atMost) return;
  const options = optionsOf(args, true);
  options["timeout"] = atMost;
  options["killSignal"] = "SIGKILL";
}

/** Passes the output on, and gives the author what a child with inherited output gives: nothing. */
function settle(guard: ChildGuard, result: unknown, pipes: readonly (1 | 2 | undefined)[]): unknown {
  if (pipes.length === 0) return result;
  if (
    typeof result !== "object" ||
    result === null ||
    !("output" in result) ||
    !Array.isArray(result.output)
  ) {
    if (pipes[1] === undefined) return result;
    guard.output.write(pipes[1], result);
    return null;
  }
  const { output } = result as { output: unknown[]; stdout?: unknown; stderr?: unknown };
  pipes.forEach((fd, place) => {
    if (fd === undefined) return;
    const text = output[place];
    if (text !== null && text !== undefined) guard.output.write(fd, text);
    output[place] = null;
  });
  const told = result as { stdout?: unknown; stderr?: unknown };
  if (pipes[1] !== undefined) told.stdout = null;
  if (pipes[2] !== undefined) told.stderr = null;
  return result;
}
