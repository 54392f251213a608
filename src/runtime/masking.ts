/** Hiding secrets that are not all known from the start: those of extensions are known only once they are loaded. */
import type { Json } from "../events/index.ts";
import type { Logger } from "../ports.ts";
import { createMasker, type KnownSecret, type Masker, type PieceMasker } from "../secrets/index.ts";

/** A masker that hides what it was last told to hide. */
export class ChangingMasker implements Masker {
  #masker: Masker;

  constructor(secrets: readonly KnownSecret[]) {
    this.#masker = createMasker(secrets);
  }

  /** From now on hides these and no others. */
  hide(secrets: readonly KnownSecret[]): void {
    this.#masker = createMasker(secrets);
  }

  json<Value extends Json>(value: Value): Value {
    return this.#masker.json(value);
  }

  bytes(bytes: Uint8Array): Uint8Array {
    return this.#masker.bytes(bytes);
  }

  pieces(): PieceMasker {
    return this.#masker.pieces();
  }
}

/** A logger through which what extensions say goes, with secrets hidden. */
export function maskedLogger(logger: Logger, mask: Masker): Logger {
  const hidden = (level: keyof Logger) => {
    return (fields: object, message: string): void => {
      const [shown, text] = mask.json([jsonOf(fields), message]) as [object, string];
      logger[level](shown, text);
    };
  };
  return { debug: hidden("debug"), info: hidden("info"), warn: hidden("warn"), error: hidden("error") };
}

/** What can't be written as JSON is not worth a log line's life. */
function jsonOf(fields: object): Json {
  try {
    return JSON.parse(JSON.stringify(fields)) as Json;
  } catch {
    return {};
  }
}
