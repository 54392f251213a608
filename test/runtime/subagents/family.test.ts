import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { defineExtension } from "../../../src/extensions/index.ts";
import { factOfType, factsOf, gate, temporaryFolder } from "../../support/runtimes.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { giveRoles, results, seenTasks, stage, taskWords, tasks } from "./support.ts";

describe("several at once", () => {
  test("tasks of one answer overlap, as many as the lane is wide, in the order of their calls", async () => {
    const began: string[] = [];
    const gates = [gate(), gate(), gate(), gate()];
    const acts = Object.fromEntries(
      gates.map(({ promise }, at) => [
        `part ${at}`,
        [
          async () => {
            began.push(`part ${at}`);
            await promise;
            return { text: `did ${at}` };
          },
        ],
      ]),
    );
    const { runtime, log, session } = await stage(
      {
        go: [tasks(...gates.map((_, at) => ({ prompt: `part ${at}`, async: false }))), { text: "all" }],
        ...acts,
      },
      { config: { lanes: { subagent: 2 } } },
    );
    const run = session.prompt("go");
    const until = async (count: number): Promise<void> => {
      while (began.length < count) await new Promise(setImmediate);
    };
    await until(2);
    // Nothing more begins while the lane is full.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(began.toSorted()).toEqual(["part 0", "part 1"]);
    expect((await runtime.tasks.list(session.id)).map(({ status }) => status)).toEqual([
      "running",
      "running",
      "queued",
      "queued",
    ]);
    gates[1]?.open();
    await until(3);
    expect(began.slice(2)).toEqual(["part 2"]);
    for (const each of gates) each.open();
    expect((await run).text).toBe("all");
    expect((await results(log, session.id)).map((text) => text.split("\n")[1]).toSorted()).toEqual([
      "did 0",
      "did 1",
      "did 2",
      "did 3",
    ]);
    await runtime.close();
  });

  test("an abort of the session cancels all, those in line and those at work, and ends their commands", async () => {
    const cwd = temporaryFolder();
    const { runtime, log, session } = await stage(
      {
        go: [
          tasks({ prompt: "work", async: false }, { prompt: "work", async: true }, { prompt: "work" }),
          tasks({ action: "join", taskIds: ["task_0000000000000000"] }),
          { text: "never" },
        ],
        work: [
          { toolCalls: [{ name: "bash", args: { command: "echo $$ > pid; exec sleep 60" } }] },
          { text: "never" },
        ],
      },
      { config: { lanes: { subagent: 2 } }, cwd },
    );
    const run = session.prompt("go");
    const pidFile = path.join(cwd, "pid");
    while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "")
      await new Promise((done) => setTimeout(done, 5));
    const pid = Number(readFileSync(pidFile, "utf8"));
    await session.abort("stop all");
    expect((await run).status).toBe("aborted");
    expect((await runtime.tasks.list(session.id)).map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
    const facts = await factsOf(log, `session-${session.id}`);
    const cancels = facts.filter(({ type }) => type === "subagent.cancelled");
    expect(cancels.map(({ kind, data }) => [kind, (data as { cause: string }).cause])).toEqual(
      Array.from({ length: 3 }, () => ["decision", "parent_aborted"]),
    );
    await session.shutdown();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect((await runtime.replay.verify(session.id)).divergences).toEqual([]);
    await runtime.close();
  });

  test("a session that is at rest can be aborted while its tasks are at work", async () => {
    const held = gate();
    const { runtime, session } = await stage({
      go: [tasks({ prompt: "work" }), { text: "bye" }],
      work: [
        async () => {
          await held.promise;
          return { text: "late" };
        },
      ],
    });
    await session.prompt("go");
    expect(await session.abort()).toEqual({ aborted: true });
    expect((await runtime.tasks.list(session.id)).map(({ status }) => status)).toEqual(["cancelled"]);
    expect(await session.abort()).toEqual({ aborted: false });
    held.open();
    await runtime.close();
  });

  test("its shutdown cancels them too, and waits for them", async () => {
    const held = gate();
    const { runtime, log, session } = await stage({
      go: [tasks({ prompt: "work" }), { text: "bye" }],
      work: [
        async () => {
          await held.promise;
          return { text: "late" };
        },
      ],
    });
    await session.prompt("go");
    const [task] = await runtime.tasks.list(session.id);
    held.open();
    await session.shutdown("done");
    expect((await taskWords(log, session.id)).at(-1)).toMatch(/cancelled|completed/);
    expect(await runtime.sessions.get(task?.taskId ?? "")).toBeNull();
    await runtime.close();
  });
});

describe("what a subagent inherits", () => {
  test("hooks apply inside it: what an extension blocks is blocked there, and it is told that it is a subagent", async () => {
    const scopes: string[] = [];
    const cwd = temporaryFolder();
    const guard = defineExtension({
      name: "guard",
      version: "1.0.0",
      hooks: {
        onSessionStart: ({ sessionScope }) => void scopes.push(sessionScope),
        onToolCall: ({ toolName }) => (toolName === "write" ? { block: "not here" } : undefined),
      },
    });
    const { runtime, log, session } = await stage(
      {
        go: [tasks({ prompt: "work", async: false }), { text: "done" }],
        work: [
          { toolCalls: [{ name: "write", args: { path: "a.txt", content: "x" } }] },
          { text: "it would not let me" },
        ],
      },
      { extensions: [guard], cwd },
    );
    await session.prompt("go");
    const [task] = await runtime.tasks.list(session.id);
    const facts = await factsOf(log, `session-${task?.taskId}`);
    expect(facts.find(({ type }) => type === "tool_call.blocked")?.data).toMatchObject({
      reason: "not here",
    });
    expect(existsSync(path.join(cwd, "a.txt"))).toBe(false);
    expect(scopes).toEqual(["main", "subagent"]);
    await runtime.close();
  });

  test("the approval policy: a call inside it waits for an answer like any, and can be answered", async () => {
    const cwd = temporaryFolder();
    const log = await memoryLog();
    const { runtime, session } = await stage(
      {
        go: [tasks({ prompt: "work", async: false }), { text: "done" }],
        work: [
          { toolCalls: [{ name: "write", args: { path: "a.txt", content: "x" } }] },
          { text: "written" },
        ],
      },
      { cwd, log, config: { runtime: { approval: "ask" } } },
    );
    const run = session.prompt("go");
    while ((await runtime.sessions.approvals()).length === 0) await new Promise(setImmediate);
    const [waiting] = await runtime.sessions.approvals();
    const [task] = await runtime.tasks.list(session.id);
    expect(waiting).toMatchObject({ sessionId: task?.taskId, tool: "write" });
    const child = await runtime.sessions.get(task?.taskId ?? "");
    await child?.approvals.resolve(waiting?.id ?? "", "allow");
    expect((await run).text).toBe("done");
    expect(readFileSync(path.join(cwd, "a.txt"), "utf8")).toBe("x");
    await runtime.close();
  });

  test("not the tool of subagents, unless its role delegates, and never three deep", async () => {
    const home = temporaryFolder();
    giveRoles(home, [{ id: "lead", prompt: "You lead.", delegate: true }]);
    const deeper = (prompt: string) => [
      tasks({ prompt, role: "lead", async: false }),
      { text: `${prompt} is through` },
    ];
    const { runtime, log, session } = await stage(
      {
        go: deeper("one"),
        one: deeper("two"),
        two: deeper("three"),
        three: deeper("four"),
        four: [{ text: "?" }],
      },
      // One slot is enough for all: who waits for its own gives it back.
      { home, config: { lanes: { subagent: 1 } } },
    );
    expect((await session.prompt("go")).status).toBe("completed");
    const sessions = (await runtime.sessions.list()).filter(({ origin }) => origin === "subagent");
    expect(sessions).toHaveLength(3);
    const deepest = sessions.find(({ sessionId }) =>
      sessions.every((other) => other.parentSessionId !== sessionId),
    );
    const facts = await factsOf(log, `session-${deepest?.sessionId}`);
    expect(facts.find(({ type }) => type === "session.started")?.data).toMatchObject({
      lineage: { depth: 3 },
      toolPolicy: { deny: ["task"] },
    });
    expect(facts.find(({ type }) => type === "tool_call.completed")?.data).toMatchObject({
      reason: "unknown_tool",
    });
    const prompts = facts.find(({ type }) => type === "prompt.submitted")?.data;
    expect(prompts).toMatchObject({ content: [{ type: "text", text: "You lead.\n\nthree" }] });
    await runtime.close();
  });

  test("in plan mode there is no tool of subagents", async () => {
    const { runtime, session } = await stage({ go: [tasks({ prompt: "x" }), { text: "done" }] });
    await session.planMode.enter();
    expect(session.tools().map(({ name }) => name)).not.toContain("task");
    await session.prompt("go");
    expect(await runtime.tasks.list(session.id)).toEqual([]);
    await runtime.close();
  });
});

describe("receipts", () => {
  test.each([
    ["a call waits for", false],
    ["goes on by itself", true],
  ])("what a subagent that %s changed is covered by the points of the session", async (_how, isAsync) => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, "kept.txt"), "before\n");
    writeFileSync(path.join(cwd, "shell.txt"), "before\n");
    const { runtime, log, session } = await stage(
      {
        go: [
          tasks({ prompt: "work", async: isAsync }),
          (context) => tasks({ action: "join", taskIds: seenTasks(context) }),
          { text: "done" },
        ],
        work: [
          {
            toolCalls: [
              { name: "write", args: { path: "kept.txt", content: "after\n" } },
              { name: "write", args: { path: "new/made.txt", content: "made\n" } },
              { name: "bash", args: { command: "echo changed > shell.txt" } },
            ],
          },
          { text: "worked" },
        ],
      },
      { cwd },
    );
    const point = await runtime.checkpoints.createFilesystem(session.id);
    await session.prompt("go");
    const [task] = await runtime.tasks.list(session.id);
    const result = await runtime.tasks.get(task?.taskId ?? "");
    expect(result.filesChanged.map(({ path: file, change }) => [path.relative(cwd, file), change])).toEqual([
      ["kept.txt", "modified"],
      ["new/made.txt", "created"],
      ["shell.txt", "modified"],
    ]);
    const { output } = await runtime.checkpoints.diffFilesystem(point.id);
    expect(output).toContain("+after");
    const restored = await runtime.checkpoints.restoreFilesystem(point.id);
    expect(restored).toMatchObject({ status: "restored", conflicts: [], failed: [] });
    expect(readFileSync(path.join(cwd, "kept.txt"), "utf8")).toBe("before\n");
    expect(readFileSync(path.join(cwd, "shell.txt"), "utf8")).toBe("before\n");
    expect(existsSync(path.join(cwd, "new"))).toBe(false);
    expect((await results(log, session.id))[isAsync ? 1 : 0]).toContain("created");
    await runtime.close();
  });

  test("a file that was changed by hand since is left alone, and a version of the session is a point as well", async () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, "d"));
    writeFileSync(path.join(cwd, "d/a.txt"), "1\n");
    writeFileSync(path.join(cwd, "d/b.txt"), "1\n");
    const { runtime, session } = await stage(
      {
        go: [tasks({ prompt: "work", async: false }), { text: "done" }],
        work: [
          {
            toolCalls: ["a", "b"].map((name) => ({
              name: "write",
              args: { path: `d/${name}.txt`, content: "2\n" },
            })),
          },
          { text: "worked" },
        ],
      },
      { cwd },
    );
    const at = session.state().version;
    await session.prompt("go");
    writeFileSync(path.join(cwd, "d/b.txt"), "by hand\n");
    const restored = await runtime.checkpoints.restoreFilesystem({ sessionId: session.id, at });
    expect(restored.status).toBe("partial");
    expect(readFileSync(path.join(cwd, "d/a.txt"), "utf8")).toBe("1\n");
    expect(readFileSync(path.join(cwd, "d/b.txt"), "utf8")).toBe("by hand\n");
    await runtime.close();
  });
});

describe("when the session is given back, or its process dies", () => {
  async function interrupted(isAsync: boolean) {
    const log = await memoryLog();
    const home = temporaryFolder();
    const first = gate();
    const acts = (isSecond: boolean) => ({
      go: [
        tasks({ prompt: "work", async: isAsync }, { prompt: "later", async: isAsync }),
        async (context: Parameters<typeof seenTasks>[0]) => {
          if (!isSecond) await first.promise;
          const ids = seenTasks(context);
          return ids.length === 0 ? { text: "alone" } : tasks({ action: "join", taskIds: ids });
        },
        { text: "done" },
      ],
      work: [
        async () => {
          if (!isSecond) await first.promise;
          return { text: "worked" };
        },
      ],
      later: [{ text: "worked later" }],
    });
    const options = { log, home, cwd: home, config: { lanes: { subagent: 1 } } };
    const { runtime, session } = await stage(acts(false), options);
    session.prompt("go").catch(() => undefined);
    await factOfType(log, `session-${session.id}`, "subagent.started");
    while ((await taskWords(log, session.id)).filter((word) => word === "queued").length < 2)
      await new Promise(setImmediate);
    const [running] = await runtime.tasks.list(session.id);
    await factOfType(log, `session-${running?.taskId}`, "model.requested");
    await session.release();
    const between = (await runtime.tasks.list(session.id)).map(({ status }) => status);
    first.open();
    await runtime.close();
    const again = await stage(acts(true), options);
    const resumed = await again.runtime.sessions.resume(session.id);
    const outcome = await resumed.outcome();
    const ended = await again.runtime.tasks.list(session.id);
    const words = await taskWords(log, session.id);
    for (const { sessionId } of await again.runtime.sessions.list())
      expect((await again.runtime.replay.verify(sessionId)).divergences).toEqual([]);
    await again.runtime.close();
    return { outcome, between, ended, words, log };
  }

  test("tasks that go on by themselves are taken up again: one goes on, one starts once", async () => {
    const { outcome, between, ended, words, log } = await interrupted(true);
    expect(between).toEqual(["lost", "lost"]);
    expect(outcome?.text).toBe("done");
    expect(ended.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(words.filter((word) => word === "started")).toHaveLength(2);
    for (const { taskId } of ended) {
      const facts = await factsOf(log, `session-${taskId}`);
      expect(facts.filter(({ type }) => type === "prompt.submitted")).toHaveLength(1);
      expect(facts.filter(({ type }) => type === "session.started")).toHaveLength(1);
    }
  });

  test("those for which a call waited are cancelled, as the call is told that it was interrupted", async () => {
    const { outcome, ended, words } = await interrupted(false);
    expect(outcome?.status).toBe("completed");
    expect(ended.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(words.filter((word) => word === "started")).toHaveLength(1);
  });
});
