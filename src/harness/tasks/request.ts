/** What a call may ask of tasks, checked. Pure. docs/reference/subagents.md, "Parameters" */
import { kindOf } from "../../errors.ts";
import { TaskError } from "./errors.ts";

/** Milliseconds when nothing is said, and at most. */
const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_TIMEOUT_MS = 3_600_000;
/** Of a prompt, in UTF-8. */
const MAX_PROMPT_BYTES = 256 * 1024;
/** Characters of the prompt that stand for a description. */
const DESCRIPTION_CHARACTERS = 80;

type Given = Readonly<Record<string, unknown>>;

/** A task that is to be given to a subagent. */
export interface TaskRequest {
  readonly prompt: string;
  readonly description: string;
  readonly role: string | null;
  readonly isAsync: boolean;
  readonly timeoutMs: number;
}

/** Which tasks are waited for, and for how long. */
export interface JoinRequest {
  readonly taskIds: readonly string[];
  readonly mode: "wait_all" | "wait_any";
  readonly timeoutMs: number;
}

/** @throws TaskError `empty_prompt`, `invalid_prompt`, `invalid_options`, `invalid_role` */
export function taskRequest(given: Given): TaskRequest {
  const prompt = promptOf(given["prompt"]);
  const role = optionalText(given, "role", "invalid_role");
  const description = optionalText(given, "description", "invalid_options") ?? shortened(prompt);
  const { async: isAsync = true } = given;
  if (isAsync !== null && typeof isAsync !== "boolean") throw invalid("async", "true or false", isAsync);
  return { prompt, description, role, isAsync: isAsync ?? true, timeoutMs: timeoutOf(given["timeoutMs"]) };
}

/** @throws TaskError `missing_task_id`, `invalid_options` */
export function joinRequest(given: Given): JoinRequest {
  const taskIds = taskIdsOf(given);
  if (taskIds.length === 0) throw missing("taskIds");
  const { mode = "wait_all" } = given;
  if (mode !== "wait_all" && mode !== "wait_any") throw invalid("mode", "wait_all or wait_any", mode);
  return { taskIds, mode, timeoutMs: timeoutOf(given["timeoutMs"]) };
}

/** The tasks that are named, each once, in their order. @throws TaskError `invalid_options` */
export function taskIdsOf({ taskId, taskIds }: Given): readonly string[] {
  if (taskIds !== undefined && taskIds !== null && !isTexts(taskIds))
    throw invalid("taskIds", "a list of ids", taskIds);
  if (taskId !== undefined && taskId !== null && typeof taskId !== "string")
    throw invalid("taskId", "the id of a task", taskId);
  return [...new Set([...(typeof taskId === "string" ? [taskId] : []), ...(taskIds ?? [])])];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

/** The one task that is meant. @throws TaskError `missing_task_id`, `invalid_options` */
export function taskIdOf(given: Given): string {
  const [id, ...others] = taskIdsOf(given);
  if (id === undefined || others.length > 0) throw missing("taskId");
  return id;
}

function promptOf(prompt: unknown): string {
  if (prompt === undefined || prompt === null) throw empty();
  const expected = `text of at most ${MAX_PROMPT_BYTES} bytes`;
  if (typeof prompt !== "string" || Buffer.byteLength(prompt) > MAX_PROMPT_BYTES) {
    const got = typeof prompt === "string" ? "a longer text" : kindOf(prompt);
    throw new TaskError("invalid_prompt", `prompt: expected ${expected}, got ${got}`, {
      field: "/prompt",
      expected,
      got,
    });
  }
  const trimmed = prompt.trim();
  if (trimmed === "") throw empty();
  return trimmed;
}

function empty(): TaskError {
  const expected = "text that is not blank";
  return new TaskError("empty_prompt", `prompt: expected ${expected}`, { field: "/prompt", expected });
}

function optionalText(given: Given, name: string, reason: "invalid_role" | "invalid_options"): string | null {
  const value = given[name] ?? null;
  if (value === null) return null;
  if (typeof value !== "string") throw invalid(name, "text", value, reason);
  return value.trim() === "" ? null : value.trim();
}

function timeoutOf(timeoutMs: unknown): number {
  if (timeoutMs === undefined || timeoutMs === null) return DEFAULT_TIMEOUT_MS;
  if (typeof timeoutMs !== "number" || !Number.isInteger(timeoutMs) || timeoutMs < 1)
    throw invalid("timeoutMs", "a whole number of milliseconds, 1 or more", timeoutMs);
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}

/** Cut between two characters. */
function shortened(prompt: string): string {
  return Array.from(prompt).slice(0, DESCRIPTION_CHARACTERS).join("");
}

function invalid(
  name: string,
  expected: string,
  got: unknown,
  reason: "invalid_role" | "invalid_options" = "invalid_options",
): TaskError {
  const kind = kindOf(got);
  return new TaskError(reason, `${name}: expected ${expected}, got ${kind}`, {
    field: `/${name}`,
    expected,
    got: kind,
  });
}

function missing(name: "taskId" | "taskIds"): TaskError {
  const expected = name === "taskId" ? "the id of one task" : "the ids of tasks";
  return new TaskError("missing_task_id", `${name}: expected ${expected}`, { field: `/${name}`, expected });
}
