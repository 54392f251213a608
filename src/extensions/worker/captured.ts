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

/** `Reflect.apply`. */
export const apply = Reflect.apply;
/** `Object.keys`. */
export const ownKeys = Object.keys;
/** `Object.hasOwn`. */
export const hasOwn = Object.hasOwn;
/** `Object.getPrototypeOf`. */
export const getPrototypeOf: (value: object) => unknown = Object.getPrototypeOf;
/** `Object.setPrototypeOf`. */
export const setPrototypeOf = Object.setPrototypeOf;
/** What `{}` has as its prototype. */
export const objectPrototype = Object.prototype;
/** `Array.isArray`. */
export const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;
/** `Number.isFinite`. */
export const isFinite = Number.isFinite;
/** `JSON.parse`. */
export const parseJson: (text: string) => unknown = JSON.parse;
/** `JSON.stringify`; what it is given has no prototypes. */
export const stringifyJson: (value: unknown) => string = JSON.stringify;
/** `String`. */
export const toText = String;
/** `text.slice`. */
export const slice = uncurry(String.prototype.slice);
/** `text.indexOf`. */
export const indexOf = uncurry(String.prototype.indexOf);
/** `text.toWellFormed`. */
export const toWellFormed = uncurry(String.prototype.toWellFormed);
/** `date.toISOString`. */
export const toIso = uncurry(Date.prototype.toISOString);
/** `url.href`. */
export const hrefOf = uncurry(
  Object.getOwnPropertyDescriptor(URL.prototype, "href")?.get as (this: URL) => string, // an accessor in every Node
);
/** Whether it is a `Date`, of whatever realm. */
export const isDate: (value: unknown) => boolean = types.isDate;
/** Whether it is a `Uint8Array`, of whatever realm. */
export const isUint8Array: (value: unknown) => value is Uint8Array = types.isUint8Array;
/** Whether it is an `Error`, of whatever realm. */
export const isNativeError: (value: unknown) => value is Error = types.isNativeError;
/** Bytes as base64. */
export const base64 = (bytes: Uint8Array): string =>
  bufferToString(bufferFrom(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength), "base64");
/** `ArrayBuffer.isView`. */
export const isView: (value: unknown) => value is ArrayBufferView = ArrayBuffer.isView;
/** The text in the first bytes of a view. */
export const viewToUtf8 = (view: ArrayBufferView, maxBytes: number): string => {
  const length = view.byteLength < maxBytes ? view.byteLength : maxBytes;
  return bufferToString(bufferFrom(view.buffer as ArrayBuffer, view.byteOffset, length), "utf8");
};
/** The text that is encoded in a text. */
export const decoded = (text: string, encoding: BufferEncoding): string =>
  bufferToString(bufferFromText(text, encoding), "utf8");
/** `Atomics.add`. */
export const atomicAdd = Atomics.add;
/** `Atomics.load`. */
export const atomicLoad = Atomics.load;
/** `Atomics.store`. */
export const atomicStore = Atomics.store;
/** `AbortController`. */
export const AbortControllerOf = AbortController;
/** `controller.abort`. */
export const abort = uncurry(
  AbortController.prototype.abort as (this: AbortController, reason: unknown) => void,
);
/** `controller.signal`. */
export const signalOf = uncurry(
  Object.getOwnPropertyDescriptor(AbortController.prototype, "signal")?.get as (
    this: AbortController,
  ) => AbortSignal, // an accessor in every Node
);
/** `Symbol.asyncIterator`. */
export const asyncIterator: typeof Symbol.asyncIterator = Symbol.asyncIterator;
/** `performance.now`. */
export const nowMs: () => number = performance.now.bind(performance);
/** `process.nextTick`. */
export const nextTick: (run: () => void) => void = process.nextTick.bind(process);
/** `Promise`. */
export const NativePromise = Promise;
/** `Error`. */
export const NativeError = Error;
/** `URL`. */
export const URLOf = URL;
/** `Date`. */
export const DateOf = Date;
/** `Object.assign`. */
export const assign = Object.assign;
/** `Object.defineProperty`. */
export const defineProperty = Object.defineProperty;
/** The bytes that are base64 in a text. */
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

/** A list of what `change` makes of each member, whatever became of `Array.prototype`. */
export function mapped<From, To>(list: readonly From[], change: (member: From) => To): To[] {
  const changed: To[] = bare([]);
  for (let index = 0; index < list.length; index += 1) changed[index] = change(list[index] as From); // below the length
  return changed;
}

/** The same object without a prototype: no `toJSON` of an author's is asked when it becomes text. */
export function bare<Value extends object>(value: Value): Value {
  setPrototypeOf(value, null);
  return value;
}
