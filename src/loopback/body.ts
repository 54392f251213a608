/** The body of a request, as long as it is not too long. */
import type { Readable } from "node:stream";

/** How much of a body that is too long is thrown away before that is said: who is cut off while sending hears nothing. */
const MAX_DISCARDED_BYTES = 64 * 1_048_576;

/**
 * Reads a body to its end.
 *
 * @returns `null` when it has more than `maxBytes`; of a body that is cut off, what came
 */
export function readBody(request: Readable, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let pieces: Buffer[] = [];
    let bytes = 0;
    const settle = (): void => {
      request.removeAllListeners("data");
      resolve(bytes > maxBytes ? null : Buffer.concat(pieces));
    };
    request.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= maxBytes) pieces.push(piece);
      else pieces = [];
      if (bytes > MAX_DISCARDED_BYTES) settle();
    });
    request.once("end", settle);
    request.once("error", settle);
    request.once("close", settle);
  });
}
