/**
 * Everything that a command prints: raw for the store, clean and capped for the model, as it comes for whoever watches.
 */
import { HeadAndTail } from "./head-and-tail.ts";
import { TerminalText } from "./terminal-text.ts";
import type { ToolUpdate } from "./tool.ts";

/** What the model sees at most. */
const shownCaps = { characters: 30_000, lines: 2_000 };

/** Raw bytes that are stored at most. */
export const maxStoredBytes = 64 * 1024 * 1024;

const updateEveryMs = 100;
/** More than this between two updates is noise: its beginning is left out of the update. */
const maxUpdate = 64 * 1024;

/** The output once it is complete. */
export interface CommandOutputText {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Collects output that comes in pieces cut anywhere, in the middle of a character too.
 *
 * The updates, joined, are the clean text before its cap, unless one of them alone would have been over 64 KiB.
 */
export class CommandOutput {
  readonly #onUpdate: ToolUpdate;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #terminal = new TerminalText();
  readonly #shown = new HeadAndTail(shownCaps);
  readonly #stored: Buffer[] = [];
  #storedBytes = 0;
  #bytes = 0;
  #pending = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(onUpdate: ToolUpdate) {
    this.#onUpdate = onUpdate;
  }

  /** How much was printed, stored or not. */
  get bytes(): number {
    return this.#bytes;
  }

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    const room = maxStoredBytes - this.#storedBytes;
    if (room > 0) {
      const kept = bytes.subarray(0, room);
      this.#stored.push(kept);
      this.#storedBytes += kept.length;
    }
    this.#show(this.#terminal.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** Ends the text; nothing may be pushed afterwards. */
  end(): CommandOutputText {
    this.#show(this.#terminal.push(this.#decoder.decode()) + this.#terminal.end());
    this.stop();
    return this.#shown.end();
  }

  /** Sends what waits, and no update after that. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#flush();
  }

  /** The bytes as printed, up to {@link maxStoredBytes}. */
  raw(): Buffer {
    return Buffer.concat(this.#stored);
  }

  #show(text: string): void {
    if (text === "") return;
    this.#shown.push(text);
    this.#pending += text;
    if (this.#pending.length > 2 * maxUpdate) this.#pending = this.#pending.slice(-maxUpdate);
    this.#timer ??= setTimeout(() => this.#flush(), updateEveryMs);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#onUpdate({ content: [{ type: "text", text }] });
  }
}
