/** Whose work a new session is, and by which names it is known. docs/reference/runtime.md, "Sessions" */
import type { SessionLineage } from "../events/index.ts";
import { InvalidOptionsError } from "./errors.ts";

/** Of the names that a caller may give. */
const MAX_NAME_BYTES = 256;

/** What was said of it. */
interface LineageOptions {
  readonly sessionKey?: string;
  readonly agentId?: string;
  readonly systemPrompt?: string;
  readonly lineage?: Partial<SessionLineage>;
}

/** The lineage of a new session. @throws LemonError `LEMON_INVALID_OPTIONS` */
export function lineageOf(
  sessionId: string,
  { sessionKey, agentId, systemPrompt, lineage }: LineageOptions,
): SessionLineage {
  return {
    origin: "session",
    sessionKey: named("sessionKey", sessionKey) ?? `session:${sessionId}`,
    parentSessionId: null,
    parentSessionKey: null,
    agentId: named("agentId", agentId) ?? null,
    depth: 0,
    ownSystemPrompt: systemPrompt !== undefined,
    ...lineage,
  };
}

function named(field: string, name: string | undefined): string | undefined {
  if (name === undefined || (name.trim() !== "" && Buffer.byteLength(name) <= MAX_NAME_BYTES)) return name;
  throw new InvalidOptionsError(field, `text of 1 to ${MAX_NAME_BYTES} bytes`, name);
}
