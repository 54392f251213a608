/** How a session is started. docs/reference/runtime.md, "Sessions" */
import type { SessionLineage } from "../events/index.ts";
import type { SessionOptions, Settings } from "./session-factory.ts";

/** How a session is started. */
export interface StartOptions extends SessionOptions {
  /** Working directory; default the runtime's. */
  readonly cwd?: string;
  /** 1 to 256 UTF-8 bytes; default `ses_` and 16 hexadecimal digits. */
  readonly sessionId?: string;
  /** Under which name front ends know it, 1 to 256 UTF-8 bytes; default `session:` and its id. */
  readonly sessionKey?: string;
  /** Which agent it is of, 1 to 256 UTF-8 bytes; default none. */
  readonly agentId?: string;
  /** In place of the built system prompt. */
  readonly systemPrompt?: string;
  /** For whom it works. @internal */
  readonly lineage?: Partial<SessionLineage>;
  /** In place of what is configured and said. @internal */
  readonly settings?: Settings;
}
