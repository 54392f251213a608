/** Deadlines, aborts, restarts and quarantine: which of them cost a worker, and which count. */
import { describe, expect, it } from "vitest";
import type { Collection } from "../../src/extensions/port.ts";
import { ToolDeadlineError, type ToolFailure } from "../../src/tools/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { callTool, type TestWorld, testWorld, textOf, threadCount, withTools } from "./worker-support.ts";

const tools = {
  hang: "await new Promise(() => {})",
  loop: "onUpdate({ content: [] }); for (;;);",
  polite: "await new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason)))",
  slow: "await new Promise((go) => { release = go }); return text('slow')",
  release: "release(); return text('released')",
  exit: "process.exit(7)",
  life: "return text(born)",
};
const source = withTools(
  tools,
  "hooks: { onToolCall: [() => ({ block: 'x' }), () => {}], onToolResult: () => {} }",
  "let release; const born = Math.random();",
);

async function opened(t: TestWorld): Promise<Awaited<ReturnType<TestWorld["open"]>>["members"]> {
  return (await t.open(source)).members;
}

/** Aborts a call that has begun, and waits for its caller's answer. */
async function ended(members: Collection, name: string, reason: Error): Promise<void> {
  const controller = new AbortController();
  const call = callTool(members, name, { signal: controller.signal });
  await textOf(callTool(members, "life")).catch(() => undefined); // its worker has taken the call before
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
}

describe("a call that goes on after its end", () => {
  it.each([
    ["its own deadline, which counts", new ToolDeadlineError(5), 1],
    ["the user's abort, which doesn't", new Error("stop"), 0],
  ])("loses its worker a second after %s", async (_name, reason, counted) => {
    const clock = new ManualClock();
    await using t = await testWorld({ clock });
    const members = await opened(t);
    const first = await textOf(callTool(members, "life"));
    await ended(members, "hang", reason);
    clock.advance(999);
    expect(await textOf(callTool(members, "life"))).toBe(first);
    clock.advance(1);
    expect(await textOf(callTool(members, "life"))).not.toBe(first);
    expect(t.seen.restarted.map(({ cause }) => cause)).toEqual(counted === 1 ? ["deadline"] : []);
  });

  it("keeps its worker when it ends in time", async () => {
    const clock = new ManualClock();
    await using t = await testWorld({ clock });
    const members = await opened(t);
    const first = await textOf(callTool(members, "life"));
    await ended(members, "polite", new Error("stop"));
    expect(await textOf(callTool(members, "life"))).toBe(first);
    clock.advance(5000);
    expect(await textOf(callTool(members, "life"))).toBe(first);
  });

  it("leaves its worker to the other calls, while new ones go to a fresh one", async () => {
    const clock = new ManualClock();
    await using t = await testWorld({ clock });
    const members = await opened(t);
    const threads = threadCount();
    const first = await textOf(callTool(members, "life"));
    const user = new AbortController();
    const polite = callTool(members, "polite", { signal: user.signal }).catch((error: unknown) => error);
    await ended(members, "hang", new ToolDeadlineError(5));
    clock.advance(1000);
    expect(await textOf(callTool(members, "life"))).not.toBe(first);
    expect(t.world.zombies()).toEqual([]);
    expect(threadCount()).toBeGreaterThan(threads);
    const reason = new Error("stop");
    user.abort(reason);
    expect(await polite).toBe(reason);
    await t.until(() => threadCount() <= threads);
  });

  it("takes its worker along with the others' calls when it blocks it", async () => {
    const clock = new ManualClock();
    await using t = await testWorld({ clock });
    const members = await opened(t);
    const slow = callTool(members, "slow").catch((error: unknown) => error);
    const controller = new AbortController();
    const begun = new Promise<void>((go) => {
      const loop = callTool(members, "loop", { signal: controller.signal, onUpdate: () => go() });
      loop.catch(() => undefined);
    });
    await begun;
    controller.abort(new Error("stop"));
    clock.advance(1000); // the ping is sent
    clock.advance(100); // and not answered
    const failure = (await slow) as ToolFailure;
    expect(failure.message).toBe("Tool task crashed: it did not answer");
    await textOf(callTool(members, "life"));
    expect(t.seen.restarted).toMatchObject([{ cause: "unresponsive", restarts: 1 }]);
  });
});

describe("an extension that ends too often", () => {
  it("is restarted three times within a minute, then quarantined", async () => {
    const clock = new ManualClock(1000);
    await using t = await testWorld({ clock });
    const { host, members } = await t.open(source);
    for (let death = 1; death <= 4; death += 1)
      await expect(callTool(members, "exit")).rejects.toThrow("Tool task crashed: exit code 7");
    const failure = (await callTool(members, "life").catch((e: unknown) => e)) as ToolFailure;
    const reason = "its worker ended 4 times within 60 s, at last: exit code 7";
    expect(failure.result.details).toEqual({ errorType: "extension_quarantined" });
    expect(failure.message).toBe(`Extension sample is quarantined: ${reason}`);
    expect(t.seen.quarantined).toEqual([{ module: "sample", reason, restarts: 3 }]);
    const strict = { handlerMs: 50, eventMs: null, untilBlocked: true };
    expect(await members.runHooks("onToolCall", [{}], strict)).toMatchObject([
      { status: "failed", failure: { kind: "quarantined" } },
      { status: "not_run" },
    ]);
    expect(await members.runHooks("onToolResult", [{}], strict)).toEqual([{ status: "not_run" }]);
    await host.end();
  });

  it("goes on when a minute lies between", async () => {
    const clock = new ManualClock();
    await using t = await testWorld({ clock });
    const members = await opened(t);
    for (let death = 1; death <= 6; death += 1) {
      await expect(callTool(members, "exit")).rejects.toThrow("exit code 7");
      await textOf(callTool(members, "life"));
      clock.advance(31_000);
    }
    expect(t.seen.quarantined).toEqual([]);
    expect(t.seen.restarted).toHaveLength(6);
  });

  it("is quarantined too when it does not load any more", async () => {
    await using t = await testWorld();
    const { writeFileSync } = await import("node:fs");
    const { fileURLToPath } = await import("node:url");
    const bundle = t.bundle(source);
    const { members } = await t.open(source);
    writeFileSync(fileURLToPath(bundle.url), "throw new Error('changed')");
    await expect(callTool(members, "exit")).rejects.toThrow("exit code 7");
    await expect(callTool(members, "life")).rejects.toThrow("Extension sample is quarantined");
    expect(t.seen.quarantined[0]?.reason).toMatch(/changed/);
  });
});

describe("a worker that is started again", () => {
  it("has the members of every folder and settings in use", async () => {
    await using t = await testWorld();
    const host = await t.load(
      withTools({}, "", "").replace(
        "tools: []",
        "tools: (cwd, { config }) => [{ name: 'where', description: '', execute: () => text(cwd + config.n) }, { name: 'exit', description: '', execute: () => process.exit(1) }]",
      ),
    );
    const a = await host.collect("/a", { n: 1 });
    const b = await host.collect("/b", { n: 2, m: 3 });
    const same = await host.collect("/b", { m: 3, n: 2 });
    expect(same.tools[0]).toBe(b.tools[0]);
    await expect(callTool(a, "exit")).rejects.toThrow("exit code 1");
    expect(await textOf(callTool(a, "where"))).toBe("/a1");
    expect(await textOf(callTool(b, "where"))).toBe("/b2");
    b.release();
    b.release();
    expect(await textOf(callTool(same, "where"))).toBe("/b2");
  });

  it("fails calls of a tool that it no longer has", async () => {
    await using t = await testWorld();
    const mark = `${t.folder}/mark`;
    const { members } = await t.open(`import { existsSync, writeFileSync } from "node:fs";
      const tool = (name, execute) => ({ name, description: "", execute });
      const exit = tool("exit", () => { writeFileSync(${JSON.stringify(mark)}, ""); process.exit(1) });
      const twin = (n) => tool("twin", () => ({ content: [{ type: "text", text: n }] }));
      export default { name: "a", version: "1.0.0", tools: () => existsSync(${JSON.stringify(mark)}) ? [twin("one"), exit] : [exit, twin("one"), twin("two")] }`);
    const [, one, two] = members.tools;
    const run = (tool: typeof one): Promise<unknown> =>
      tool?.execute("c", {}, new AbortController().signal, () => undefined, {
        sessionId: "s",
      } as never) ?? Promise.reject(new Error("no such tool"));
    expect(await run(two)).toMatchObject({ content: [{ text: "two" }] });
    await expect(callTool(members, "exit")).rejects.toThrow("crashed");
    expect(await run(one)).toMatchObject({ content: [{ text: "one" }] });
    await expect(run(two)).rejects.toMatchObject({
      message: "Tool task failed to start: the extension has no tool twin any more",
    });
  });

  it("is waited for inside the call's own time", async () => {
    await using t = await testWorld();
    const members = await opened(t);
    const exit = callTool(members, "exit").catch(() => undefined);
    await exit;
    const controller = new AbortController();
    const late = new ToolDeadlineError(1);
    const waiting = callTool(members, "life", { signal: controller.signal });
    controller.abort(late);
    await expect(waiting).rejects.toBe(late);
    expect(await textOf(callTool(members, "life"))).toMatch(/^0\./);
  });
});

it("an extension that ends waits for its calls, and leaves nothing behind", async () => {
  await using t = await testWorld();
  const { host, members } = await t.open(source);
  const slow = textOf(callTool(members, "slow"));
  const end = host.end();
  await callTool(members, "release");
  expect(await slow).toBe("slow");
  await end;
  await expect(callTool(members, "life")).rejects.toThrow("its extension has been unloaded");
  expect(t.seen.restarted).toEqual([]);
  expect((await t.supervisor.countChildren()).active).toBe(0);
});

it("an extension that waits for its calls can still be told to end now", async () => {
  await using t = await testWorld();
  const { host, members } = await t.open(source);
  const hang = callTool(members, "hang").catch((error: unknown) => error);
  const patient = host.end();
  await host.end(true);
  await patient;
  expect(String(await hang)).toContain("its extension has been unloaded");
});

it("a member that blocks its worker is told as that member's error", async () => {
  const clock = new ManualClock();
  await using t = await testWorld({ clock });
  const host = await t.load(
    "export default { name: 'a', version: '1.0.0', tools: [], hooks() { for (;;); } }",
  );
  const collecting = host.collect("/", {});
  let members: Awaited<typeof collecting> | undefined;
  void collecting.then((collected) => (members = collected));
  while (members === undefined) {
    await new Promise((turn) => setTimeout(turn, 5));
    clock.advance(525);
  }
  expect(members.errors).toEqual({ hooks: ["hooks raised an error: timed out after 5000ms"] });
});
