/** Promises, threads, monitors and names. */
import { expect, test } from "vitest";
import {
  call,
  type Down,
  monitor,
  promiseChild,
  Registry,
  startSupervisor,
  type ThreadChild,
  threadChild,
} from "../../src/supervision/index.ts";
import { fakeChild, settled } from "./support/fake-child.ts";
import { refusal, refusedField, stage } from "./support/harness.ts";

const worker = new URL("support/worker.mjs", import.meta.url);
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );

test("a promise ends normal when it resolves and crash when it rejects or throws", async () => {
  expect(await promiseChild(async () => 1).exited).toEqual({ kind: "normal" });
  const error = new Error("no");
  expect(await promiseChild(() => Promise.reject(error)).exited).toEqual({ kind: "crash", detail: error });
  const throwing = promiseChild(() => {
    throw error;
  });
  expect(await throwing.exited).toEqual({ kind: "crash", detail: error });
});

test("a promise that is asked to end ends shutdown when it settles; an error of its own on the way is still a crash", async () => {
  const obeying = promiseChild(untilAborted);
  obeying.shutdown({ kind: "shutdown", detail: "enough" });
  expect(await obeying.exited).toEqual({ kind: "shutdown", detail: "enough" });
  const failing = promiseChild(async (signal) => {
    await untilAborted(signal).catch(() => undefined);
    throw new Error("could not flush");
  });
  failing.shutdown({ kind: "shutdown" });
  expect(await failing.exited).toMatchObject({ kind: "crash", detail: { message: "could not flush" } });
});

test("a killed promise is aborted and ends at once; what it does later is fenced out", async () => {
  let finish: () => void = () => undefined;
  let wasAborted = false;
  const child = promiseChild(async (signal) => {
    await new Promise<void>((resolve) => (finish = resolve));
    wasAborted = signal.aborted;
    throw new Error("late");
  });
  child.kill();
  expect(await child.exited).toEqual({ kind: "killed" });
  finish();
  await settled();
  expect(wasAborted).toBe(true);
  expect(await child.exited).toEqual({ kind: "killed" });
});

test("a thread ends normal, by a crash or by an exit code, and is told apart", async () => {
  const codeOf = async (message: object): Promise<unknown> => {
    const child = await threadChild(worker);
    child.send(message);
    return child.exited;
  };
  expect(await codeOf({ type: "exit", code: 0 })).toEqual({ kind: "normal" });
  expect(await codeOf({ type: "exit", code: 3 })).toMatchObject({
    kind: "crash",
    detail: { message: "the thread ended with exit code 3" },
  });
  expect(await codeOf({ type: "throw" })).toMatchObject({
    kind: "crash",
    detail: { message: "thrown in the thread" },
  });
});

test("a thread in an endless synchronous loop is really killed at its deadline", async () => {
  const { clock, events, onEvent } = stage();
  const supervisor = await startSupervisor(
    { children: [{ id: "t", start: { file: worker }, shutdown: 100 }] },
    { clock, onEvent },
  );
  expect(supervisor.tree().children[0]?.isolation).toBe("thread");
  const { child } = await supervisor.whichChild("t");
  (child as ThreadChild).send({ type: "spin" });
  const ended = supervisor.shutdown();
  await settled();
  clock.advance(100);
  expect(await ended).toEqual({ kind: "shutdown" });
  expect(events.at(-1)).toMatchObject({ type: "child.exited", reason: { kind: "killed" } });
  expect(clock.pending).toBe(0);
});

test("a thread that is asked to end and does ends shutdown", async () => {
  const child = await threadChild(worker);
  child.shutdown({ kind: "shutdown" });
  expect(await child.exited).toEqual({ kind: "shutdown" });
});

test("a thread is started when it says ready, gets its data, and a failing one refuses the start", async () => {
  const messages: unknown[] = [];
  const child = await threadChild(worker, {
    awaitReady: true,
    workerData: { ready: true },
    onMessage: (message) => messages.push(message),
  });
  expect(messages).toEqual([{ type: "hello", workerData: { ready: true } }]);
  child.kill();
  expect(await child.exited).toEqual({ kind: "killed" });
  const supervisor = await startSupervisor({});
  const start = { file: worker, workerData: { throwAtStart: true }, awaitReady: true };
  expect(await refusal(supervisor.startChild({ id: "t", start }))).toMatchObject({
    reason: "start_failed",
    cause: { message: "bad worker" },
  });
});

test("a call to a thread is answered, refused, or fails with the thread", async () => {
  const child = await threadChild(worker);
  expect(await call(child, { n: 21 })).toBe(42);
  await expect(call(child, { fail: true })).rejects.toThrow("refused");
  const doomed = call(child, { silent: true });
  child.send({ type: "throw" });
  await expect(doomed).rejects.toMatchObject({ code: "LEMON_CALL_EXITED" });
});

test("an actor logic can't be isolated in a thread, and a file can't run inline", async () => {
  const { fromTransition } = await import("xstate");
  const logic = fromTransition((state: null) => state, null);
  expect(
    await refusedField(startSupervisor({ children: [{ id: "a", start: logic, isolation: "thread" }] })),
  ).toBe("isolation");
  expect(
    await refusedField(
      startSupervisor({ children: [{ id: "a", start: { file: worker }, isolation: "inline" }] }),
    ),
  ).toBe("isolation");
});

test("each monitor gets one message; one on a child that is gone gets noproc; one that was ended gets none", async () => {
  const child = fakeChild();
  const told: Down[] = [];
  const notify = (down: Down): void => void told.push(down);
  monitor(child, notify);
  monitor(child, notify);
  const demonitor = monitor(child, notify);
  demonitor();
  await settled();
  child.exit({ kind: "normal" });
  await settled();
  expect(told).toEqual([
    { child, reason: { kind: "normal" } },
    { child, reason: { kind: "normal" } },
  ]);
  monitor(child, notify);
  expect(told).toHaveLength(2); // never inside the call
  await settled();
  expect(told.at(-1)).toEqual({ child, reason: { kind: "crash", detail: "noproc" } });
  const gone = fakeChild();
  gone.exit({ kind: "normal" });
  await settled();
  monitor(gone, notify);
  await settled();
  expect(told.at(-1)).toEqual({ child: gone, reason: { kind: "crash", detail: "noproc" } });
  expect(told).toHaveLength(4);
});

test("a name belongs to one child at a time and only its holder can give it back", () => {
  const registry = new Registry();
  const [a, b] = [fakeChild(), fakeChild()];
  registry.register("db", a);
  expect(() => registry.register("db", b)).toThrow(
    expect.objectContaining({ reason: "already_started", child: a }),
  );
  registry.release("db", b);
  expect(registry.whereIs("db")).toBe(a);
  registry.release("db", a);
  expect(registry.whereIs("db")).toBeUndefined();
});
