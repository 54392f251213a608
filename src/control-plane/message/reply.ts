/** Answers as text: one line, whatever is in it. */
import type { WireError } from "../rpc-error.ts";

/** @param id - JSON text */
export function resultText(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${lineOf(result)}}`;
}

/** @param id - JSON text */
export function errorText(id: string, error: WireError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${lineOf(error)}}`;
}

/** A notification from the server. */
export function notificationText(method: string, params: unknown): string {
  return lineOf({ jsonrpc: "2.0", method, params });
}

/** JSON in which no reader of lines can find the end of one. */
export function lineOf(value: unknown): string {
  return escapeLineEnds(JSON.stringify(value ?? null));
}

/** U+2028 and U+2029 end a line for some readers. Outside of strings JSON does not have them. */
function escapeLineEnds(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
