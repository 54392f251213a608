/**
 * From the bytes of one message to its calls: size, UTF-8, JSON, and the envelope of JSON-RPC 2.0.
 * docs/reference/control-plane.md, "Messages"
 */
import { RefusedError } from "../rpc-error.ts";
import { idTexts } from "./id-text.ts";
import { lineOf } from "./reply.ts";

/** Bytes of a message, at most. */
export const MAX_MESSAGE_BYTES = 1_048_576;
/** Calls of a batch, at most. */
const MAX_BATCH = 100;

/** One call, or what was sent as one. */
export type IncomingCall =
  | {
      readonly kind: "call";
      /** JSON text, so that it goes back as it came; `null`: a notification, which is never answered. */
      readonly id: string | null;
      readonly method: string;
      /** Not looked at yet. */
      readonly params: unknown;
    }
  | { readonly kind: "invalid"; readonly id: string; readonly error: RefusedError };

/** A message. */
export type Incoming =
  | { readonly kind: "refused"; readonly error: RefusedError }
  | { readonly kind: "single"; readonly call: IncomingCall }
  | { readonly kind: "batch"; readonly calls: readonly IncomingCall[] };

/** The refusal of a message that is longer than {@link MAX_MESSAGE_BYTES}. */
export function tooLarge(): Incoming {
  return { kind: "refused", error: new RefusedError("message_too_large", "A message has at most 1 MiB.") };
}

/** Reads a message. Never throws. */
export function parseMessage(bytes: Uint8Array): Incoming {
  if (bytes.length > MAX_MESSAGE_BYTES) return tooLarge();
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    // The parser's own words would repeat what was sent.
    return { kind: "refused", error: new RefusedError("parse_error", "The message is not JSON in UTF-8.") };
  }
  if (!Array.isArray(value)) return { kind: "single", call: callOf(value, () => idTexts(text)[0] ?? null) };
  if (value.length === 0 || value.length > MAX_BATCH) {
    return {
      kind: "refused",
      error: new RefusedError("invalid_batch", `A batch has 1 to ${MAX_BATCH} calls.`),
    };
  }
  let texts: readonly (string | null)[] | undefined;
  const calls = value.map((item: unknown, index) =>
    callOf(item, () => (texts ??= idTexts(text))[index] ?? null),
  );
  return { kind: "batch", calls };
}

/** @param written - the id as it was written, for numbers that JavaScript can't hold */
function callOf(value: unknown, written: () => string | null): IncomingCall {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid("null", "A request is an object.");
  }
  const { jsonrpc, method, params } = value as Readonly<Record<string, unknown>>;
  const id = Object.hasOwn(value, "id") ? idOf((value as { readonly id: unknown }).id, written) : null;
  if (id === undefined) return invalid("null", "An id is a string, a number or null.");
  if (jsonrpc !== "2.0") return invalid(id ?? "null", 'The member jsonrpc is not "2.0".');
  if (typeof method !== "string") return invalid(id ?? "null", "The member method is not a string.");
  return { kind: "call", id, method, params };
}

/** `undefined` for what can't be an id. */
function idOf(id: unknown, written: () => string | null): string | undefined {
  if (typeof id === "string" || id === null) return lineOf(id);
  if (typeof id !== "number") return undefined;
  return Number.isSafeInteger(id) && !Object.is(id, -0) ? String(id) : (written() ?? undefined);
}

function invalid(id: string, message: string): IncomingCall {
  return { kind: "invalid", id, error: new RefusedError("invalid_request", message) };
}
