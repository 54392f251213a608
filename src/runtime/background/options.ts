/** How a background run is asked for. docs/reference/background-runs.md, "Options" */
import path from "node:path";
import type { ThinkingLevel } from "../../events/index.ts";
import { isSessionId } from "../../harness/index.ts";
import { InvalidOptionsError } from "../errors.ts";
import type { SessionOptions } from "../session-factory.ts";

/** Half an hour, and a day, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 1_800_000;
const MAX_TIMEOUT_MS = 86_400_000;
const MAX_NAME_BYTES = 256;

/** What a background run may be told. What is left out comes from the parent, if that is live here, else from the configuration. */
export interface BackgroundRunOptions extends Pick<
  SessionOptions,
  "model" | "script" | "approval" | "toolPolicy" | "extensions"
> {
  /** Where it works; default the parent's, else the runtime's. */
  readonly cwd?: string;
  readonly thinkingLevel?: ThinkingLevel;
  /** In place of the built system prompt. */
  readonly systemPrompt?: string;
  /** The session that asks for it. Its end is not the end of the run. */
  readonly parentSessionId?: string;
  /** Under which key it was asked for, 1 to 256 bytes; default the parent's. For front ends that show each their own. */
  readonly sessionKey?: string;
  /** Milliseconds of work, over all attempts; default 1,800,000, at most 86,400,000, to which more is cut. */
  readonly timeoutMs?: number;
  /** What becomes of it when its process ends: default `[background] on_restart`, which is `resume`. */
  readonly onRestart?: "resume" | "lost";
  /** Which process does it: this one, or one that outlives it. Default `inProcess`; on the command line `detached`. */
  readonly worker?: "inProcess" | "detached";
}

const words = {
  approval: ["auto", "ask", "deny"],
  thinkingLevel: ["off", "minimal", "low", "medium", "high", "xhigh"],
  onRestart: ["resume", "lost"],
  worker: ["inProcess", "detached"],
} as const;

/** @throws InvalidOptionsError naming the first option that is not what it may be */
export function checkOptions(options: BackgroundRunOptions): BackgroundRunOptions & { timeoutMs: number } {
  for (const [field, allowed] of Object.entries(words)) {
    const value: unknown = options[field as keyof typeof words];
    if (value === undefined || (allowed as readonly unknown[]).includes(value)) continue;
    throw new InvalidOptionsError(field, allowed.join(", "), value);
  }
  for (const field of ["cwd", "model", "systemPrompt"] as const) assertText(field, options[field]);
  assertName("sessionKey", options.sessionKey);
  if (options.parentSessionId !== undefined && !isSessionId(options.parentSessionId))
    throw new InvalidOptionsError("parentSessionId", "the id of a session", options.parentSessionId);
  if (options.cwd !== undefined && !path.isAbsolute(options.cwd) && options.cwd.trim() === "")
    throw new InvalidOptionsError("cwd", "the path of a folder", options.cwd);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1)
    throw new InvalidOptionsError("timeoutMs", "a whole number of milliseconds, 1 or more", timeoutMs);
  return { ...options, timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS) };
}

function assertText(field: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string") throw new InvalidOptionsError(field, "text", value);
}

function assertName(field: string, value: unknown): void {
  if (value === undefined) return;
  const isName =
    typeof value === "string" && value.trim() !== "" && Buffer.byteLength(value) <= MAX_NAME_BYTES;
  if (!isName) throw new InvalidOptionsError(field, `text of 1 to ${MAX_NAME_BYTES} bytes`, value);
}
