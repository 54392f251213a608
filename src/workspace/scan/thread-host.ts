/** An engine in a thread. It is there for as long as the process wants something of it, and keeps no process alive. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { EngineOptions } from "./engine.ts";
import type { ScanHost } from "./host.ts";
import type { ScanOutcome } from "./types.ts";

/** What crosses to the thread: a method of the engine with its arguments. */
export interface ScanRequestMessage {
  readonly id: number;
  readonly method: "open" | "recover" | "close" | "discard" | "bytes" | "shutDown";
  readonly args: readonly (string | number)[];
}

/** What comes back. */
export interface ScanReplyMessage {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** What the thread is started with. */
export type ScanThreadData = Omit<EngineOptions, "time">;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts the thread. A missing or broken file shows at the first request.
 *
 * @param patienceMs - longer than a scan may take; something holds it up then
 */
export function threadHost(data: ScanThreadData, patienceMs = 15_000): ScanHost {
  const worker = new Worker(workerFile(), { workerData: data, execArgv: [], name: "lemon-scan" });
  const pending = new Map<number, Pending>();
  let isOver = false;
  let lastId = 0;
  let failure = "the thread of the scanner has ended";
  worker.unref();
  worker.on("message", ({ id, value, error }: ScanReplyMessage) => {
    const asked = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker.unref();
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(error));
  });
  worker.on("error", (error) => (failure = error instanceof Error ? error.message : String(error)));
  worker.once("exit", () => {
    isOver = true;
    for (const { reject } of pending.values()) reject(new Error(failure));
    pending.clear();
  });

  const ask = (method: ScanRequestMessage["method"], ...args: (string | number)[]): Promise<unknown> => {
    if (isOver) return Promise.reject(new Error(failure));
    lastId += 1;
    const id = lastId;
    const answer = new Promise<unknown>((resolve, reject) => pending.set(id, { resolve, reject }));
    worker.ref();
    worker.postMessage({ id, method, args } satisfies ScanRequestMessage);
    // Its exit rejects what is pending. Each request gets its time anew, since those before it had theirs.
    const timer = setTimeout(() => void worker.terminate(), patienceMs * pending.size);
    return answer.finally(() => clearTimeout(timer));
  };
  // The thread answers with what the engine gives, see worker.ts.
  return {
    open: (named, marker) => ask("open", named, marker) as Promise<number>,
    recover: (marker) => ask("recover", marker) as Promise<number | null>,
    close: (window) => ask("close", window) as Promise<ScanOutcome>,
    discard: (window) => ask("discard", window) as Promise<void>,
    bytes: (sha256) => ask("bytes", sha256) as Promise<Uint8Array | null>,
    shutDown: async () => {
      await ask("shutDown");
      await worker.terminate();
    },
    get isOver() {
      return isOver;
    },
  };
}

/** Beside this module once that is JavaScript itself, else in the repository's `dist`: a thread can't load TypeScript. */
function workerFile(): string {
  const here = fileURLToPath(import.meta.url);
  const folder = path.dirname(here);
  return path.resolve(
    here.endsWith(".ts") ? path.join(folder, "../../../dist/workspace/scan") : folder,
    "worker.js",
  );
}
