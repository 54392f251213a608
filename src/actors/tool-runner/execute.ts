/** Runs the tool of a call under deadline and abort, and takes down what it changed. */
import type { FactOf } from "../../events/index.ts";
import { CallChanges, type Receipt } from "../../harness/index.ts";
import type { Clock } from "../../ports.ts";
import {
  aborted,
  checkResult,
  observeExtensionTool,
  taskTimeout,
  ToolDeadlineError,
  toolException,
  ToolFailure,
  unexpectedResult,
  type BuiltInContext,
  type RegisteredTool,
  type ToolResult,
  type ToolUpdate,
} from "../../tools/index.ts";
import { isCommandRunning } from "../../workspace/index.ts";
import type { EffectContext, Outcome } from "../effect-runner.ts";
import type { ToolEffectParts } from "./tool-parts.ts";
import { markerOf, receiptAfterEnd, returned, type Executed } from "./outcomes.ts";

/** Milliseconds that a tool gets to end once it is told to; then what it changed so far is taken down. */
const LINGER_MS = 2_000;

/** A call on its way. */
export interface RunningCall {
  readonly found: RegisteredTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly fact: FactOf<"tool_call.started">;
  readonly effect: EffectContext;
  /** It ran already when its process died, and is run again. */
  readonly isAgain: boolean;
}

/** Runs it. The outcome has the receipt, but for a call whose time is up: there it follows when the tool has ended. */
export async function execute(call: RunningCall, parts: ToolEffectParts): Promise<Outcome> {
  const { found, fact, effect } = call;
  const { callId } = fact.data;
  const { timeoutMs } = found.tool;
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(effect.signal.reason);
  effect.signal.addEventListener("abort", onAbort);
  if (effect.signal.aborted) onAbort();
  const changes = changesOf(call, abort.signal, parts);
  try {
    await changes.open();
  } catch (error) {
    effect.signal.removeEventListener("abort", onAbort);
    return returned(callId, failure(error));
  }
  try {
    const running = run(call, changes, abort.signal, parts);
    const limits = { timeoutMs, signal: effect.signal, isForeign: isForeign(call) };
    const end = await endOf(running, limits, parts.clock);
    if (end !== "expired") return await settle(call, end, changes, parts);
    abort.abort(new ToolDeadlineError(timeoutMs));
    parts.receipts.add(follow(call, running, changes, parts));
    return returned(callId, { result: taskTimeout(timeoutMs), isThrown: true });
  } finally {
    effect.signal.removeEventListener("abort", onAbort);
  }
}

function changesOf(
  { found, fact, effect, isAgain }: RunningCall,
  signal: AbortSignal,
  parts: ToolEffectParts,
): CallChanges {
  const { session } = parts.views();
  const call = {
    sessionId: session.sessionId,
    callId: fact.data.callId,
    tool: found.tool.name,
    runId: session.run?.runId ?? null,
    cwd: session.cwd,
    marker: markerOf(parts.stream, fact),
    signal,
    isGuarded: parts.isGuarded,
    isScanned: isScanned(found),
    isAgain,
    record: effect.record,
  };
  return new CallChanges(call, parts.changes);
}

/** Whether a tool may change files that nobody but a look at the workspace can tell. */
export function isScanned({ source, tool }: RegisteredTool): boolean {
  return source === "builtin" ? tool.scanned === true : !tool.readOnly;
}

/** Never rejects. */
async function run(
  call: RunningCall,
  changes: CallChanges,
  signal: AbortSignal,
  parts: ToolEffectParts,
): Promise<Executed> {
  const { fact, effect } = call;
  const { callId } = fact.data;
  const pieces = parts.mask.pieces();
  let isOver = false;
  const onUpdate: ToolUpdate = ({ content }) => {
    if (isOver || signal.aborted || !isList(content)) return;
    const shown = content.map((block) =>
      block.type === "text" ? { ...block, text: pieces.push(block.text) } : parts.mask.json({ ...block }),
    );
    effect.live({ type: "tool_call_update", callId, content: shown });
  };
  try {
    const context = contextOf(call, changes, parts);
    const checked = checkResult(await executed(call, { signal, onUpdate, context }, parts));
    if (checked.ok) return { result: checked.result, isThrown: false };
    return { result: unexpectedResult(checked.message), isThrown: true };
  } catch (error) {
    return failure(error);
  } finally {
    isOver = true;
  }
}

function failure(error: unknown): Executed {
  return { result: error instanceof ToolFailure ? error.result : toolException(error), isThrown: true };
}

function contextOf(
  { fact, effect }: RunningCall,
  changes: CallChanges,
  parts: ToolEffectParts,
): BuiltInContext {
  const { callId } = fact.data;
  const { session } = parts.views();
  return {
    sessionId: session.sessionId,
    cwd: session.cwd,
    config: {},
    log: parts.logger,
    recordProcess: (process) =>
      effect.record({ type: "tool_call.process_started", data: { callId, ...process } }),
    putBlob: (bytes) => parts.putBlob(parts.mask.bytes(bytes)),
    proposePlan: async (plan) => {
      await effect.record({ type: "plan.proposed", data: { callId, planId: parts.ids("plan"), plan } });
    },
    callMarker: markerOf(parts.stream, fact),
    extensions: parts.extensions,
    files: changes.files,
    todos: parts.todos(callId, effect.record),
    checkpoints: parts.checkpoints(callId, effect.record),
    tasks: parts.tasks(callId, effect.record),
    env: parts.env,
  };
}

interface ToolSide {
  readonly signal: AbortSignal;
  readonly onUpdate: ToolUpdate;
  readonly context: BuiltInContext;
}

/** A built-in tool gets the wider context; what any other is handed holds nothing of the runtime's own. */
function executed(
  { found: { source, tool }, args, fact }: RunningCall,
  { signal, onUpdate, context }: ToolSide,
  { clock }: ToolEffectParts,
): Promise<ToolResult> {
  const { callId } = fact.data;
  if (source === "builtin") return tool.execute(callId, args, signal, onUpdate, context);
  const { sessionId, cwd, config, log } = context;
  const run = (): Promise<ToolResult> =>
    tool.execute(callId, structuredClone(args), signal, onUpdate, { sessionId, cwd, config, log });
  const module = typeof source === "string" ? source : source.id;
  return observeExtensionTool({ host: "node", module, toolName: tool.name, callId, clock, signal }, run);
}

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly isForeign: boolean;
}

/**
 * What a tool came to. `expired`: its time is up, and its call is settled at once whatever it goes on doing.
 * `abandoned`: it was told to stop and does not.
 */
function endOf(
  running: Promise<Executed>,
  { timeoutMs, signal, isForeign }: Limits,
  clock: Clock,
): Promise<Executed | "expired" | "abandoned"> {
  return new Promise((resolve) => {
    const cancels: (() => void)[] = [];
    const onAbort = (): void => {
      // Our own tools stop at once, or have to be waited for: a file must not be half of what it should be.
      if (isForeign) cancels.push(clock.setTimer(LINGER_MS, () => end("abandoned")));
    };
    const end = (value: Executed | "expired" | "abandoned"): void => {
      for (const cancel of cancels) cancel();
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    };
    if (timeoutMs !== Number.POSITIVE_INFINITY) cancels.push(clock.setTimer(timeoutMs, () => end("expired")));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void running.then(end);
  });
}

/** The outcome of a call whose tool has ended, or is not waited for any longer. */
async function settle(
  call: RunningCall,
  end: Executed | "abandoned",
  changes: CallChanges,
  parts: ToolEffectParts,
): Promise<Outcome> {
  const { callId } = call.fact.data;
  const executed = end === "abandoned" ? { result: aborted(), isThrown: true } : end;
  // Nothing is recorded any more: what it changed is found when the session goes on.
  if (parts.isClosed()) return returned(callId, executed);
  const isError = executed.result.isError === true;
  const goesOn = (isForeign(call) && call.effect.signal.aborted) || (await isLeftRunning(call, parts));
  const receipt = await changes.close({ isError, goesOn });
  if (!hasEnded(callId, parts)) return returned(callId, executed, receipt);
  await record(call, receipt, parts);
  return returned(callId, executed);
}

/** Records the receipt of a call that has its result already. */
async function follow(
  call: RunningCall,
  running: Promise<Executed>,
  changes: CallChanges,
  parts: ToolEffectParts,
): Promise<void> {
  await endedWithin(running, LINGER_MS, parts.clock);
  const goesOn = isForeign(call) || (await isLeftRunning(call, parts));
  await record(call, await changes.close({ isError: true, goesOn }), parts);
}

function endedWithin(running: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(timeoutMs, resolve);
    void running.then(() => {
      cancel();
      resolve();
    });
  });
}

/** Of such a tool nobody knows that it has stopped because it was told to: its promise may end before its work does. */
function isForeign({ found }: RunningCall): boolean {
  return found.source !== "builtin";
}

async function record(
  { fact, effect }: RunningCall,
  receipt: Receipt | null,
  parts: ToolEffectParts,
): Promise<void> {
  if (receipt === null || parts.isClosed()) return;
  await effect.record(receiptAfterEnd(fact.data.callId, receipt));
}

/** Whether the call was settled while its tool went on. */
function hasEnded(callId: string, parts: ToolEffectParts): boolean {
  return parts.views().session.calls[callId]?.state !== "running";
}

async function isLeftRunning({ found, fact }: RunningCall, parts: ToolEffectParts): Promise<boolean> {
  if (found.tool.scanned !== true) return false;
  const { process = null } = parts.views().session.calls[fact.data.callId] ?? {};
  return isCommandRunning(process, markerOf(parts.stream, fact));
}

/** A tool may hand over anything, whatever its types say. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}
