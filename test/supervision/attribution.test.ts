/** Errors that no call returns. They end a process or not, so each case is a process of its own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  currentChild,
  promiseChild,
  startSupervisor,
  type SupervisionEvent,
} from "../../src/supervision/index.ts";
import { type BuiltPackage, buildPackage } from "./support/built-package.ts";
import { fakeChild, settled } from "./support/fake-child.ts";

let built: BuiltPackage;
beforeAll(() => {
  built = buildPackage();
});
afterAll(() => built.remove());

/** Runs a script that has `told`, the lines of all events, and prints them. */
async function run(script: string): Promise<{ status: number | null; lines: string[]; stderr: string }> {
  const file = built.add(
    "case.ts",
    `import { actorChild, promiseChild, startSupervisor } from "lemon-runtime/supervision";
     import { setTimeout as sleep } from "node:timers/promises";
     import { fromTransition } from "xstate";
     const say = (line) => process.stdout.write(line + "\\n");
     const onEvent = (e) => say([e.type, e.childId, e.reason?.kind, e.reason?.detail?.message].filter(Boolean).join(" "));
     ${script}`,
  );
  const { status, stdout, stderr } = await built.run(file);
  return { status, lines: stdout.trim().split("\n"), stderr };
}

const idle = `promiseChild((signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)))`;

test("an exception thrown in a timer of a child crashes that child alone, and it is restarted", async () => {
  const { status, lines } = await run(`
    let starts = 0;
    const flaky = () => {
      starts += 1;
      if (starts === 1) setTimeout(() => { throw new Error("stray"); }, 1);
      return ${idle};
    };
    const children = [{ id: "healthy", start: () => ${idle} }, { id: "flaky", start: flaky }];
    const supervisor = await startSupervisor({ children }, { onEvent, attributeErrors: true });
    while (starts < 2) await sleep(1);
    await supervisor.shutdown();
    say("listeners " + (process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection")));`);
  expect(lines).toEqual([
    "child.started healthy",
    "child.started flaky",
    "child.exited flaky crash stray",
    "child.restarted flaky",
    "child.exited flaky shutdown",
    "child.exited healthy shutdown",
    "listeners 0",
  ]);
  expect(status).toBe(0);
});

test("a rejection that nobody awaits crashes the child whose code made it, also when an actor made it on a message", async () => {
  const { status, lines } = await run(`
    const logic = fromTransition((n, event) => {
      if (event.type === "go") void Promise.reject(new Error("forgotten"));
      return n;
    }, 0);
    const supervisor = await startSupervisor({ children: [{ id: "actor", start: logic }] }, { onEvent, attributeErrors: true });
    (await supervisor.whichChild("actor")).child.send({ type: "go" }); // sent by code that is nobody's
    await sleep(20);
    await supervisor.shutdown();`);
  expect(lines).toEqual([
    "child.started actor",
    "child.exited actor crash forgotten",
    "child.restarted actor",
    "child.exited actor shutdown",
  ]);
  expect(status).toBe(0);
});

test("an error that belongs to no child is never swallowed: the process ends with it, hooks or not", async () => {
  for (const raise of [
    `setTimeout(() => { throw new Error("nobody's"); }, 1)`,
    `void Promise.reject(new Error("nobody's"))`,
  ]) {
    const { status, stderr } = await run(`
      const supervisor = await startSupervisor({ children: [{ id: "a", start: () => ${idle} }] }, { attributeErrors: true });
      ${raise};
      await sleep(5000);`);
    expect(status).toBe(1);
    expect(stderr).toContain("nobody's");
  }
});

test("without attributeErrors no hook is installed and Node's default holds", async () => {
  const { status, stderr } = await run(`
    const start = () => { setTimeout(() => { throw new Error("stray"); }, 1); return ${idle}; };
    await startSupervisor({ children: [{ id: "a", start }] });
    await sleep(5000);`);
  expect(status).toBe(1);
  expect(stderr).toContain("stray");
});

test("a stray error of a life that is over crashes nothing and is told as a late error", async () => {
  const { status, lines } = await run(`
    const start = () => { setTimeout(() => { throw new Error("too late"); }, 10); return ${idle}; };
    const supervisor = await startSupervisor({ children: [{ id: "a", start }, { id: "b", start: () => ${idle} }] }, { onEvent, attributeErrors: true });
    await supervisor.terminateChild("a");
    await sleep(30);
    await supervisor.shutdown();`);
  expect(lines.slice(2)).toEqual([
    "child.exited a shutdown",
    "child.late_error a crash too late",
    "child.exited b shutdown",
  ]);
  expect(status).toBe(0);
});

test("an error thrown by an event listener is raised and charged to nobody", async () => {
  const { status, stderr } = await run(`
    const onBad = () => { throw new Error("bad listener"); };
    await startSupervisor({ children: [{ id: "a", start: () => ${idle} }] }, { onEvent: onBad, attributeErrors: true });
    await sleep(5000);`);
  expect(status).toBe(1);
  expect(stderr).toContain("bad listener");
});

test("importing the room loads no XState; starting an actor does", async () => {
  // A loader that prints every module whose address names the package.
  const loader = `export const load = (url, context, next) => {
    if (url.includes("node_modules/xstate")) process._rawDebug("loads xstate");
    return next(url, context);
  };`;
  const hook = `data:text/javascript,${encodeURIComponent(loader)}`;
  const file = built.add(
    "cheap.ts",
    `import { register } from "node:module";
     register(${JSON.stringify(hook)});
     const { startSupervisor } = await import("lemon-runtime/supervision");
     await startSupervisor({ children: [{ id: "a", start: () => "ignore" }] });
     process._rawDebug("up");
     const logic = { transition: (s) => s, getInitialSnapshot: () => ({ status: "active" }), getPersistedSnapshot: (s) => s };
     const supervisor = await startSupervisor({ children: [{ id: "b", start: logic }] });
     await supervisor.shutdown();`,
  );
  const { stderr } = await built.run(file);
  const lines = stderr.trim().split("\n");
  expect(lines[0]).toBe("up");
  expect(lines).toContain("loads xstate");
});

test("code of a child knows who it is and when its life is over", async () => {
  const seen: (string | number | boolean | undefined)[] = [];
  let me: ReturnType<typeof currentChild>;
  const start = (): ReturnType<typeof promiseChild> => {
    me = currentChild();
    return promiseChild(() => new Promise(() => undefined));
  };
  const supervisor = await startSupervisor(
    { children: [{ id: "a", shutdown: "brutal_kill", start }] },
    { name: "top" },
  );
  seen.push(me?.path, me?.childId, me?.instance, me?.isLive());
  await supervisor.shutdown();
  seen.push(me?.isLive());
  expect(seen).toEqual(["top/a", "a", 1, true, false]);
  expect(currentChild()).toBeUndefined();
});

test("events are plain JSON data that name the path in the tree", async () => {
  const events: SupervisionEvent[] = [];
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const reasons = [new Error("x", { cause: new TypeError("y") }), "text", cyclic, 10n, undefined];
  const children = reasons.map((detail, index) => ({
    id: `c${index}`,
    restart: "temporary" as const,
    start: () => {
      const child = fakeChild();
      child.exit({ kind: "crash", detail });
      return child;
    },
  }));
  const inner = (): ReturnType<typeof startSupervisor> => startSupervisor({ children });
  const outer = { children: [{ id: "inner", type: "supervisor" as const, start: inner }] };
  const supervisor = await startSupervisor(outer, { name: "top", onEvent: (event) => events.push(event) });
  await settled();
  await supervisor.shutdown();
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  const exits = events.filter((event) => event.type === "child.exited" && event.supervisor === "top/inner");
  expect(exits.map((event) => ("reason" in event ? event.reason.detail : undefined))).toEqual([
    { name: "Error", message: "x", cause: { name: "TypeError", message: "y" } },
    "text",
    "[object Object]",
    "10",
    undefined,
  ]);
  expect(new Set(events.map((event) => event.supervisor))).toEqual(new Set(["top", "top/inner"]));
});
