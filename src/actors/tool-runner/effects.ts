/**
 * What a call's decisions ask of the world: running its tool under deadline and abort, and waiting for an approval.
 */
import type { Fact, FactData, FactOf } from "../../events/index.ts";
import { messageOf } from "../../errors.ts";
import type { Clock, Logger } from "../../ports.ts";
import {
  checkArguments,
  checkResult,
  errorResult,
  taskCrashed,
  taskTimeout,
  ToolDeadlineError,
  toolException,
  ToolFailure,
  unexpectedResult,
  type BuiltInContext,
  type RegisteredTool,
  type ToolRegistry,
  type ToolResult,
  type ToolUpdate,
} from "../../tools/index.ts";
import { endMarked, endProcessGroup } from "../../workspace/index.ts";
import type { Effect, EffectContext, Outcome } from "../effect-runner.ts";
import type { Masker } from "../../secrets/index.ts";
import type { SessionViews } from "../session-views.ts";

/** What running a tool needs. */
export interface ToolEffectParts {
  readonly stream: string;
  readonly views: () => SessionViews;
  /** Data of an input before its secrets were hidden; `null` when there were none or the process is another. */
  readonly unmasked: (version: number) => unknown;
  readonly registry: () => ToolRegistry;
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  readonly mask: Masker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Started = FactOf<"tool_call.started">;

/** Runs the tool of a started call. */
export function toolEffect(parts: ToolEffectParts): Effect<"tool_call.started"> {
  return {
    run: async (fact, context) => {
      const { callId, name } = fact.data;
      const args = argumentsOf(callId, parts);
      if (args === null) return interrupted(callId, "arguments_not_stored");
      const found = parts.registry().find(name)?.entry;
      if (found === undefined) return interrupted(callId, "tool_missing");
      const checked = await checkArguments(found.tool, args);
      if (!checked.ok)
        return returned(callId, errorResult(checked.message, { errorType: checked.errorType }));
      return returned(callId, await execute(found, checked.args, fact, context, parts));
    },
    recover: async (fact) => {
      const { callId, name, idempotent } = fact.data;
      const process = parts.views().session.calls[callId]?.process ?? null;
      const found = parts.registry().find(name)?.entry;
      const gated = found?.tool.gated ?? false;
      if (process !== null) await endProcessGroup(process);
      if (process !== null || gated) await endMarked(markerOf(parts.stream, fact));
      // A gated command begins only after its process is recorded: without that fact it never ran.
      if (idempotent || (gated && process === null)) return "run";
      if (found !== undefined) await tidy(found, callId, parts);
      return interrupted(callId, "process_died");
    },
    failed: (fact, error) =>
      returned(fact.data.callId, taskCrashed(error instanceof Error ? error.message : "internal error")),
  };
}

/** Waits for a person: nothing runs here. After a restart it goes on waiting, unless the call could not run any more. */
export function approvalEffect(parts: ToolEffectParts): Effect<"approval.requested"> {
  return {
    run: null,
    recover: (fact) => {
      const { callId } = fact.data;
      const lostArguments = argumentsOf(callId, parts) === null;
      return Promise.resolve(lostArguments ? interrupted(callId, "arguments_not_stored") : "wait");
    },
    failed: (fact) => interrupted(fact.data.callId, "process_died"),
  };
}

/** The real arguments of a call: from memory when the log has their masked form; `null` when they are lost. */
function argumentsOf(callId: string, parts: ToolEffectParts): Readonly<Record<string, unknown>> | null {
  const call = parts.views().session.calls[callId];
  if (call === undefined) return null;
  if (!call.masked) return call.args ?? {};
  const answer = parts.unmasked(call.answeredAt) as FactData<"model.responded"> | null;
  return answer?.calls.find((unmasked) => unmasked.callId === callId)?.args ?? null;
}

async function execute(
  found: RegisteredTool,
  args: Readonly<Record<string, unknown>>,
  fact: Started,
  { signal, record, live }: EffectContext,
  parts: ToolEffectParts,
): Promise<ToolResult> {
  const { callId } = fact.data;
  const { session } = parts.views();
  const context: BuiltInContext = {
    sessionId: session.sessionId,
    cwd: session.cwd,
    config: {},
    log: parts.logger,
    recordProcess: (process) => record({ type: "tool_call.process_started", data: { callId, ...process } }),
    putBlob: (bytes) => parts.putBlob(parts.mask.bytes(bytes)),
    callMarker: markerOf(parts.stream, fact),
    env: parts.env,
  };
  const { tool } = found;
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  let settled = false;
  const run = async (): Promise<ToolResult> => {
    try {
      const pieces = parts.mask.pieces();
      const onUpdate: ToolUpdate = ({ content }) => {
        if (settled || !isList(content)) return;
        const shown = content.map((block) =>
          block.type === "text" ? { ...block, text: pieces.push(block.text) } : block,
        );
        live({ type: "tool_call_update", callId, content: shown });
      };
      // A built-in tool gets the wider context; what an extension is handed holds nothing of the runtime's own.
      const result: unknown =
        found.source === "builtin"
          ? await found.tool.execute(callId, args, abort.signal, onUpdate, context)
          : await found.tool.execute(
              callId,
              structuredClone(args),
              abort.signal,
              onUpdate,
              publicPart(context),
            );
      const checked = checkResult(result);
      return checked.ok ? checked.result : unexpectedResult(checked.message);
    } catch (error) {
      return error instanceof ToolFailure ? error.result : toolException(error);
    }
  };
  try {
    return await underDeadline(run(), tool.timeoutMs, parts.clock, () =>
      abort.abort(new ToolDeadlineError(tool.timeoutMs)),
    );
  } finally {
    settled = true;
    signal.removeEventListener("abort", onAbort);
  }
}

/** Removes what a call that was cut off left beside its files. Litter is no reason not to go on. */
async function tidy({ source, tool }: RegisteredTool, callId: string, parts: ToolEffectParts): Promise<void> {
  const { session } = parts.views();
  // Masked arguments do as well: a path with a secret in it is not found, and its litter stays.
  const args = session.calls[callId]?.args ?? null;
  if (source !== "builtin" || args === null) return;
  try {
    const checked = await checkArguments(tool, args);
    if (checked.ok) await tool.tidy?.(callId, checked.args, { cwd: session.cwd, env: parts.env });
  } catch (error) {
    parts.logger.warn({ callId, error: messageOf(error) }, "a temporary file may have been left behind");
  }
}

/** The result, or that of a call whose time is up: it is settled at once, whatever its tool goes on doing. */
function underDeadline(
  running: Promise<ToolResult>,
  timeoutMs: number,
  clock: Clock,
  expire: () => void,
): Promise<ToolResult> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return running;
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(timeoutMs, () => {
      resolve(taskTimeout(timeoutMs));
      expire();
    });
    running.finally(cancel).then(resolve, reject);
  });
}

/** A tool may hand over anything, whatever its types say. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function publicPart({
  sessionId,
  cwd,
  config,
  log,
}: BuiltInContext): Pick<BuiltInContext, "sessionId" | "cwd" | "config" | "log"> {
  return { sessionId, cwd, config, log };
}

function returned(
  callId: string,
  { content, details, isError = false, trust = "trusted" }: ToolResult,
): Outcome {
  const errorType = details?.["errorType"];
  return {
    type: "tool_call.returned",
    data: {
      callId,
      isError,
      errorType: isError && typeof errorType === "string" ? errorType : null,
      content: [...content],
      details: details ?? null,
      trust,
    },
  };
}

function interrupted(callId: string, reason: FactData<"tool_call.interrupted">["reason"]): Outcome {
  return { type: "tool_call.interrupted", data: { callId, reason } };
}

function markerOf(stream: string, fact: Fact): string {
  return `${stream}:${fact.version}`;
}
