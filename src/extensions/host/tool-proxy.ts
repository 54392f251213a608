/** A tool of an extension, as the runtime calls it: its function is in a worker. */
import {
  extensionQuarantined,
  type Tool,
  taskCrashed,
  taskStartFailed,
  ToolFailure,
  type ToolResult,
  unexpectedResult,
} from "../../tools/index.ts";
import { maxUpdatesUnread, slotAt } from "../worker/shared-memory.ts";
import type { Caller, NoWorker } from "./caller.ts";
import type { ToolHead } from "./collected.ts";
import type { WorkerInstance } from "./instance.ts";
import { readThrown, thrownError } from "./thrown-error.ts";

type Execute = Tool["execute"];

/**
 * @param key - of the folder and settings
 * @param nth - of the tools with its name
 */
export function toolProxy(caller: Caller, key: number, head: ToolHead, nth: number): Tool {
  const execute: Execute = (toolCallId, args, signal, onUpdate, { sessionId }) => {
    const startedAt = caller.clock.monotonic();
    const frameFor = (slot: number): object => {
      const waited = caller.clock.monotonic() - startedAt;
      const leftMs = head.timeoutMs === Infinity ? null : Math.max(1, head.timeoutMs - waited);
      return { key, name: head.name, nth, toolCallId, sessionId, slot, leftMs };
    };
    return runCall(caller, JSON.stringify(args), signal, onUpdate, frameFor);
  };
  return { ...head, execute };
}

function runCall(
  caller: Caller,
  payload: string,
  signal: AbortSignal,
  onUpdate: Parameters<Execute>[3],
  frameFor: (slot: number) => object,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(reasonOf(signal));
    let takeBack: () => void = () => undefined;
    const waitingAborted = (): void => {
      takeBack();
      reject(reasonOf(signal));
    };
    signal.addEventListener("abort", waitingAborted, { once: true });
    const begin = (instance: WorkerInstance): void => {
      signal.removeEventListener("abort", waitingAborted);
      if (signal.aborted) return; // it has been told
      start(instance);
    };
    const start = (instance: WorkerInstance): void => {
      const { id, slot } = instance.newCall();
      const aborted = (): void => {
        const reason = reasonOf(signal);
        reject(reason);
        caller.abandon(instance, id, reason);
      };
      const over = (): void => signal.removeEventListener("abort", aborted);
      signal.addEventListener("abort", aborted, { once: true });
      const listener = {
        part: (value: unknown): void => {
          const unread = Atomics.sub(instance.memory, slotAt(slot), 1) - 1;
          if (unread === maxUpdatesUnread >> 1) instance.tell(id, { m: "credit", a: 1 });
          onUpdate(value as Parameters<typeof onUpdate>[0]); // whoever shows it looks at its blocks
        },
        ok: (value: unknown): void => {
          over();
          resolve(value as ToolResult); // whoever runs tools checks what they return
        },
        failed: (fields: unknown): void => {
          over();
          reject(failureOf(caller, fields));
        },
        ended: ({ detail }: { readonly detail: string }): void => {
          over();
          reject(new ToolFailure(taskCrashed(detail)));
        },
      };
      instance.call(id, { m: "tool", a: frameFor(slot) }, payload, listener, slot);
    };
    takeBack = caller.whenReady(
      (instance) => {
        try {
          begin(instance);
        } catch (error) {
          reject(new ToolFailure(taskStartFailed(error instanceof Error ? error.message : String(error))));
        }
      },
      (why) => {
        signal.removeEventListener("abort", waitingAborted);
        reject(new ToolFailure(refusalOf(caller.module, why)));
      },
    );
  });
}

function refusalOf(module: string, why: NoWorker): ToolResult {
  return why.kind === "quarantined"
    ? extensionQuarantined(module, why.reason)
    : taskStartFailed("its extension has been unloaded");
}

function failureOf(caller: Caller, fields: unknown): Error {
  const thrown = readThrown(fields);
  if (thrown.kind === "not_json") return new ToolFailure(unexpectedResult(thrown.message));
  if (thrown.kind === "gone") return new ToolFailure(taskStartFailed(thrown.message));
  return thrownError(thrown, caller.mapPositions) as Error; // a tool may throw what is none; it is passed on as it is
}

/** What the signal was aborted with; an abort without a reason has one of Node's. */
function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error; // whatever it is, it goes to whoever aborted
}
