/** Standard output, standard error and standard input of a worker, at the process's streams and at `node:fs`. */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Output } from "./output.ts";

type AnyFunction = (...args: unknown[]) => unknown;
type Table = Record<string, AnyFunction | undefined>;

/**
 * Replaces every way that JavaScript has to reach the host's descriptors 0, 1 and 2 by path or number. Native addons and
 * nested workers stay outside.
 */
export function guardStreams(output: Output): void {
  guardStream(process.stdout, 1, output);
  guardStream(process.stderr, 2, output);
  (process as unknown as Table)["_rawDebug"] = (...args) =>
    output.write(2, `${args.map(String).join(" ")}\n`);
  guardWrites(fs as unknown as Table, output);
  guardReads(fs as unknown as Table);
  guardOpens(fs as unknown as Table, fs.promises as unknown as Table, output);
}

function guardStream(stream: NodeJS.WriteStream, fd: 1 | 2, output: Output): void {
  const write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    output.write(fd, chunk, encoding);
    const callback = typeof encoding === "function" ? encoding : done;
    if (typeof callback === "function") process.nextTick(callback);
    return true;
  };
  const end = (chunk?: unknown, encoding?: unknown, done?: unknown): unknown => {
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function")
      output.write(fd, chunk, encoding);
    for (const callback of [chunk, encoding, done])
      if (typeof callback === "function") process.nextTick(callback);
    return stream;
  };
  const members = { write, end, destroy: () => stream, destroySoon: () => undefined };
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(stream, name, { value, configurable: true, writable: true, enumerable: false });
}

/** Descriptors 1 and 2 by number. */
function guardWrites(table: Table, output: Output): void {
  const bytesOf = (args: readonly unknown[]): { text: unknown; length: number } => {
    const [, data, offset, length] = args;
    if (!ArrayBuffer.isView(data)) {
      const text = String(data);
      return { text, length: Buffer.byteLength(text) };
    }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const options =
      typeof offset === "object" && offset !== null ? (offset as Record<string, unknown>) : undefined;
    const from = Number((options === undefined ? offset : options["offset"]) ?? 0) || 0;
    const count = options === undefined ? length : options["length"];
    const part = bytes.subarray(from, typeof count === "number" ? from + count : undefined);
    return { text: part, length: part.length };
  };
  const joined = (views: unknown): Buffer =>
    Buffer.concat(
      (Array.isArray(views) ? views : [])
        .filter((view): view is Uint8Array => ArrayBuffer.isView(view))
        .map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)),
    );
  replace(table, "writeSync", (original, args) => {
    const fd = outputFd(args[0]);
    if (fd === undefined) return original(...args);
    const { text, length } = bytesOf(args);
    output.write(fd, text);
    return length;
  });
  replace(table, "write", (original, args) => {
    const fd = outputFd(args[0]);
    if (fd === undefined) return original(...args);
    const { text, length } = bytesOf(args);
    output.write(fd, text);
    return callBack(args, length, args[1]);
  });
  replace(table, "writevSync", (original, args) => {
    const fd = outputFd(args[0]);
    if (fd === undefined) return original(...args);
    const bytes = joined(args[1]);
    output.write(fd, bytes);
    return bytes.length;
  });
  replace(table, "writev", (original, args) => {
    const fd = outputFd(args[0]);
    if (fd === undefined) return original(...args);
    const bytes = joined(args[1]);
    output.write(fd, bytes);
    return callBack(args, bytes.length, args[1]);
  });
}

/** Descriptor 0 is at its end. */
function guardReads(table: Table): void {
  for (const name of ["readSync", "readvSync"])
    replace(table, name, (original, args) => (args[0] === 0 ? 0 : original(...args)));
  for (const name of ["read", "readv"])
    replace(table, name, (original, args) =>
      args[0] === 0 ? callBack(args, 0, args[1]) : original(...args),
    );
  const empty = (args: readonly unknown[]): string | Buffer => {
    const options = args[1];
    const encoding =
      typeof options === "object" && options !== null
        ? (options as Record<string, unknown>)["encoding"]
        : options;
    return typeof encoding === "string" && encoding !== "buffer" ? "" : Buffer.alloc(0);
  };
  replace(table, "readFileSync", (original, args) =>
    standardFd(args[0]) === 0 ? empty(args) : original(...args),
  );
  replace(table, "readFile", (original, args) =>
    standardFd(args[0]) === 0 ? callBack(args, empty(args)) : original(...args),
  );
}

/** The names of the descriptors: whole-file writes go to the output, an open is refused. */
function guardOpens(table: Table, promises: Table, output: Output): void {
  const refuse = (name: unknown): Error =>
    Object.assign(
      new Error(`EACCES: permission denied, open '${String(name)}': an extension has no terminal of its own`),
      {
        code: "EACCES",
        syscall: "open",
        errno: -13,
      },
    );
  replace(table, "openSync", (original, args) => {
    if (standardFd(args[0]) !== undefined) throw refuse(args[0]);
    return original(...args);
  });
  replace(table, "open", (original, args) =>
    standardFd(args[0]) === undefined ? original(...args) : callBackWith(args, refuse(args[0])),
  );
  replace(promises, "open", (original, args) =>
    standardFd(args[0]) === undefined ? original(...args) : Promise.reject(refuse(args[0])),
  );
  replace(promises, "readFile", (original, args) =>
    standardFd(args[0]) === undefined ? original(...args) : Promise.reject(refuse(args[0])),
  );
  const whole = (args: readonly unknown[]): boolean => {
    const fd = standardFd(args[0]);
    if (fd === 1 || fd === 2) output.write(fd, args[1]);
    return fd === 1 || fd === 2;
  };
  for (const name of ["writeFile", "appendFile"]) {
    replace(table, `${name}Sync`, (original, args) => (whole(args) ? undefined : original(...args)));
    replace(table, name, (original, args) => (whole(args) ? callBack(args) : original(...args)));
    replace(promises, name, (original, args) => (whole(args) ? Promise.resolve() : original(...args)));
  }
}

function outputFd(fd: unknown): 1 | 2 | undefined {
  return fd === 1 || fd === 2 ? fd : undefined;
}

/** 0, 1 or 2 when a number or a path means that descriptor of this process. */
function standardFd(file: unknown): 0 | 1 | 2 | undefined {
  if (file === 0 || file === 1 || file === 2) return file;
  const name = pathOf(file);
  if (name === undefined || !/^\/(?:dev|proc)\//.test(name)) return undefined;
  const word = /^\/dev\/(stdin|stdout|stderr)$/.exec(name)?.[1];
  if (word !== undefined) return word === "stdin" ? 0 : word === "stdout" ? 1 : 2;
  const own = `self|thread-self|${process.pid}`;
  const found = new RegExp(`^(?:/dev/fd|/proc/(?:${own})(?:/task/\\d+)?/fd)/0*([012])$`).exec(name)?.[1];
  return found === undefined ? undefined : (Number(found) as 0 | 1 | 2); // one of the three digits
}

function pathOf(file: unknown): string | undefined {
  if (typeof file === "string") return path.resolve(file);
  if (file instanceof Uint8Array) return path.resolve(Buffer.from(file).toString());
  return file instanceof URL && file.protocol === "file:" ? fileURLToPath(file) : undefined;
}

function replace(
  table: Table,
  name: string,
  instead: (original: AnyFunction, args: unknown[]) => unknown,
): void {
  const original = table[name];
  if (original === undefined) return; // not in this Node
  const bound = original.bind(table);
  const guarded: AnyFunction = function guarded(...args) {
    return instead(bound, args);
  };
  const names = promisedNames[name];
  if (names !== undefined)
    Object.defineProperty(guarded, promisify.custom, { value: promised(guarded, names) });
  Object.defineProperty(guarded, "name", { value: name });
  table[name] = guarded;
}

/** What `util.promisify` of these resolves to; Node keeps that in a place of its own, which a replacement has not. */
const promisedNames: Readonly<Record<string, readonly [string, string]>> = {
  read: ["bytesRead", "buffer"],
  readv: ["bytesRead", "buffers"],
  write: ["bytesWritten", "buffer"],
  writev: ["bytesWritten", "buffers"],
};

function promised(callback: AnyFunction, [count, data]: readonly [string, string]): AnyFunction {
  return (...args) =>
    new Promise((resolve, reject) => {
      callback(...args, (error: Error | null, counted: unknown, given: unknown) => {
        if (error) reject(error);
        else resolve({ [count]: counted, [data]: given });
      });
    });
}

function callBack(args: readonly unknown[], ...results: readonly unknown[]): undefined {
  return callBackWith(args, null, ...results);
}

function callBackWith(args: readonly unknown[], ...results: readonly unknown[]): undefined {
  const callback = args.at(-1);
  if (typeof callback !== "function") throw new TypeError("the last argument must be a callback");
  process.nextTick(callback, ...results);
  return undefined;
}
