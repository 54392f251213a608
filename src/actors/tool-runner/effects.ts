/**
 * What a call's decisions ask of the world: running its tool under deadline and abort, and waiting for an approval.
 */
import type { Fact, FactData, FactOf, SessionMode } from "../../events/index.ts";
import { messageOf } from "../../errors.ts";
import type { Clock, Ids, Logger } from "../../ports.ts";
import {
  checkArguments,
  checkResult,
  errorResult,
  observeExtensionTool,
  taskCrashed,
  taskTimeout,
  ToolDeadlineError,
  toolException,
  ToolFailure,
  unexpectedResult,
  type BuiltInContext,
  type ExtensionControl,
  type RegisteredTool,
  type TodoControl,
  type ToolRegistry,
  type ToolResult,
  type ToolUpdate,
} from "../../tools/index.ts";
import { endMarked, endProcessGroup } from "../../workspace/index.ts";
import type { Effect, EffectContext, Outcome } from "../effect-runner.ts";
import type { Masker, RestorableSecrets } from "../../secrets/index.ts";
import { planRefusal } from "../session/plan.ts";
import type { SessionViews } from "../session-views.ts";
import { realArguments, usableArguments } from "./call-arguments.ts";

/** What running a tool needs. */
export interface ToolEffectParts {
  readonly stream: string;
  readonly views: () => SessionViews;
  /** Data of an input before its secrets were hidden; `null` when there were none or the process is another. */
  readonly unmasked: (version: number) => unknown;
  /** Those that placeholders in arguments stand for. */
  readonly secrets: RestorableSecrets;
  readonly registry: (mode: SessionMode) => ToolRegistry;
  readonly extensions: ExtensionControl;
  /** What the tool of todos may do for a call that runs. */
  readonly todos: (callId: string, record: EffectContext["record"]) => TodoControl;
  /** Resolves once the hooks of every fact so far have run. */
  readonly settled: () => Promise<void>;
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  readonly mask: Masker;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Started = FactOf<"tool_call.started">;

/** Runs the tool of a started call. */
export function toolEffect(parts: ToolEffectParts): Effect<"tool_call.started"> {
  return {
    run: async (fact, context) => {
      await parts.settled();
      const { callId, name, mode } = fact.data;
      const real = realArguments(callId, parts);
      if (real === null) return interrupted(callId, "arguments_not_stored");
      const found = parts.registry(mode).find(name)?.entry;
      if (found === undefined)
        return mode === "plan" ? notInPlan(callId, name) : interrupted(callId, "tool_missing");
      const checked = await usableArguments(found.tool, real, parts.secrets);
      if (!checked.ok)
        return returned(callId, errorResult(checked.message, { errorType: checked.errorType }));
      const { result, isThrown } = await execute(found, checked.args, fact, context, parts);
      return returned(callId, result, isThrown);
    },
    recover: async (fact) => {
      const { callId, name, idempotent, mode } = fact.data;
      const process = parts.views().session.calls[callId]?.process ?? null;
      const found = parts.registry(mode).find(name)?.entry;
      const gated = found?.tool.gated ?? false;
      if (process !== null) await endProcessGroup(process);
      if (process !== null || gated) await endMarked(markerOf(parts.stream, fact));
      // A gated command begins only after its process is recorded: without that fact it never ran.
      if (idempotent || (gated && process === null)) return "run";
      if (found !== undefined) await tidy(found, callId, parts);
      return interrupted(callId, "process_died");
    },
    failed: (fact, error) =>
      returned(
        fact.data.callId,
        taskCrashed(error instanceof Error ? error.message : "internal error"),
        true,
      ),
  };
}

/** Waits for a person: nothing runs here. After a restart it goes on waiting, unless the call could not run any more. */
export function approvalEffect(parts: ToolEffectParts): Effect<"approval.requested"> {
  return {
    run: null,
    recover: (fact) => {
      const { callId } = fact.data;
      const lostArguments = realArguments(callId, parts) === null;
      return Promise.resolve(lostArguments ? interrupted(callId, "arguments_not_stored") : "wait");
    },
    failed: (fact) => interrupted(fact.data.callId, "process_died"),
  };
}

/** A result, and whether it stands for an exception or a crash. */
interface Executed {
  readonly result: ToolResult;
  readonly isThrown: boolean;
}

async function execute(
  found: RegisteredTool,
  args: Readonly<Record<string, unknown>>,
  fact: Started,
  { signal, record, live }: EffectContext,
  parts: ToolEffectParts,
): Promise<Executed> {
  const { callId } = fact.data;
  const { session } = parts.views();
  const context: BuiltInContext = {
    sessionId: session.sessionId,
    cwd: session.cwd,
    config: {},
    log: parts.logger,
    recordProcess: (process) => record({ type: "tool_call.process_started", data: { callId, ...process } }),
    putBlob: (bytes) => parts.putBlob(parts.mask.bytes(bytes)),
    proposePlan: async (plan) => {
      await record({ type: "plan.proposed", data: { callId, planId: parts.ids("plan"), plan } });
    },
    callMarker: markerOf(parts.stream, fact),
    extensions: parts.extensions,
    todos: parts.todos(callId, record),
    env: parts.env,
  };
  const { tool } = found;
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  let settled = false;
  const run = async (): Promise<Executed> => {
    try {
      const pieces = parts.mask.pieces();
      const onUpdate: ToolUpdate = ({ content }) => {
        if (settled || !isList(content)) return;
        const shown = content.map((block) =>
          block.type === "text" ? { ...block, text: pieces.push(block.text) } : parts.mask.json({ ...block }),
        );
        live({ type: "tool_call_update", callId, content: shown });
      };
      const result: unknown = await executed(
        found,
        { callId, args, signal: abort.signal, onUpdate, context },
        parts,
      );
      const checked = checkResult(result);
      if (checked.ok) return { result: checked.result, isThrown: false };
      return { result: unexpectedResult(checked.message), isThrown: true };
    } catch (error) {
      return { result: error instanceof ToolFailure ? error.result : toolException(error), isThrown: true };
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

interface ToolCall {
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onUpdate: ToolUpdate;
  readonly context: BuiltInContext;
}

/** A built-in tool gets the wider context; what any other is handed holds nothing of the runtime's own. */
function executed(
  { source, tool }: RegisteredTool,
  { callId, args, signal, onUpdate, context }: ToolCall,
  { clock }: ToolEffectParts,
): Promise<ToolResult> {
  if (source === "builtin") return tool.execute(callId, args, signal, onUpdate, context);
  const run = (): Promise<ToolResult> =>
    tool.execute(callId, structuredClone(args), signal, onUpdate, publicPart(context));
  const module = typeof source === "string" ? source : source.id;
  return observeExtensionTool({ host: "node", module, toolName: tool.name, callId, clock, signal }, run);
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
  running: Promise<Executed>,
  timeoutMs: number,
  clock: Clock,
  expire: () => void,
): Promise<Executed> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return running;
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(timeoutMs, () => {
      resolve({ result: taskTimeout(timeoutMs), isThrown: true });
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
  isThrown = false,
): Outcome {
  const errorType = details?.["errorType"];
  return {
    type: "tool_call.returned",
    data: {
      callId,
      isError,
      errorType: isError && typeof errorType === "string" ? errorType : null,
      isThrown,
      content: [...content],
      details: details ?? null,
      trust,
      receipt: null,
    },
  };
}

/** Plan mode has a tool of this name, and this session has not: a tool of its own stood in its place. */
function notInPlan(callId: string, name: string): Outcome {
  const { message, errorType } = planRefusal(name);
  return returned(callId, errorResult(message, { errorType }));
}

function interrupted(callId: string, reason: FactData<"tool_call.interrupted">["reason"]): Outcome {
  return { type: "tool_call.interrupted", data: { callId, reason, receipt: null } };
}

function markerOf(stream: string, fact: Fact): string {
  return `${stream}:${fact.version}`;
}
