import { afterEach, expect, test } from "vitest";
import type { Runtime } from "../../src/runtime/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import type { ScriptedTurn } from "../../src/providers/index.ts";
import { scriptedRuntime } from "../support/runtimes.ts";

const open: Runtime[] = [];

async function runtimeOf(
  turns: readonly ScriptedTurn[],
  log: EventLog | string = ":memory:",
): Promise<Runtime> {
  const runtime = await scriptedRuntime(log, turns, { config: { runtime: { model: "s/m" } } });
  open.push(runtime);
  return runtime;
}

afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.close();
});

/** Resolves when the run has ended. */
async function ended(runtime: Runtime, id: string): Promise<string> {
  for (;;) {
    const { status } = await runtime.background.status(id);
    if (status !== "queued" && status !== "running") return status;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("a run is queued at once, does its work, and has a result", async () => {
  const runtime = await runtimeOf([
    { text: "I look.", toolCalls: [{ name: "write", args: { path: "a.txt", content: "a" } }] },
    { text: "Done." },
  ]);
  const { id, status } = await runtime.background.start("  Write a file  ");
  expect(status).toBe("queued");
  expect(id).toMatch(/^bg_[\da-f]{16}$/);
  expect(await ended(runtime, id)).toBe("completed");
  expect(await runtime.background.result(id)).toMatchObject({
    id,
    status: "completed",
    ready: true,
    text: "Done.",
    partialText: null,
    errorCode: null,
    filesChanged: [{ path: expect.stringMatching(/a\.txt$/), change: "created" }],
    coverage: "full",
  });
  const { runs, total } = await runtime.background.list();
  expect([runs.length, total]).toEqual([1, 1]);
  expect(await runtime.log.jobs("background")).toEqual([]);
});

test("a cancel is recorded first and stops the work", async () => {
  const runtime = await runtimeOf([{ text: "Long", delayMs: 60_000 }]);
  const { id } = await runtime.background.start("Think");
  while ((await runtime.background.status(id)).status !== "running")
    await new Promise((r) => setTimeout(r, 5));
  expect(await runtime.background.cancel(id, "enough")).toEqual({ id, cancelled: true, status: "cancelled" });
  expect(await runtime.background.cancel(id)).toEqual({ id, cancelled: false, status: "cancelled" });
  while ((await runtime.log.jobs("background")).length > 0) await new Promise((r) => setTimeout(r, 5));
  expect(await runtime.background.status(id)).toMatchObject({
    status: "cancelled",
    errorCode: "BACKGROUND_CANCELLED",
  });
});
