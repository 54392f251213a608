/**
 * What programs that watch the runtime can subscribe to on `node:diagnostics_channel`: names, hashes and numbers,
 * never arguments, ids, paths or texts. docs/reference/telemetry.md
 */
import { channel, type Channel } from "node:diagnostics_channel";
import type { Clock } from "../ports.ts";
import { hash16 } from "./hash16.ts";
import { ToolDeadlineError, ToolFailure } from "./result.ts";
import type { ToolResult } from "./tool.ts";

/** One call of a tool that somebody added. */
export type ObservedCall = {
  readonly toolName: string;
  readonly callId: string;
  readonly clock: Pick<Clock, "monotonic">;
  /** The call's own: a tool that goes on after it was told to stop counts as stopped when it was told. */
  readonly signal?: AbortSignal;
} & (
  | { readonly host: "node"; readonly module: string }
  /** `path` of the plugin. */
  | { readonly host: "wasm"; readonly path: string | null }
);

/** How a call ended without a result. */
export type ExceptionKind = "error" | "timeout" | "aborted" | "exit";

interface ToolChannels {
  readonly start: Channel;
  readonly stop: Channel;
  readonly exception: Channel;
}

// A channel lives as long as somebody holds it, and subscribers find it by its name.
const channels: Readonly<Record<ObservedCall["host"], ToolChannels>> = {
  node: toolChannels("coding_agent.extension.tool"),
  wasm: toolChannels("coding_agent.wasm.tool"),
};
const nameNormalized = channel("coding_agent.tool_call.name_normalized");

/**
 * Runs a tool and tells of it: exactly one start, then exactly one stop or exception.
 *
 * Without subscribers at the start nothing is measured, hashed or published, also not later in the call.
 */
export function observeExtensionTool(
  call: ObservedCall,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { start, stop, exception } = channels[call.host];
  const isWatched = start.hasSubscribers || stop.hasSubscribers || exception.hasSubscribers;
  return isWatched ? observe(call, run) : run();
}

/** Tells that a tool was found only after the white space in its name was mended. */
export function publishNameNormalized(originalName: string, matchedToolName: string): void {
  if (!nameNormalized.hasSubscribers) return;
  nameNormalized.publish({ measurements: { count: 1 }, metadata: { originalName, matchedToolName } });
}

function toolChannels(prefix: string): ToolChannels {
  return {
    start: channel(`${prefix}.start`),
    stop: channel(`${prefix}.stop`),
    exception: channel(`${prefix}.exception`),
  };
}

async function observe(call: ObservedCall, run: () => Promise<ToolResult>): Promise<ToolResult> {
  const { clock, host, signal } = call;
  const metadata = {
    host,
    toolName: call.toolName,
    ...(call.host === "node" ? { extensionHash: hash16(call.module) } : { wasmPathHash: hash16(call.path) }),
    toolCallHash: hash16(call.callId),
  };
  const startedAt = clock.monotonic();
  let isOver = false;
  const end = (of: "stop" | "exception", outcome: object): void => {
    if (isOver) return;
    isOver = true;
    const durationUs = Math.max(0, Math.round((clock.monotonic() - startedAt) * 1_000));
    channels[host][of].publish({
      measurements: { count: 1, durationUs },
      metadata: { ...metadata, ...outcome },
    });
  };
  const onAbort = (): void => end("exception", describeFailure(signal?.reason, "aborted"));

  channels[host].start.publish({ measurements: { count: 1 }, metadata });
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    const result = await run();
    end("stop", { status: isErrorResult(result) ? "error" : "ok" });
    return result;
  } catch (error) {
    end("exception", describeFailure(error, "error"));
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A tool may hand over anything, also what can't be looked at: whoever checks the result says so. */
function isErrorResult(result: unknown): boolean {
  try {
    return (result as ToolResult).isError === true;
  } catch {
    return false;
  }
}

function describeFailure(
  error: unknown,
  otherwise: ExceptionKind,
): { readonly kind: ExceptionKind; readonly errorType: string | null } {
  return { kind: kindOfFailure(error) ?? otherwise, errorType: errorTypeOf(error) };
}

function kindOfFailure(error: unknown): ExceptionKind | null {
  if (error instanceof ToolDeadlineError) return "timeout";
  if (!(error instanceof ToolFailure)) return errorTypeOf(error) === "AbortError" ? "aborted" : null;
  switch (error.result.details?.["errorType"]) {
    case "tool_task_timeout":
      return "timeout";
    case "aborted":
      return "aborted";
    case "tool_task_crashed":
    case "tool_task_start_failed":
      return "exit";
    default:
      return "error";
  }
}

/** The name of the error's class; a hash of anything that is no such name, since its text could be anything. */
function errorTypeOf(error: unknown): string | null {
  const text = textOf(error);
  if (text === null) return null;
  return error instanceof Error && /^[A-Za-z_$][\w$]{0,63}$/.test(text) ? text : hash16(text);
}

/** `null` for what refuses to be looked at: an author's class may have getters that throw. */
function textOf(error: unknown): string | null {
  try {
    return String(error instanceof Error ? error.name : error);
  } catch {
    return null;
  }
}
