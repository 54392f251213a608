/** What one worker writes, on its way to the host's lines and log. */
import type { Logger } from "../../ports.ts";
import { outputDropped, outputUnread } from "../worker/shared-memory.ts";
import { type LineLimit, OutputLines } from "./output-lines.ts";

/** Takes the output of one worker. */
export interface WorkerOutput {
  write(fd: 1 | 2, text: string): void;
  /** A part as the worker posted it; what it counts in `memory` is read by then. */
  take(part: unknown, memory: Int32Array): void;
  flush(): void;
}

/**
 * @param limit - shared by all workers of the extension
 * @param logger - for lines of the author's `log`
 */
export function workerOutput(
  module: string,
  limit: LineLimit,
  logger: Logger,
  mapPositions: (text: string) => string,
): WorkerOutput {
  const lines = new OutputLines(limit, mapPositions);
  return {
    write: (fd, text) => lines.push(fd, text),
    take: (part, memory) => {
      const { fd, text, level, message, fields } = (part ?? {}) as Readonly<Record<string, unknown>>;
      if ((fd === 1 || fd === 2) && typeof text === "string") {
        Atomics.sub(memory, outputUnread, text.length);
        lines.push(fd, text);
      } else if (isLevel(level) && typeof message === "string") {
        Atomics.sub(memory, outputUnread, message.length + 256);
        const own = typeof fields === "object" && fields !== null && !Array.isArray(fields) ? fields : {};
        logger[level]({ ...own, module }, message);
      }
      const dropped = Atomics.exchange(memory, outputDropped, 0);
      if (dropped > 0) limit.drop(dropped);
    },
    flush: () => lines.flush(),
  };
}

function isLevel(level: unknown): level is "debug" | "info" | "warn" | "error" {
  return level === "debug" || level === "info" || level === "warn" || level === "error";
}
