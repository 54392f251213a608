import { once } from "node:events";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { Callable, Reply } from "./call.ts";
import { type Child, exitLatch } from "./child.ts";
import { toError } from "./errors.ts";

/** How a thread is started: `Worker`'s own options, and when it counts as started. */
export interface ThreadChildOptions extends WorkerOptions {
  /** Wait until the worker has posted `{ type: "ready" }`. Default false: until it is online. */
  readonly awaitReady?: boolean;
  /** Every other message of this thread; none comes after its end. */
  readonly onMessage?: (message: unknown) => void;
}

/** A worker thread owned by a supervisor. */
export interface ThreadChild extends Child, Callable {
  readonly threadId: number;
  /** Posts a message to the thread. */
  send(message: unknown): void;
}

/**
 * Runs a file in a worker thread as a child. A kill really ends it, a synchronous loop included.
 *
 * It ends `normal` when its exit code is 0, `crash` when it throws or leaves with another code. A request to shut down
 * posts `{ type: "shutdown", detail }`; a worker that does not end by itself is killed at its deadline. A call posts
 * `{ type: "call", callId, request }` and is answered by `{ type: "reply", callId, value }` or `{ …, error }`.
 * Native code that runs delays even a kill until it returns.
 *
 * @throws what the worker throws before it has started, or an error that it ended first
 */
export async function threadChild(
  file: string | URL,
  options: ThreadChildOptions = {},
): Promise<ThreadChild> {
  const { awaitReady = false, onMessage, ...workerOptions } = options;
  const worker = new Worker(file, workerOptions);
  const latch = exitLatch();
  const calls = new Map<number, Reply>();
  const ready = deferred();
  let isKilled = false;
  let failure: { readonly detail: unknown } | undefined;
  let wasAsked: { readonly detail?: unknown } | undefined;
  worker.on("message", (message: unknown) => {
    if (isKilled) return; // a message that was under way when the kill came is late
    if (isMessage(message, "ready")) return ready.resolve();
    if (isMessage(message, "reply")) return settleCall(calls, message);
    onMessage?.(message);
  });
  worker.on("error", (error) => (failure ??= { detail: error }));
  worker.on("messageerror", (error) => (failure ??= { detail: error }));
  worker.once("exit", (code) => {
    if (isKilled) latch.settle({ kind: "killed" });
    else if (failure !== undefined) latch.settle({ kind: "crash", ...failure });
    else if (code !== 0)
      latch.settle({ kind: "crash", detail: new Error(`the thread ended with exit code ${code}`) });
    else latch.settle(wasAsked === undefined ? { kind: "normal" } : { kind: "shutdown", ...wasAsked });
    calls.clear(); // their callers hear of the exit by their monitors
  });
  const started = awaitReady ? ready.promise : once(worker, "online");
  const early = await Promise.race([started.then(() => undefined), latch.exited]);
  if (early !== undefined && (early.kind === "crash" || awaitReady)) {
    throw toError(early.detail ?? `the thread ended (${early.kind}) before it was ready`);
  }
  let callCount = 0;
  return {
    exited: latch.exited,
    threadId: worker.threadId,
    send: (message) => worker.postMessage(message),
    deliverCall(request, reply) {
      callCount += 1;
      calls.set(callCount, reply);
      worker.postMessage({ type: "call", callId: callCount, request });
      const callId = callCount;
      return () => calls.delete(callId);
    },
    shutdown({ detail }) {
      wasAsked = detail === undefined ? {} : { detail };
      worker.postMessage({ type: "shutdown", ...(typeof detail === "string" ? { detail } : {}) });
    },
    kill() {
      isKilled = true;
      void worker.terminate(); // its end is told by the event `exit`; the promise never rejects
    },
  };
}

function settleCall(calls: Map<number, Reply>, message: object): void {
  const { callId, value, error } = message as { callId?: unknown; value?: unknown; error?: unknown }; // unknown, checked by use
  const reply = typeof callId === "number" ? calls.get(callId) : undefined;
  if (reply === undefined) return; // a late reply: its caller has gone
  calls.delete(callId as number); // it was found by this key
  if (error === undefined) reply.answer(value);
  else reply.refuse(toError(error));
}

function isMessage(message: unknown, type: string): message is object {
  return typeof message === "object" && message !== null && "type" in message && message.type === type;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
