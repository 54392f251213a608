/** OTP behaviours 29 to 37: restart types and strategies. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import {
  type ChildSpec,
  type ExitReason,
  type RestartType,
  startDynamicSupervisor,
  startSupervisor,
  type Strategy,
  type Supervisor,
} from "../../src/supervision/index.ts";
import { type Maker, maker, settled } from "./support/fake-child.ts";
import { exitOf, living, refusalReason, stage } from "./support/harness.ts";

const clean: ExitReason[] = [{ kind: "normal" }, { kind: "shutdown" }, { kind: "shutdown", detail: "x" }];
const abnormal: ExitReason[] = [{ kind: "crash", detail: new Error("boom") }, { kind: "killed" }];
const strategies = ["one_for_one", "one_for_all", "rest_for_one"] as const;

async function one(
  restart: RestartType,
  strategy: Strategy = "one_for_one",
): Promise<{ supervisor: Supervisor; child: Maker }> {
  const child = maker();
  const supervisor = await startSupervisor({
    strategy,
    intensity: 100,
    children: [{ id: "a", restart, start: child.start }],
  });
  return { supervisor, child };
}

test("permanent: restarted after normal, shutdown, {shutdown,x}, crash; a new child each time", async () => {
  const { supervisor, child } = await one("permanent");
  for (const reason of [...clean, ...abnormal]) {
    const before = child.latest;
    before.exit(reason);
    await settled();
    expect(child.latest).not.toBe(before);
    expect((await supervisor.whichChild("a")).child).toBe(child.latest);
  }
  expect(child.made).toHaveLength(6);
});

test("transient: not restarted after any clean end (spec stays, stopped); restarted after a crash", async () => {
  const { supervisor, child } = await one("transient");
  for (const reason of abnormal) {
    child.latest.exit(reason);
    await settled();
    expect(await living(supervisor)).toEqual(["a"]);
  }
  expect(child.made).toHaveLength(3);
  for (const reason of clean) {
    child.latest.exit(reason);
    await settled();
    expect(await supervisor.whichChildren()).toEqual([{ id: "a", child: undefined, type: "worker" }]);
    await supervisor.restartChild("a");
  }
});

test("temporary: never restarted; spec gone after any end; the same id can be started anew", async () => {
  const { supervisor, child } = await one("temporary");
  for (const reason of [...clean, ...abnormal]) {
    child.latest.exit(reason);
    await settled();
    expect(await supervisor.whichChildren()).toEqual([]);
    await supervisor.startChild({ id: "a", restart: "temporary", start: child.start });
  }
});

test("specs after an end, for each strategy: permanent and transient-after-crash answer already_started; transient-after-normal answers already_present; temporary starts again", async () => {
  const crash: ExitReason = { kind: "crash" };
  for (const strategy of strategies) {
    for (const [restart, reason, answer] of [
      ["permanent", { kind: "normal" }, "already_started"],
      ["permanent", crash, "already_started"],
      ["transient", crash, "already_started"],
      ["transient", { kind: "normal" }, "already_present"],
    ] as const) {
      const { supervisor, child } = await one(restart, strategy);
      child.latest.exit(reason);
      await settled();
      expect(await refusalReason(supervisor.startChild({ id: "a", start: child.start }))).toBe(answer);
    }
    const { supervisor, child } = await one("temporary", strategy);
    child.latest.exit(crash);
    await settled();
    expect((await supervisor.startChild({ id: "a", start: child.start })).status).toBe("started");
  }
});

test("temporary children do not keep start arguments: with a big argument the supervisor's retained state is smaller than for permanent ones, and stays so after the first child has died", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag above makes
  const isKept = async (restart: RestartType): Promise<boolean[]> => {
    const made = maker();
    const start = (_big: object): ReturnType<Maker["start"]> => made.start();
    const supervisor = await startSupervisor({
      strategy: "simple_one_for_one",
      children: [{ id: "t", restart, start }],
    });
    const bigOnes = await Promise.all(
      [1, 2].map(async () => {
        const big = { bytes: new Uint8Array(1_000_000) };
        await supervisor.startChild([big]);
        return new WeakRef(big);
      }),
    );
    const look = async (): Promise<boolean> => {
      await settled();
      collect();
      return bigOnes.some((big) => big.deref() !== undefined);
    };
    const alive = await look();
    made.made[0]?.exit({ kind: "normal" });
    const afterFirst = await look();
    await supervisor.shutdown();
    return [alive, afterFirst];
  };
  expect(await isKept("permanent")).toEqual([true, true]);
  expect(await isKept("temporary")).toEqual([false, false]);
  const supervisor = await startSupervisor({
    children: [{ id: "a", restart: "temporary", start: maker().start }],
  });
  expect((await supervisor.childSpec("a")).start).toBeUndefined();
});

/** Three permanent children under a strategy, and which of them are replaced when `b` crashes. */
async function three(
  strategy: Strategy,
  intensity = 2,
): Promise<{ supervisor: Supervisor; makers: Record<"a" | "b" | "c", Maker>; told: () => string[] }> {
  const makers = { a: maker(), b: maker(), c: maker() };
  const { onEvent, told, clock } = stage();
  const children = Object.entries(makers).map(([id, { start }]): ChildSpec => ({ id, start }));
  const supervisor = await startSupervisor({ strategy, intensity, children }, { onEvent, clock });
  return { supervisor, makers, told: () => told().slice(3) };
}

const starts = ({ a, b, c }: Record<"a" | "b" | "c", Maker>): number[] => [
  a.made.length,
  b.made.length,
  c.made.length,
];

test("one_for_one: only the crashed child is replaced; the third crash with I=2 ends the supervisor", async () => {
  const { supervisor, makers, told } = await three("one_for_one");
  makers.b.latest.crash();
  await settled();
  expect(starts(makers)).toEqual([1, 2, 1]);
  expect(told()).toEqual(["exited b crash", "restarted b"]);
  makers.b.latest.crash();
  await settled();
  expect(await exitOf(supervisor)).toBe("alive");
  makers.b.latest.crash();
  await settled();
  expect(await exitOf(supervisor)).toEqual({ kind: "shutdown" });
  expect(told().slice(4)).toEqual(["exited b crash", "gave_up b", "exited c shutdown", "exited a shutdown"]);
});

test("one_for_all: all children change; the third crash with I=2 ends the supervisor", async () => {
  const { supervisor, makers, told } = await three("one_for_all");
  makers.b.latest.crash();
  await settled();
  expect(starts(makers)).toEqual([2, 2, 2]);
  expect(told()).toEqual([
    "exited b crash",
    "exited c shutdown",
    "exited a shutdown",
    "restarted a",
    "restarted b",
    "restarted c",
  ]);
  makers.a.latest.crash();
  await settled();
  makers.c.latest.crash();
  await settled();
  expect(await exitOf(supervisor)).toEqual({ kind: "shutdown" });
  expect(starts(makers)).toEqual([3, 3, 3]);
});

test("rest_for_one: earlier children stay, the crashed and later ones change", async () => {
  const { makers, told } = await three("rest_for_one");
  makers.b.latest.crash();
  await settled();
  expect(starts(makers)).toEqual([1, 2, 2]);
  expect(told()).toEqual(["exited b crash", "exited c shutdown", "restarted b", "restarted c"]);
});

test("a permanent child whose restart always fails: the supervisor gives up and takes the healthy siblings along, for all four strategies", async () => {
  for (const strategy of strategies) {
    const [healthy, broken] = [maker(), maker({ failAt: (start) => start > 1 })];
    const { onEvent, told } = stage();
    const children = [
      { id: "healthy", start: healthy.start },
      { id: "broken", start: broken.start },
    ];
    const supervisor = await startSupervisor({ strategy, intensity: 3, children }, { onEvent });
    broken.latest.crash();
    expect(await supervisor.exited).toEqual({ kind: "shutdown" });
    expect(told().filter((line) => line === "start_failed broken")).toHaveLength(3);
    expect(told().filter((line) => line === "gave_up broken")).toHaveLength(1);
    expect(await exitOf(healthy.latest)).toEqual({ kind: "shutdown" });
  }
  const made = maker({ failAt: (start) => start > 2 });
  for (const supervisor of [
    await startSupervisor({ strategy: "simple_one_for_one", children: [{ id: "t", start: made.start }] }),
  ]) {
    await supervisor.startChild([]);
    await supervisor.startChild([]);
    made.latest.crash();
    expect(await supervisor.exited).toEqual({ kind: "shutdown" });
    for (const child of made.made) expect(await exitOf(child)).not.toBe("alive");
  }
});

test("restarts are counted within the period only: crashes further apart never end the supervisor", async () => {
  const child = maker();
  const { clock } = stage();
  const supervisor = await startSupervisor(
    { intensity: 1, periodSeconds: 5, children: [{ id: "a", start: child.start }] },
    { clock },
  );
  for (let crash = 0; crash < 20; crash += 1) {
    clock.advance(6000);
    child.latest.crash();
    await settled();
  }
  expect(await exitOf(supervisor)).toBe("alive");
  clock.advance(5000); // in whole seconds, as in OTP: an entry of exactly the period ago still counts
  child.latest.crash();
  await settled();
  expect(await exitOf(supervisor)).toEqual({ kind: "shutdown" });
});

test("Elixir's default of a dynamic supervisor allows three restarts in five seconds, OTP's of a static one a single one", async () => {
  const child = maker();
  const { clock } = stage();
  const dynamic = await startDynamicSupervisor({}, { clock });
  await dynamic.startChild({ start: child.start });
  for (let crash = 1; crash <= 4; crash += 1) {
    expect(await exitOf(dynamic)).toBe("alive");
    child.latest.crash();
    await settled();
  }
  expect(await exitOf(dynamic)).toEqual({ kind: "shutdown" });
  const fixed = await startSupervisor({ children: [{ id: "a", start: child.start }] }, { clock });
  child.latest.crash();
  await settled();
  expect(await exitOf(fixed)).toBe("alive");
  child.latest.crash();
  await settled();
  expect(await exitOf(fixed)).toEqual({ kind: "shutdown" });
});

test("a supervisor that gives up is restarted by its parent when permanent, and left down when transient", async () => {
  for (const [restart, expected] of [
    ["permanent", 2],
    ["transient", 1],
  ] as const) {
    const child = maker();
    const inner = { intensity: 0, children: [{ id: "a", start: child.start }] };
    const { onEvent, told } = stage();
    const outer = await startSupervisor(
      { children: [{ id: "inner", type: "supervisor", restart, start: () => startSupervisor(inner) }] },
      { onEvent },
    );
    child.latest.crash();
    await settled();
    expect(told()).toContain("gave_up a");
    expect(child.made).toHaveLength(expected);
    expect(await living(outer)).toEqual(expected === 2 ? ["inner"] : []);
  }
});
