/** OTP behaviours 20 to 28: administration. */
import { expect, test } from "vitest";
import { startDynamicSupervisor, startSupervisor } from "../../src/supervision/index.ts";
import { type FakeChild, maker, settled } from "./support/fake-child.ts";
import { refusal, refusalReason, stage } from "./support/harness.ts";

test("startChild for a running id: already_started with the child; for a stopped id: already_present", async () => {
  const a = maker();
  const supervisor = await startSupervisor({ children: [{ id: "a", start: a.start }] });
  const error = await refusal(supervisor.startChild({ id: "a", start: a.start }));
  expect(error).toMatchObject({ reason: "already_started", childId: "a" });
  expect(error.child).toBe(a.latest);
  await supervisor.terminateChild("a");
  expect(await refusalReason(supervisor.startChild({ id: "a", start: a.start }))).toBe("already_present");
  expect(a.made).toHaveLength(1);
});

test("terminateChild twice: ok both times; unknown id not_found", async () => {
  const a = maker();
  const supervisor = await startSupervisor({ children: [{ id: "a", start: a.start }] });
  await supervisor.terminateChild("a");
  expect(a.latest.wasAsked).toBe(true);
  await supervisor.terminateChild("a");
  expect(await refusalReason(supervisor.terminateChild("b"))).toBe("not_found");
});

test("deleteChild on a running child: running; after terminate: ok; again: not_found", async () => {
  const supervisor = await startSupervisor({ children: [{ id: "a", start: maker().start }] });
  expect(await refusalReason(supervisor.deleteChild("a"))).toBe("running");
  await supervisor.terminateChild("a");
  await supervisor.deleteChild("a");
  expect(await refusalReason(supervisor.deleteChild("a"))).toBe("not_found");
});

test("restartChild on a running child: running; on an unknown one: not_found", async () => {
  const supervisor = await startSupervisor({ children: [{ id: "a", start: maker().start }] });
  expect(await refusalReason(supervisor.restartChild("a"))).toBe("running");
  expect(await refusalReason(supervisor.restartChild("b"))).toBe("not_found");
});

test("any call to a supervisor that does not exist: the caller fails with noproc naming the call", async () => {
  const supervisor = await startSupervisor({ children: [{ id: "a", start: maker().start }] });
  await supervisor.shutdown();
  const calls = {
    startChild: () => supervisor.startChild({ id: "b", start: maker().start }),
    terminateChild: () => supervisor.terminateChild("a"),
    restartChild: () => supervisor.restartChild("a"),
    deleteChild: () => supervisor.deleteChild("a"),
    whichChildren: () => supervisor.whichChildren(),
    whichChild: () => supervisor.whichChild("a"),
    countChildren: () => supervisor.countChildren(),
    childSpec: () => supervisor.childSpec("a"),
    sweepStopped: () => supervisor.sweepStopped(),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await refusal(call());
    expect(error).toMatchObject({ reason: "noproc", code: "LEMON_NOPROC" });
    expect(error.message).toContain(name);
  }
});

test("which: newest first; after terminate the entry stays with no child; after delete it is gone; single look-up agrees", async () => {
  const [a, b] = [maker(), maker()];
  const supervisor = await startSupervisor({ children: [{ id: "a", start: a.start }] });
  await supervisor.startChild({ id: "b", start: b.start });
  expect(await supervisor.whichChildren()).toEqual([
    { id: "b", child: b.latest, type: "worker" },
    { id: "a", child: a.latest, type: "worker" },
  ]);
  await supervisor.terminateChild("b");
  expect((await supervisor.whichChildren())[0]).toEqual({ id: "b", child: undefined, type: "worker" });
  expect(await supervisor.whichChild("b")).toEqual({ id: "b", child: undefined, type: "worker" });
  await supervisor.deleteChild("b");
  expect((await supervisor.whichChildren()).map(({ id }) => id)).toEqual(["a"]);
  expect(await refusalReason(supervisor.whichChild("b"))).toBe("not_found");
});

test("dynamic supervisor: which is empty at start; two children: both listed with no id; counts follow", async () => {
  const child = maker();
  const dynamic = await startDynamicSupervisor({});
  const template = { id: "t", start: child.start };
  const simple = await startSupervisor({ strategy: "simple_one_for_one", children: [template] });
  for (const [supervisor, start, specs] of [
    [dynamic, () => dynamic.startChild(template), 2], // Elixir counts the children
    [simple, () => simple.startChild([]), 1], // Erlang its one template
  ] as const) {
    expect(await supervisor.whichChildren()).toEqual([]);
    const first = (await start()).child;
    const second = (await start()).child;
    expect(await supervisor.whichChildren()).toEqual([
      { id: undefined, child: second, type: "worker" },
      { id: undefined, child: first, type: "worker" },
    ]);
    expect(await supervisor.countChildren()).toEqual({ specs, active: 2, supervisors: 0, workers: 2 });
  }
});

test("1000 then 2000 temporary dynamic children: which and counts agree each time; killing all gives zero", async () => {
  const child = maker();
  const dynamic = await startDynamicSupervisor({});
  for (const expected of [1000, 2000]) {
    while (child.made.length < expected)
      await dynamic.startChild({ restart: "temporary", start: child.start });
    expect(await dynamic.whichChildren()).toHaveLength(expected);
    expect(await dynamic.countChildren()).toEqual({
      specs: expected,
      active: expected,
      supervisors: 0,
      workers: expected,
    });
  }
  for (const made of child.made) made.kill();
  await settled();
  expect(await dynamic.countChildren()).toEqual({ specs: 0, active: 0, supervisors: 0, workers: 0 });
  expect(await dynamic.whichChildren()).toEqual([]);
});

test("dynamic supervisor of supervisors: they count as supervisors, not workers", async () => {
  const dynamic = await startDynamicSupervisor({});
  await dynamic.startChild({ type: "supervisor", start: () => startSupervisor({}) });
  expect(await dynamic.countChildren()).toEqual({ specs: 1, active: 1, supervisors: 1, workers: 0 });
});

test("a dynamic supervisor refuses more than maxChildren, restarts and deletes nothing by id, and terminates by child", async () => {
  const dynamic = await startDynamicSupervisor({ maxChildren: 1 });
  const made = maker();
  const { child } = await dynamic.startChild<FakeChild>({ id: "a", start: made.start });
  expect(await refusalReason(dynamic.startChild({ id: "b", start: made.start }))).toBe("max_children");
  expect(await refusalReason(dynamic.restartChild("a"))).toBe("not_found");
  expect(await refusalReason(dynamic.deleteChild("a"))).toBe("not_found");
  expect(await refusalReason(dynamic.terminateChild("a"))).toBe("not_found");
  if (child === undefined) throw new Error("no child");
  expect(await dynamic.childSpec(child)).toMatchObject({ id: "a", restart: "permanent" });
  await dynamic.terminateChild(child);
  expect(await refusalReason(dynamic.terminateChild(child))).toBe("not_found");
  expect((await dynamic.startChild({ start: made.start })).status).toBe("started");
});

test("extra arguments reach the start of a simple_one_for_one child at start and at restart", async () => {
  const seen: unknown[][] = [];
  const made = maker();
  const start = (...args: unknown[]): FakeChild => {
    seen.push(args);
    return made.start();
  };
  const simple = await startSupervisor({ strategy: "simple_one_for_one", children: [{ id: "t", start }] });
  await simple.startChild(["socket", 7]);
  made.latest.crash();
  await settled();
  expect(seen).toEqual([
    ["socket", 7],
    ["socket", 7],
  ]);
  expect(await refusalReason(simple.startChild({ id: "t", start }))).toBe("invalid_spec");
});

test("between two attempts to restart a child, calls answer restarting, and a terminate keeps it down", async () => {
  let starts = 0;
  let fail: (error: Error) => void = () => undefined;
  const start = (): FakeChild | Promise<FakeChild> => {
    starts += 1;
    return starts === 1 ? first.start() : new Promise((_resolve, reject) => (fail = reject));
  };
  const first = maker();
  const supervisor = await startSupervisor({ intensity: 9, children: [{ id: "a", start }] });
  first.latest.crash();
  await settled(); // the second start is under way; what is asked now comes before the third
  const answers = [
    supervisor.whichChild("a").then(({ child }) => child),
    refusalReason(supervisor.restartChild("a")),
    refusalReason(supervisor.deleteChild("a")),
    refusalReason(supervisor.startChild({ id: "a", start })),
    supervisor.terminateChild("a"),
  ];
  fail(new Error("not yet"));
  expect(await Promise.all(answers)).toEqual([
    "restarting",
    "restarting",
    "restarting",
    "already_started",
    undefined,
  ]);
  await settled();
  expect(await supervisor.whichChild("a")).toEqual({ id: "a", child: undefined, type: "worker" });
  expect(starts).toBe(2);
});

test("a terminate that comes just before the end of a backoff keeps the child down", async () => {
  const { clock } = stage();
  const [a, b] = [maker(), maker()];
  let finish: (child: FakeChild) => void = () => undefined;
  const slow = (): Promise<FakeChild> => new Promise((resolve) => (finish = resolve));
  const backoff = { firstMs: 100, maxMs: 100 };
  const supervisor = await startSupervisor({ backoff, children: [{ id: "a", start: a.start }] }, { clock });
  a.latest.crash();
  await settled();
  const started = supervisor.startChild({ id: "slow", start: slow });
  const terminated = supervisor.terminateChild("a"); // waits for its turn behind the slow start
  await settled();
  clock.advance(100);
  finish(b.start());
  await Promise.all([started, terminated]);
  await settled();
  expect(await supervisor.whichChild("a")).toEqual({ id: "a", child: undefined, type: "worker" });
  expect(a.made).toHaveLength(1);
});
