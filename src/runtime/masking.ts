/** A masker whose secrets may change: those of extensions are known only once they are loaded. */
import { createMasker, type KnownSecret, type Masker } from "../secrets/index.ts";

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

  json: Masker["json"] = (value) => this.#masker.json(value);
  bytes: Masker["bytes"] = (bytes) => this.#masker.bytes(bytes);
  pieces: Masker["pieces"] = () => this.#masker.pieces();
}
