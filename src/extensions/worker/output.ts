/** The way of a worker's output to its host: at once, over the port, up to what the host can read. */
import * as built from "./captured.ts";
import type { OutputPart } from "./frames.ts";
import { maxOutputUnread, outputDropped, outputUnread } from "./shared-memory.ts";

/** Sends what an extension writes. */
export interface Output {
  /** Takes what the functions of `node:fs` and streams take: text, or bytes of a view. */
  write(fd: 1 | 2, chunk: unknown, encoding?: unknown): void;
  log(level: "debug" | "info" | "warn" | "error", fields: unknown, message: string): void;
}

/**
 * @param post - sends a part; its text is counted in `shared` until the host has read it
 */
export function outputTo(post: (part: OutputPart, length: number) => void, shared: Int32Array): Output {
  const send = (part: OutputPart, length: number): void => {
    if (built.atomicLoad(shared, outputUnread) + length > maxOutputUnread) {
      built.atomicAdd(shared, outputDropped, 1);
      return;
    }
    built.atomicAdd(shared, outputUnread, length);
    post(part, length);
  };
  return {
    write(fd, chunk, encoding) {
      const text = textOf(chunk, encoding);
      const part = { __proto__: null, fd, text };
      if (text.length > 0) send(part, text.length);
    },
    log(level, fields, message) {
      const text = built.slice(message, 0, 8192);
      send({ __proto__: null, level, fields, message: text } as OutputPart, text.length + 256);
    },
  };
}

function textOf(chunk: unknown, encoding: unknown): string {
  if (typeof chunk === "string") {
    if (encoding !== "hex" && encoding !== "base64" && encoding !== "base64url" && encoding !== "latin1")
      return chunk;
    return built.decoded(chunk, encoding);
  }
  // No longer than what would be dropped for its length anyway.
  if (built.isView(chunk)) return built.viewToUtf8(chunk, 4 * maxOutputUnread + 4);
  return built.toText(chunk);
}
