/** What a run came to, and what is shown of it later. docs/reference/background-runs.md, "Reading" */
import { afterEach, expect, test } from "vitest";
import { readRun, RunReader } from "../../../src/harness/index.ts";
import type { Model } from "../../../src/providers/index.ts";
import type { Runtime, RuntimeOptions } from "../../../src/runtime/index.ts";
import { scriptedRuntime } from "../../support/runtimes.ts";

const open: Runtime[] = [];

afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.close();
});

async function runtimeOf(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const write = { name: "write", args: { path: "a.txt", content: "a" } };
  const turns = [{ toolCalls: [write] }, { text: "Done." }, { text: "Something else." }];
  const runtime = await scriptedRuntime(":memory:", turns, {
    config: { runtime: { model: "s/m" } },
    ...options,
  });
  open.push(runtime);
  return runtime;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A model that says half of something and then nothing, until it is told to stop; and when it has said that. */
function haltingModel(): { readonly model: Model; readonly said: Promise<void> } {
  let tell = (): void => undefined;
  const said = new Promise<void>((resolve) => (tell = resolve));
  const request: Model["request"] = (_context, { signal, onDelta }) => {
    onDelta({ type: "text", text: "Half of it" });
    tell();
    return new Promise((resolve) => {
      const stop = (): void => resolve({ type: "aborted", partialText: "Half of it" });
      signal.addEventListener("abort", stop, { once: true });
    });
  };
  return { model: { ref: "halting/one", request }, said };
}

test("what a session is asked after its run is none of the run's", async () => {
  const runtime = await runtimeOf();
  const { background, sessions } = runtime;
  const { id } = await background.start("Do it");
  await until(async () => (await background.status(id)).status === "completed");
  const before = await background.result(id);
  const summary = await background.status(id);
  expect(before).toMatchObject({ text: "Done.", filesChanged: [{ change: "created" }] });
  await until(async () => (await sessions.get(id)) === null);
  const session = await sessions.resume(id);
  expect((await session.prompt("And now?")).text).toBe("Something else.");
  expect(await background.result(id)).toEqual(before);
  expect(await background.status(id)).toEqual(summary);
});

test.each([
  ["cancelled", { timeoutMs: 60_000 }],
  ["timeout", { timeoutMs: 300 }],
] as const)("what the model was saying when a run ended as %s is kept", async (status, options) => {
  const { model, said } = haltingModel();
  const runtime = await runtimeOf({ models: { halting: model } });
  const { background } = runtime;
  const { id } = await background.start("Do it", { model: "halting/one", ...options });
  await said;
  if (status === "cancelled") await background.cancel(id);
  await until(async () => (await runtime.log.jobs("background")).length === 0);
  expect(await background.result(id)).toMatchObject({
    status,
    ready: false,
    text: null,
    partialText: "Half of it",
  });
});

test("a run that ended more than thirty days ago is not listed, and is there all the same", async () => {
  const { background, log } = await runtimeOf();
  const { id } = await background.start("Do it");
  await until(async () => (await background.status(id)).status === "completed");
  const { endedAt } = await readRun(log, id);
  const day = 86_400_000;
  const readerAt = (now: number): RunReader =>
    new RunReader({
      log,
      now: () => now,
      presently: ({ view }) => Promise.resolve({ view, elapsedMs: view.ranMs }),
      sessionsOf: (run) => Promise.resolve([run]),
    });
  expect((await readerAt((endedAt ?? 0) + 30 * day).list()).total).toBe(1);
  const later = readerAt((endedAt ?? 0) + 30 * day + 1);
  expect(await later.list()).toEqual({ runs: [], total: 0 });
  expect(await later.status(id)).toMatchObject({ id, status: "completed" });
  expect(await later.result(id)).toMatchObject({ text: "Done." });
});

test("the configuration says what becomes of a run whose process ends, unless the run does", async () => {
  const config = { runtime: { model: "s/m" }, background: { onRestart: "lost" } } as const;
  const { background, log } = await runtimeOf({ config });
  const onRestart = async (said: object): Promise<unknown> =>
    (await readRun(log, (await background.start("Do it", said)).id)).queued?.onRestart;
  expect(await onRestart({})).toBe("lost");
  expect(await onRestart({ onRestart: "resume" })).toBe("resume");
});
