import type { SessionEvent } from "../projections/index.ts";
import type { Outcome } from "../runtime/index.ts";

/** How a run is shown. */
export interface RunView {
  /** The session is open. */
  begin(sessionId: string): void;
  take(event: SessionEvent): void;
  /** The run has ended. */
  end(outcome: Outcome): void;
  /** A run that had ended before. */
  repeat(sessionId: string, outcome: Outcome): void;
}
