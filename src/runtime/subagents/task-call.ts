/** A call that works with the tasks of its session. */
import type { Decision } from "../../events/index.ts";

/** A call of a session. */
export interface TaskCall {
  readonly sessionId: string;
  readonly callId: string;
  /** Records a fact of the call; resolves when it is durable. */
  readonly record: (fact: Decision<"subagent.queued" | "subagent.reported">) => Promise<void>;
  /** Stores text with its secrets hidden. @returns its SHA-256 */
  readonly keep: (text: string) => Promise<string>;
}
