/** OTP behaviours 13 to 19: ignore and errors. */
import { expect, test } from "vitest";
import {
  type Child,
  type ChildSpec,
  Registry,
  type RestartType,
  startDynamicSupervisor,
  startSupervisor,
  type Supervisor,
} from "../../src/supervision/index.ts";
import { fakeChild, maker, settled } from "./support/fake-child.ts";
import { refusal, refusalReason, stage } from "./support/harness.ts";

const ignoring = (restart: RestartType): ChildSpec => ({ id: "i", restart, start: () => "ignore" });
const none = { specs: 0, active: 0, supervisors: 0, workers: 0 };

test("child start says ignore, permanent or transient, static supervisor: ignored; kept as stopped; counts (1,0,0,1)", async () => {
  for (const restart of ["permanent", "transient"] as const) {
    const supervisor = await startSupervisor({});
    expect(await supervisor.startChild(ignoring(restart))).toEqual({ status: "ignored" });
    expect(await supervisor.countChildren()).toEqual({ specs: 1, active: 0, supervisors: 0, workers: 1 });
    expect(await supervisor.whichChildren()).toEqual([{ id: "i", child: undefined, type: "worker" }]);
  }
});

test("child start says ignore, temporary: ignored and NOT kept; in the initial list it is dropped as well", async () => {
  const supervisor = await startSupervisor({ children: [ignoring("temporary")] });
  expect(await supervisor.countChildren()).toEqual(none);
  expect(await supervisor.startChild(ignoring("temporary"))).toEqual({ status: "ignored" });
  expect(await supervisor.countChildren()).toEqual(none);
});

test("child start says ignore on a dynamic supervisor: nothing kept, whatever the restart type; it later stops without error", async () => {
  const dynamic = await startDynamicSupervisor({});
  for (const restart of ["permanent", "transient", "temporary"] as const) {
    expect(await dynamic.startChild(ignoring(restart))).toEqual({ status: "ignored" });
    const simple = await startSupervisor({ strategy: "simple_one_for_one", children: [ignoring(restart)] });
    expect(await simple.startChild([])).toEqual({ status: "ignored" });
    expect(await simple.whichChildren()).toEqual([]);
    expect(await simple.shutdown()).toEqual({ kind: "shutdown" });
  }
  expect(await dynamic.countChildren()).toEqual(none);
  expect(await dynamic.shutdown()).toEqual({ kind: "shutdown" });
});

test("child start returns error(reason): static startChild gives the reason together with the spec, nothing kept", async () => {
  const supervisor = await startSupervisor({});
  const cause = new Error("port in use");
  const error = await refusal(supervisor.startChild({ id: "web", start: () => Promise.reject(cause) }));
  expect(error).toMatchObject({ reason: "start_failed", cause, childId: "web", code: "LEMON_START_FAILED" });
  expect(await supervisor.countChildren()).toEqual(none);
});

test("child start returns something else, or throws: an error holding that value; nothing kept; dynamic supervisors tell throw, error and exit apart", async () => {
  const odd = { not: "a child" };
  const dead = fakeChild();
  dead.exit({ kind: "crash", detail: "at once" });
  for (const start of [() => startSupervisor({}), () => startDynamicSupervisor({})]) {
    const supervisor: Supervisor = await start();
    const attempt = (childStart: () => unknown): Promise<unknown> => {
      return supervisor.startChild({ id: "x", start: childStart as () => Child }); // the types would refuse what is tried here
    };
    const returned = await refusal(attempt(() => odd));
    expect(returned.cause).toBeInstanceOf(TypeError);
    expect((returned.cause as Error).cause).toBe(odd);
    const thrown = await refusal(
      attempt(() => {
        throw "thrown text"; // oxlint-disable-line typescript/only-throw-error -- a value that is no error is the case
      }),
    );
    expect(thrown.cause).toBe("thrown text");
    const rejected = await refusal(attempt(() => Promise.reject(new RangeError("rejected"))));
    expect(rejected.cause).toBeInstanceOf(RangeError);
    expect(await supervisor.countChildren()).toEqual(none);
  }
  // The third way, an exit after the start was acknowledged, is a started child that ends.
  const dynamic = await startDynamicSupervisor({});
  expect(await dynamic.startChild({ restart: "temporary", start: () => dead })).toMatchObject({
    status: "started",
  });
  await settled();
  expect(await dynamic.countChildren()).toEqual(none);
});

test("restartChild whose start fails: error; the spec stays, stopped", async () => {
  const child = maker({ failAt: (start) => start === 2 });
  const supervisor = await startSupervisor({ children: [{ id: "a", start: child.start }] });
  await supervisor.terminateChild("a");
  expect(await refusal(supervisor.restartChild("a"))).toMatchObject({ reason: "start_failed", childId: "a" });
  expect(await supervisor.whichChild("a")).toEqual({ id: "a", child: undefined, type: "worker" });
  expect(await supervisor.restartChild("a")).toEqual({ status: "started", child: child.latest });
});

test("start result with extra info: startChild and restartChild hand it on unchanged; the supervisor otherwise ignores it; automatic restart still works", async () => {
  const info = { port: 4000 };
  const made = maker();
  const start = (): { child: Child; info: unknown } => ({ child: made.start(), info });
  const { onEvent, told } = stage();
  const supervisor = await startSupervisor({}, { onEvent });
  const started = await supervisor.startChild({ id: "a", start });
  expect(started).toEqual({ status: "started", child: made.latest, info });
  expect(started.info).toBe(info);
  await supervisor.terminateChild("a");
  expect((await supervisor.restartChild("a")).info).toBe(info);
  made.latest.crash();
  await settled();
  expect(told().at(-1)).toBe("restarted a");
  expect(made.made).toHaveLength(3);
});

test("a start that finds its name taken is refused as already_started with the holder, not wrapped", async () => {
  const registry = new Registry();
  const holder = await startSupervisor({}, { name: "cache", registry });
  const outer = await startSupervisor({}, { registry });
  const again = outer.startChild({ id: "c", start: () => startSupervisor({}, { name: "cache" }) });
  const error = await refusal(again);
  expect(error.reason).toBe("already_started");
  expect(error.child).toBe(holder);
  expect(await outer.countChildren()).toEqual(none);
});

test("a failed start has given its name back before the starter hears of it", async () => {
  const registry = new Registry();
  const broken = { children: [{ id: "a", start: maker({ failAt: () => true }).start }] };
  expect(await refusalReason(startSupervisor(broken, { name: "s", registry }))).toBe("start_failed");
  expect(registry.whereIs("s")).toBeUndefined();
  const retry = await startSupervisor({}, { name: "s", registry });
  expect(registry.whereIs("s")).toBe(retry);
  await retry.shutdown();
  expect(registry.names()).toEqual([]);
});
