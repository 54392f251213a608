/** What the model is writing and no fact holds yet. */
import type { SessionEvent } from "../projections/index.ts";

/** Characters that are kept. */
const MAX_CHARS = 262_144;

/** Takes the events of a session; has the text of the message that is being written. */
export class LiveText {
  #text = "";

  /** `null` while there is none. */
  get text(): string | null {
    return this.#text === "" ? null : this.#text;
  }

  readonly take = (event: SessionEvent): void => {
    switch (event.type) {
      case "message_update":
        if (event.kind === "text") this.#text = (this.#text + event.text).slice(0, MAX_CHARS);
        return;
      case "message_start":
      case "message_end":
        // One that is discarded is kept until the next begins: what an abort cut off is in no fact.
        this.#text = "";
        return;
      default:
        return;
    }
  };
}
