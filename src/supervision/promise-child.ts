import { type Child, exitLatch } from "./child.ts";

/**
 * Runs an async function as a child: it ends `normal` when the promise resolves, `crash` when it rejects, and
 * `shutdown` when it settles after it was asked to end.
 *
 * A request to shut down aborts `signal` and waits for the function. A kill aborts it too and waits for nothing; what the
 * function does or throws after that is dropped, since a function can't be stopped from outside.
 *
 * @example
 * ```ts
 * { id: "poll", restart: "transient", start: () => promiseChild(async (signal) => { await poll(signal); }) }
 * ```
 */
export function promiseChild(task: (signal: AbortSignal) => Promise<unknown>): Child {
  const latch = exitLatch();
  const controller = new AbortController();
  const { signal } = controller;
  let asked: { detail?: unknown } | undefined;
  const askedToEnd = (): boolean => {
    if (asked === undefined) return false;
    return latch.settle({ kind: "shutdown", ...asked });
  };
  void (async () => task(signal))().then(
    () => askedToEnd() || latch.settle({ kind: "normal" }),
    (error: unknown) => {
      const isTheAbort =
        asked !== undefined &&
        (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
      if (!isTheAbort || !askedToEnd()) latch.settle({ kind: "crash", detail: error });
    },
  ); // both outcomes end in the latch
  return {
    exited: latch.exited,
    shutdown({ detail }) {
      asked ??= detail === undefined ? {} : { detail };
      controller.abort();
    },
    kill() {
      latch.settle({ kind: "killed" });
      controller.abort();
    },
  };
}
