/**
 * What a tool handed back, checked once where it enters, and the error results that the runtime itself makes.
 * The rules stand in docs/reference/tools.md, "Results".
 */
import { copyJson, wellFormed } from "./json-copy.ts";
import type { ContentBlock, ToolResult } from "./tool.ts";

/** `message` names the bad field. */
export type ResultOutcome =
  | { readonly ok: true; readonly result: ToolResult }
  | { readonly ok: false; readonly message: string };

/**
 * Checks a returned value and copies it, so that nothing which the tool changes later shows.
 *
 * Half a surrogate pair in a text becomes U+FFFD; `trust` is kept only if it is `"untrusted"`.
 */
export function checkResult(value: unknown): ResultOutcome {
  const copy = copyJson(value, "result");
  if (!copy.ok) return copy;
  const returned = copy.value;
  if (!isRecord(returned)) return refused("the result must be an object with `content`");
  if (!Array.isArray(returned["content"])) return refused("content: must be an array of blocks");
  const content: ContentBlock[] = [];
  for (const [index, block] of returned["content"].entries()) {
    const read = readBlock(block);
    if (typeof read === "string") return refused(`content.${index}${read}`);
    content.push(read);
  }
  const { details, isError, trust } = returned;
  if (details !== undefined && details !== null && !isRecord(details))
    return refused("details: must be an object");
  if (isError !== undefined && isError !== null && typeof isError !== "boolean")
    return refused("isError: must be a boolean");
  return {
    ok: true,
    result: {
      content,
      ...(isRecord(details) ? { details } : {}),
      ...(isError === true ? { isError } : {}),
      ...(trust === "untrusted" ? { trust } : {}),
    },
  };
}

function readBlock(block: unknown): ContentBlock | string {
  if (!isRecord(block)) return ": must be a block";
  const { type, text, data, mimeType } = block;
  if (type === "text") return typeof text === "string" ? { type, text } : ".text: must be a string";
  if (type !== "image") return '.type: must be "text" or "image"';
  if (typeof mimeType !== "string" || mimeType === "") return ".mimeType: must be a string";
  if (typeof data !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return ".data: must be base64";
  return { type, data, mimeType };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** A result of one text. */
export function textResult(text: string, details?: Readonly<Record<string, unknown>>): ToolResult {
  return {
    content: [{ type: "text", text: wellFormed(text) }],
    ...(details === undefined ? {} : { details }),
  };
}

/** An error result of one text; `details` usually hold an `errorType`. */
export function errorResult(text: string, details?: Readonly<Record<string, unknown>>): ToolResult {
  return { ...textResult(text, details), isError: true };
}

/** No tool has this name. */
export function unknownTool(name: string): ToolResult {
  return errorResult(`Tool ${name} not found`, { errorType: "unknown_tool", toolName: wellFormed(name) });
}

/** The tool threw `error`. Its message and the name of its class are shown, its stack never. */
export function toolException(error: unknown): ToolResult {
  const isError = error instanceof Error;
  const message = isError ? error.message : String(error);
  return errorResult(message === "" ? "The tool failed without a message" : message, {
    errorType: "tool_exception",
    exception: isError ? wellFormed(error.name) : typeof error,
  });
}

/** The tool returned something that is no result; `message` from {@link checkResult}. */
export function unexpectedResult(message: string): ToolResult {
  return errorResult(`Unexpected tool result: ${message}`, { errorType: "unexpected_tool_result" });
}

/** What ran the tool ended before the tool did. */
export function taskCrashed(reason: string): ToolResult {
  return errorResult(`Tool task crashed: ${reason}`, { errorType: "tool_task_crashed" });
}

/** The call ran over its deadline. */
export function taskTimeout(timeoutMs: number): ToolResult {
  return errorResult(`Tool task timed out after ${timeoutMs}ms`, {
    errorType: "tool_task_timeout",
    timeoutMs,
  });
}

/** The run was aborted. Nothing but the type stands in the details. */
export function aborted(): ToolResult {
  return errorResult("Tool execution aborted", { errorType: "aborted" });
}

/** What ran the tool could not begin: it is no longer there, or never answered. */
export function taskStartFailed(reason: string): ToolResult {
  return errorResult(`Tool task failed to start: ${reason}`, { errorType: "tool_task_start_failed" });
}

/** The extension of the tool ended too often and is not asked any more. */
export function extensionQuarantined(module: string, reason: string): ToolResult {
  return errorResult(`Extension ${module} is quarantined: ${reason}`, { errorType: "extension_quarantined" });
}

/** Thrown by what stands between the runtime and a tool: the call's result is `result`, and the tool has no say in it. */
export class ToolFailure extends Error {
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    const [block] = result.content;
    super(block?.type === "text" ? block.text : "the tool could not be run");
    this.name = "ToolFailure";
    this.result = result;
  }
}

/** The `reason` of a call's signal when its own deadline ended it, and not the user. */
export class ToolDeadlineError extends Error {
  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs}ms`);
    this.name = "ToolDeadlineError";
  }
}
