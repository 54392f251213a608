/** OTP behaviours 1 to 12: start and shape. */
import { expect, test } from "vitest";
import {
  checkChildSpec,
  type ChildSpec,
  Registry,
  startDynamicSupervisor,
  startSupervisor,
  type SupervisorOptions,
} from "../../src/supervision/index.ts";
import { maker } from "./support/fake-child.ts";
import { exitOf, refusal, refusalReason, refusedField, stage } from "./support/harness.ts";

/** Something a JavaScript caller might pass: the types would refuse it. */
const wrong = <T>(value: unknown): T => value as T;
const a = (): ChildSpec => ({ id: "a", start: maker().start });

test("a supervisor with no children starts; asked to shut down, it ends `shutdown`", async () => {
  const supervisor = await startSupervisor({});
  expect(await exitOf(supervisor)).toBe("alive");
  expect(await supervisor.shutdown()).toEqual({ kind: "shutdown" });
  expect(await exitOf(supervisor)).toEqual({ kind: "shutdown" });
});

test("init says ignore: the starter gets ignore, the would-be supervisor ends normal, no process is left", async () => {
  const registry = new Registry();
  let seen: Promise<unknown> | undefined;
  const init = (): "ignore" => {
    seen = registry.whereIs("s")?.exited;
    return "ignore";
  };
  expect(await startSupervisor(init, { name: "s", registry })).toBe("ignore");
  expect(await seen).toEqual({ kind: "normal" });
  expect(registry.names()).toEqual([]);
});

test("init returns rubbish, or throws: the starter gets an error that holds the reason; the supervisor's exit reason is the same", async () => {
  for (const [init, reason] of [
    [() => wrong<SupervisorOptions>(42), "invalid_spec"],
    [
      () => {
        throw new Error("no flags today");
      },
      "start_failed",
    ],
  ] as const) {
    const registry = new Registry();
    let seen: Promise<unknown> | undefined;
    const watched = (): SupervisorOptions => {
      seen = registry.whereIs("s")?.exited;
      return init();
    };
    const error = await refusal(startSupervisor(watched, { name: "s", registry }));
    expect(error.reason).toBe(reason);
    expect(error.message).toContain(reason === "start_failed" ? "no flags today" : "42");
    expect(await seen).toEqual({ kind: "shutdown", detail: error });
  }
});

test("tree start where the third of four children fails: second and first are stopped with shutdown, in that order; the fourth never starts; the error names the failing id and its reason", async () => {
  const { onEvent, told } = stage();
  const boom = new Error("no disk");
  const fail = (): never => {
    throw boom;
  };
  const fourth = maker();
  const children = [
    { id: "first", start: maker().start },
    { id: "second", start: maker().start },
    { id: "third", start: fail },
    { id: "fourth", start: fourth.start },
  ];
  const error = await refusal(startSupervisor({ children }, { onEvent }));
  expect(error).toMatchObject({ reason: "start_failed", childId: "third", cause: boom });
  expect(error.message).toContain("third");
  expect(error.message).toContain("no disk");
  expect(told()).toEqual([
    "started first",
    "started second",
    "start_failed third",
    "exited second shutdown",
    "exited first shutdown",
  ]);
  expect(fourth.made).toEqual([]);
});

test("spec without id, without start, not a spec at all: three distinct errors, nothing started", async () => {
  const good = maker();
  const fields = await Promise.all(
    [{ start: good.start }, { id: "b" }, "b"].map((bad) =>
      refusedField(startSupervisor({ children: [{ id: "a", start: good.start }, wrong<ChildSpec>(bad)] })),
    ),
  );
  expect(fields).toEqual(["id", "start", "spec"]);
  expect(good.made).toEqual([]);
});

test("unknown key in spec or flags: accepted and ignored", async () => {
  const spec = { ...a(), colour: "red" };
  const supervisor = await startSupervisor({ children: [spec], shape: "round" } as SupervisorOptions);
  expect(await supervisor.childSpec("a")).not.toHaveProperty("colour");
});

test("two specs with one id in the initial list: refused, id named", async () => {
  const error = await refusal(startSupervisor({ children: [a(), { id: "b", start: maker().start }, a()] }));
  expect(error).toMatchObject({ reason: "invalid_spec", field: "id", childId: "a" });
  expect(error.message).toContain('"a"');
});

test("defaults: worker 5000 ms, supervisor infinity, permanent, not significant; readable through childSpec; unknown id not_found", async () => {
  const supervisor = await startSupervisor({
    children: [a(), { id: "s", type: "supervisor", start: () => startSupervisor({}) }],
  });
  expect(await supervisor.childSpec("a")).toMatchObject({
    id: "a",
    restart: "permanent",
    shutdown: 5000,
    significant: false,
    type: "worker",
    isolation: "inline",
  });
  expect(await supervisor.childSpec("s")).toMatchObject({
    shutdown: "infinity",
    restart: "permanent",
    type: "supervisor",
  });
  expect(await refusalReason(supervisor.childSpec("nobody"))).toBe("not_found");
  const { strategy, intensity, periodSeconds } = supervisor.tree();
  expect({ strategy, intensity, periodSeconds }).toEqual({
    strategy: "one_for_one",
    intensity: 1,
    periodSeconds: 5,
  });
  const dynamic = (await startDynamicSupervisor({})).tree();
  expect(dynamic).toMatchObject({ strategy: "dynamic", intensity: 3, periodSeconds: 5 });
});

test("bad strategy, negative or infinite intensity, zero or infinite period, flags of the wrong shape: refused, each with its own error", async () => {
  const refused = (flags: unknown): Promise<string | undefined> =>
    refusedField(startSupervisor(wrong<SupervisorOptions>(flags)));
  expect(await refused({ strategy: "one_for_none" })).toBe("strategy");
  expect(await refused({ intensity: -1 })).toBe("intensity");
  expect(await refused({ intensity: Infinity })).toBe("intensity");
  expect(await refused({ periodSeconds: 0 })).toBe("periodSeconds");
  expect(await refused({ periodSeconds: Infinity })).toBe("periodSeconds");
  expect(await refused("flags")).toBe("options");
  expect(await refused({ autoShutdown: "perhaps" })).toBe("autoShutdown");
  expect(await refused({ children: "none" })).toBe("children");
  const negative = await refusal(startSupervisor({ intensity: -1 }));
  expect(negative).toMatchObject({ got: "-1", expected: "a whole number >= 0", code: "LEMON_INVALID_SPEC" });
});

test("shutdown -10, wrong restart word, wrong type word: each refused by startChild AND by the stand-alone check, with the same error", async () => {
  const supervisor = await startSupervisor({});
  const started = maker();
  for (const [field, value] of [
    ["shutdown", -10],
    ["restart", "sometimes"],
    ["type", "boss"],
  ] as const) {
    const spec = wrong<ChildSpec>({ id: "x", start: started.start, [field]: value });
    const fromCall = await refusal(supervisor.startChild(spec));
    const fromCheck = await refusal((async () => checkChildSpec(spec))());
    expect(fromCall).toMatchObject({ reason: "invalid_spec", field, childId: "x" });
    expect(fromCall.message).toContain(String(value));
    expect(fromCheck.message).toBe(fromCall.message);
  }
  expect(started.made).toEqual([]);
  expect(await supervisor.countChildren()).toEqual({ specs: 0, active: 0, supervisors: 0, workers: 0 });
});

test("dynamic (simple) supervisor with zero or two templates: refused", async () => {
  const two = [a(), { id: "b", start: maker().start }];
  for (const children of [[], two]) {
    expect(await refusedField(startSupervisor({ strategy: "simple_one_for_one", children }))).toBe(
      "children",
    );
  }
});

test("infinity is a valid shutdown for a worker as well as a supervisor", async () => {
  const shutdown = "infinity";
  const supervisor = await startSupervisor({
    children: [
      { ...a(), shutdown },
      { id: "s", type: "supervisor", shutdown, start: () => startSupervisor({}) },
    ],
  });
  expect((await supervisor.childSpec("a")).shutdown).toBe("infinity");
  expect((await supervisor.childSpec("s")).shutdown).toBe("infinity");
});

test("significant is refused for a permanent child, and under a supervisor that never shuts itself down", async () => {
  const significant = true;
  expect(
    await refusedField(
      startSupervisor({ autoShutdown: "any_significant", children: [{ ...a(), significant }] }),
    ),
  ).toBe("significant");
  expect(
    await refusedField(startSupervisor({ children: [{ ...a(), significant, restart: "transient" }] })),
  ).toBe("significant");
  const dynamic = await startDynamicSupervisor({});
  expect(await refusedField(dynamic.startChild({ ...a(), significant, restart: "temporary" }))).toBe(
    "significant",
  );
});

test("a simple_one_for_one supervisor refuses an automatic shutdown", async () => {
  const options = {
    strategy: "simple_one_for_one",
    autoShutdown: "any_significant",
    children: [a()],
  } as const;
  expect(await refusedField(startSupervisor(options))).toBe("autoShutdown");
});
