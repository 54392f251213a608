/**
 * Built-ins as they were before an extension's code ran. What stands between an extension and the host uses these and
 * nothing else: an author, or a package of theirs, may have replaced or frozen any global by the time of a call.
 *
 * For the same reason the code that uses them writes arrays by index, gives what it sends a null prototype, and does
 * without `for … of`, spread arguments, `Map` and `push`: each looks something up on a prototype.
 */
/* oxlint-disable typescript/unbound-method -- every method here is called with its `this`, or needs none */
import { types } from "node:util";

/** `uncurry(String.prototype.slice)(text, 1)` is `text.slice(1)`, whatever `slice` is by then. */
const uncurry = Function.prototype.bind.bind(Function.prototype.call) as <
  This,
  Args extends unknown[],
  Result,
>(
  method: (this: This, ...args: Args) => Result,
) => (self: This, ...args: Args) => Result;

export const apply = Reflect.apply;
export const ownKeys = Object.keys;
export const hasOwn = Object.hasOwn;
export const getPrototypeOf: (value: object) => unknown = Object.getPrototypeOf;
export const setPrototypeOf = Object.setPrototypeOf;
export const objectPrototype = Object.prototype;
export const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;
export const isFinite = Number.isFinite;
export const parseJson: (text: string) => unknown = JSON.parse;
export const stringifyJson: (value: unknown) => string = JSON.stringify;
export const toText = String;
export const slice = uncurry(String.prototype.slice);
export const indexOf = uncurry(String.prototype.indexOf);
export const toWellFormed = uncurry(String.prototype.toWellFormed);
export const toIso = uncurry(Date.prototype.toISOString);
export const hrefOf = uncurry(
  Object.getOwnPropertyDescriptor(URL.prototype, "href")?.get as (this: URL) => string, // an accessor in every Node
);
export const isDate: (value: unknown) => boolean = types.isDate;
export const isUint8Array: (value: unknown) => value is Uint8Array = types.isUint8Array;
export const isNativeError: (value: unknown) => value is Error = types.isNativeError;
export const base64 = (bytes: Uint8Array): string =>
  bufferToString(bufferFrom(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength), "base64");
export const isView: (value: unknown) => value is ArrayBufferView = ArrayBuffer.isView;
export const viewToUtf8 = (view: ArrayBufferView, maxBytes: number): string => {
  const length = view.byteLength < maxBytes ? view.byteLength : maxBytes;
  return bufferToString(bufferFrom(view.buffer as ArrayBuffer, view.byteOffset, length), "utf8");
};
export const decoded = (text: string, encoding: BufferEncoding): string =>
  bufferToString(bufferFromText(text, encoding), "utf8");
export const atomicAdd = Atomics.add;
export const atomicLoad = Atomics.load;
export const atomicStore = Atomics.store;
export const AbortControllerOf = AbortController;
export const abort = uncurry(
  AbortController.prototype.abort as (this: AbortController, reason: unknown) => void,
);
export const signalOf = uncurry(
  Object.getOwnPropertyDescriptor(AbortController.prototype, "signal")?.get as (
    this: AbortController,
  ) => AbortSignal, // an accessor in every Node
);
export const asyncIterator: typeof Symbol.asyncIterator = Symbol.asyncIterator;
export const nowMs: () => number = performance.now.bind(performance);
export const nextTick: (run: () => void) => void = process.nextTick.bind(process);
export const NativePromise = Promise;
export const NativeError = Error;
export const URLOf = URL;
export const DateOf = Date;
export const defineProperty = Object.defineProperty;
export const bytesOf = (base64Text: string): Uint8Array => {
  const buffer = bufferFromText(base64Text, "base64");
  return new Uint8ArrayOf(buffer.buffer, buffer.byteOffset, buffer.length);
};

const bufferFrom = Buffer.from.bind(Buffer) as (
  buffer: ArrayBuffer,
  offset: number,
  length: number,
) => Buffer;
const bufferFromText = Buffer.from.bind(Buffer) as (text: string, encoding: BufferEncoding) => Buffer;
const Uint8ArrayOf = Uint8Array;
const { toString } = Buffer.prototype as Buffer;
const bufferToString = uncurry(toString);

/** The same object without a prototype: no `toJSON` of an author's is asked when it becomes text. */
export function bare<Value extends object>(value: Value): Value {
  setPrototypeOf(value, null);
  return value;
}
