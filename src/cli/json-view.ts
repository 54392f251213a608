/** A run as JSON Lines: a header, each event of the session, and last the outcome. */
import type { SessionEvent } from "../projections/index.ts";
import type { Outcome } from "../runtime/index.ts";
import type { RunView } from "./run-view.ts";
import type { Output } from "./output.ts";

/** Of the header: raised when a line changes its meaning. */
const SCHEMA_VERSION = 1;

/** Writes a run for programs. */
export class JsonView implements RunView {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  begin(sessionId: string): void {
    this.#out.document({ type: "header", schemaVersion: SCHEMA_VERSION, sessionId });
  }

  take(event: SessionEvent): void {
    this.#out.document(event);
  }

  end(outcome: Outcome): void {
    this.#out.document({ type: "result", ...outcome });
  }

  repeat(sessionId: string, outcome: Outcome): void {
    this.begin(sessionId);
    this.end(outcome);
  }
}
