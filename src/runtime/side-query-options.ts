/** What a side query may be given, and what is wrong with it. docs/reference/side-queries.md, "Asking" */
import { SideQueryError } from "../actors/index.ts";
import { kindOf } from "../errors.ts";
import type { ThinkingLevel } from "../events/index.ts";
import type { SessionOptions } from "./session-factory.ts";

/** How a side query is asked. */
export interface SideQueryOptions {
  /** Milliseconds for all of it, its place in the line included. Default 30,000, at most 120,000. */
  readonly timeoutMs?: number;
  /** `provider/model-id`. Default: the source's, else what is configured. */
  readonly model?: string;
  /** Default: the model's own. */
  readonly thinkingLevel?: ThinkingLevel;
  /** In the place of the source's system prompt. */
  readonly systemPrompt?: string;
  /** Runs of a source that is read from the log, the newest: 1 to 50, default 20. */
  readonly limit?: number;
  /** Cancels it. */
  readonly signal?: AbortSignal;
  /** A script instead of a model: where it came from, and its JSON text. */
  readonly script?: NonNullable<SessionOptions["script"]>;
  /** Files and folders of extensions which may bring the model. */
  readonly extensions?: readonly string[];
}

/** Options with their defaults and bounds. */
export interface ReadOptions {
  readonly timeoutMs: number;
  readonly limit: number;
  readonly model: string | null;
  readonly thinkingLevel: ThinkingLevel | null;
  readonly systemPrompt: string | null;
}

const MAX_QUESTION_BYTES = 32 * 1_024;
const TIMEOUT_MS = { usual: 30_000, most: 120_000 };
const RUNS = { usual: 20, most: 50 };
const LEVELS: readonly unknown[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** The question without blanks around it. @throws SideQueryError `empty_question`, `invalid_question` */
export function readQuestion(question: unknown): string {
  const expected = "text that is not blank, of at most 32 KiB";
  if (typeof question !== "string")
    throw new SideQueryError("invalid_question", { field: "question", expected, got: kindOf(question) });
  const asked = question.trim();
  if (asked === "") throw new SideQueryError("empty_question", { field: "question", expected });
  if (Buffer.byteLength(asked) > MAX_QUESTION_BYTES)
    throw new SideQueryError("invalid_question", { field: "question", expected, got: "more" });
  return asked;
}

/** @throws SideQueryError `query_failed` that names the option */
export function readOptions(options: SideQueryOptions): ReadOptions {
  const { timeoutMs, limit, thinkingLevel = null } = options;
  if (thinkingLevel !== null && !LEVELS.includes(thinkingLevel))
    throw new SideQueryError("query_failed", { field: "thinkingLevel", expected: LEVELS.join(", ") });
  return {
    timeoutMs: within(TIMEOUT_MS, timeoutMs),
    limit: within(RUNS, limit),
    model: textOrNull("model", options.model),
    thinkingLevel,
    systemPrompt: textOrNull("systemPrompt", options.systemPrompt),
  };
}

/** What is no positive whole number is as if nothing had been said. */
function within({ usual, most }: { readonly usual: number; readonly most: number }, said: unknown): number {
  return Number.isInteger(said) && (said as number) > 0 ? Math.min(said as number, most) : usual;
}

function textOrNull(field: string, said: unknown): string | null {
  if (said === undefined || said === null) return null;
  if (typeof said === "string") return said;
  throw new SideQueryError("query_failed", { field, expected: "text", got: kindOf(said) });
}
