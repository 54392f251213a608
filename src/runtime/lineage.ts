/** Whose work a new session is, and by which names it is known. docs/reference/runtime.md, "Sessions" */
import type { FactData, SessionLineage } from "../events/index.ts";
import type { SessionView } from "../projections/index.ts";
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

/** What the work that a session asks for takes over from it. */
export interface Inheritance {
  readonly cwd: string;
  readonly settings: FactData<"session.configured">;
  /** `null`: the built one. */
  readonly systemPrompt: string | null;
  readonly sessionKey: string;
  readonly agentId: string | null;
}

/** What a session hands down. */
export function inheritanceOf({ cwd, settings, systemPrompt, lineage }: SessionView): Inheritance {
  const { sessionKey, agentId, ownSystemPrompt } = lineage;
  return { cwd, settings, systemPrompt: ownSystemPrompt ? systemPrompt : null, sessionKey, agentId };
}
