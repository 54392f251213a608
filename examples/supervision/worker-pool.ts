/**
 * A pool of worker threads. A job that crashes its thread, or loops for ever, costs that one thread: the caller gets an
 * error, the supervisor starts a new thread, and the pool goes on.
 */
import { availableParallelism } from "node:os";
import { isMainThread, parentPort } from "node:worker_threads";
import { call, startSupervisor, type SupervisionEvent, type ThreadChild } from "lemon-runtime/supervision";

if (isMainThread) await main();
else serve();

async function main(): Promise<void> {
  const size = Math.min(3, Math.max(2, availableParallelism()));
  const say = (event: SupervisionEvent): void => void process.stdout.write(`${event.type}\n`);
  const pool = await startSupervisor(
    {
      intensity: 5,
      children: Array.from({ length: size }, (_, index) => ({
        id: index,
        shutdown: 1000,
        start: { file: new URL(import.meta.url), awaitReady: true },
      })),
    },
    { name: "pool", onEvent: say },
  );

  let turn = 0;
  const run = async (request: object, timeoutMs = 5000): Promise<unknown> => {
    const { child } = await pool.whichChild(turn++ % size);
    if (typeof child !== "object") throw new Error("that thread is being restarted");
    const thread = child as ThreadChild; // every child of this pool is one
    try {
      return await call(thread, request, { timeoutMs });
    } catch (error) {
      thread.kill(); // a thread that does not answer is of no use to anybody; one that has crashed is dead already
      await thread.exited;
      throw error;
    }
  };

  const answers = await Promise.all([10, 20, 25].map((n) => run({ fibonacci: n })));
  process.stdout.write(`answers ${answers.join(" ")}\n`);
  await run({ crash: true }).catch((error: unknown) =>
    process.stdout.write(`job failed: ${String(error)}\n`),
  );
  await run({ loop: true }, 200).catch((error: unknown) =>
    process.stdout.write(`job failed: ${String(error)}\n`),
  );
  await pool.countChildren(); // answered after the restarts before it
  while ((await pool.countChildren()).active < size) await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write(`still right ${String(await run({ fibonacci: 30 }))}\n`);
  await pool.shutdown();
}

/** The thread's side: answers calls until it is asked to end. */
function serve(): void {
  const port = parentPort;
  if (port === null) throw new Error("this runs in a worker thread");
  type Request = { fibonacci?: number; crash?: true; loop?: true };
  port.on("message", (message: { type: string; callId: number; request: Request }) => {
    if (message.type === "shutdown") return port.close();
    const { fibonacci: n = 0, crash, loop } = message.request;
    if (crash) throw new Error("a bad job");
    while (loop);
    port.postMessage({ type: "reply", callId: message.callId, value: fibonacci(n) });
  });
  port.postMessage({ type: "ready" });
}

function fibonacci(n: number): number {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
