/** Forks, as a program makes them. docs/reference/forks.md */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineExtension } from "../../src/extensions/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import type { ScriptedTurn } from "../../src/providers/index.ts";
import { stateAt, verifyReplay } from "../../src/replay/index.ts";
import type { Runtime, RuntimeOptions } from "../../src/runtime/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import {
  factOfType,
  factsOf,
  gate,
  probe,
  probeExtension,
  scriptedRuntime,
  temporaryFolder,
} from "../support/runtimes.ts";
import { settled } from "../support/streams.ts";

async function opened(
  turns: readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> = {},
): Promise<{ runtime: Runtime; log: EventLog }> {
  const log = await memoryLog();
  const runtime = await scriptedRuntime(log, turns, options);
  onTestFinished(async () => {
    await runtime.close();
    await log.close();
  });
  return { runtime, log };
}

const typesOf = async (log: EventLog, id: string): Promise<string[]> =>
  (await factsOf(log, `session-${id}`)).map(({ type }) => type);

const write = (file: string, content: string): ScriptedTurn => ({
  toolCalls: [{ name: "write", args: { path: file, content } }],
});

describe("a fork", () => {
  test("goes on with its parent's conversation, and leaves the parent as it is", async () => {
    const { runtime, log } = await opened([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const parent = await runtime.sessions.start({ model: "s/m" });
    await parent.prompt("first");
    const { version } = parent.state();
    await parent.prompt("second");
    const before = await factsOf(log, `session-${parent.id}`);
    const fork = await runtime.sessions.fork(parent.id, { at: version });
    expect(fork.state()).toMatchObject({ status: "idle", sessionId: fork.id, mode: "normal" });
    expect(await fork.outcome()).toMatchObject({ text: "one" });
    expect((await fork.prompt("another way")).text).toBe("two");
    const { messages } = await stateAt(log, `session-${fork.id}`);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(await factsOf(log, `session-${parent.id}`)).toEqual(before);
    expect((await verifyReplay(log, fork.id)).divergences).toEqual([]);
    const list = await runtime.sessions.list();
    expect(list.find(({ sessionId }) => sessionId === fork.id)).toMatchObject({
      origin: "session",
      sessionKey: `session:${fork.id}`,
      forkedFrom: { sessionId: parent.id, at: version },
    });
  });

  test("does not go on with an open run until it is prompted, which that run takes at its end", async () => {
    const { runtime, log } = await opened([write("a", "1"), { text: "done" }, { text: "and that" }]);
    const parent = await runtime.sessions.start({ model: "s/m" });
    await parent.prompt("go");
    const asked = await factOfType(log, `session-${parent.id}`, "tool_call.completed");
    const fork = await runtime.sessions.fork(parent.id, { at: asked.version });
    expect(fork.state()).toMatchObject({ status: "running" });
    const quiet = await typesOf(log, fork.id);
    await settled();
    expect(await typesOf(log, fork.id)).toEqual(quiet);
    expect(await fork.prompt("then that")).toMatchObject({ status: "completed", text: "and that" });
    expect((await typesOf(log, fork.id)).filter((type) => type === "agent.ended")).toHaveLength(1);
    expect((await verifyReplay(log, fork.id)).divergences).toEqual([]);
  });

  test("goes on with an open run when it is resumed, and can be aborted before", async () => {
    const { runtime, log } = await opened([write("a", "1"), { text: "done" }, { text: "new" }]);
    const parent = await runtime.sessions.start({ model: "s/m" });
    await parent.prompt("go");
    const { version: at } = await factOfType(log, `session-${parent.id}`, "tool_call.returned");
    const fork = await runtime.sessions.fork(parent.id, { at });
    const ended = fork.outcome();
    await runtime.sessions.resume(fork.id);
    expect(await ended).toMatchObject({ text: "done" });
    const other = await runtime.sessions.fork(parent.id, { at });
    expect(await other.abort()).toEqual({ aborted: true });
    expect((await other.prompt("go")).text).toBe("done");
  });

  test("interrupts what runs in its parent, and lets that go on", async () => {
    const held = gate();
    const running = gate();
    const extension = probeExtension(async () => {
      running.open();
      await held.promise;
      return "late";
    });
    const { runtime, log } = await opened([probe("a", "b"), { text: "done" }, { text: "fork" }], {
      extensions: [extension],
    });
    const parent = await runtime.sessions.start({ model: "s/m" });
    const outcome = parent.prompt("go");
    await running.promise;
    const fork = await runtime.sessions.fork(parent.id, { at: parent.state().version });
    const facts = await factsOf(log, `session-${fork.id}`);
    const ends = facts.filter(({ type }) => type === "tool_call.interrupted");
    expect(ends.map(({ data }) => (data as { reason: string }).reason)).toEqual(["forked", "forked"]);
    expect(ends[0]?.causation).toBe(1);
    expect(fork.state().pendingToolCalls).toEqual([]);
    held.open();
    expect((await outcome).text).toBe("done");
    expect((await fork.prompt("on")).status).toBe("completed");
    expect((await verifyReplay(log, fork.id)).divergences).toEqual([]);
    expect((await verifyReplay(log, parent.id)).divergences).toEqual([]);
  });

  test("has no approvals of its parent", async () => {
    const { runtime, log } = await opened([write("a", "1"), { text: "done" }]);
    const parent = await runtime.sessions.start({ model: "s/m", approval: "ask" });
    const outcome = parent.prompt("go");
    const { version: at } = await factOfType(log, `session-${parent.id}`, "approval.requested");
    const fork = await runtime.sessions.fork(parent.id, { at });
    expect(fork.approvals.pending()).toEqual([]);
    expect((await runtime.sessions.approvals()).map(({ sessionId }) => sessionId)).toEqual([parent.id]);
    await parent.approvals.resolve(parent.approvals.pending()[0]?.id ?? "", "allow");
    expect((await outcome).text).toBe("done");
  });

  test("has the todos and the plan mode of that version, and none of the checkpoints", async () => {
    const { runtime } = await opened([{ text: "one" }]);
    const parent = await runtime.sessions.start({ model: "s/m" });
    await runtime.todos.put(parent.id, [{ id: "1", content: "first" }]);
    await parent.planMode.enter();
    await runtime.checkpoints.create(parent.id, {});
    const at = parent.state().version;
    await runtime.todos.put(parent.id, [{ id: "1", content: "second" }]);
    await parent.planMode.exit();
    const fork = await runtime.sessions.fork(parent.id, { at });
    expect(fork.state().mode).toBe("plan");
    expect((await runtime.todos.get(fork.id)).map(({ content }) => content)).toEqual(["first"]);
    expect(await runtime.checkpoints.list(fork.id)).toEqual([]);
    expect(await runtime.progress.snapshot(fork.id)).toMatchObject({ todos: { total: 1 } });
    await runtime.todos.put(fork.id, []);
    expect((await runtime.todos.get(parent.id)).map(({ content }) => content)).toEqual(["second"]);
  });

  test("starts as a session of its own for hooks", async () => {
    const started: string[] = [];
    const extension = defineExtension({
      name: "watch",
      version: "1.0.0",
      hooks: { onSessionStart: ({ sessionId }) => void started.push(sessionId) },
    });
    const { runtime } = await opened([{ text: "one" }], { extensions: [extension] });
    const parent = await runtime.sessions.start({ model: "s/m" });
    const fork = await runtime.sessions.fork(parent.id, { at: 1 });
    expect(started).toEqual([parent.id, fork.id]);
  });

  test("without a folder touches no file; with one it has the files as they were", async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, "kept.txt"), "kept");
    const { runtime, log } = await opened([
      write("a.txt", "1"),
      write("a.txt", "2"),
      { text: "done" },
      { text: "x" },
    ]);
    const parent = await runtime.sessions.start({ model: "s/m", cwd });
    await parent.prompt("go");
    const { version: at } = await factOfType(log, `session-${parent.id}`, "tool_call.completed");
    const shared = await runtime.sessions.fork(parent.id, { at });
    expect(shared.filesUnavailable).toBeUndefined();
    expect(readFileSync(path.join(cwd, "a.txt"), "utf8")).toBe("2");
    const into = path.join(temporaryFolder(), "new");
    const fork = await runtime.sessions.fork(parent.id, { at, cwd: into });
    expect(fork).toMatchObject({ filesUnavailable: [], coverage: "full" });
    expect(readdirSync(into).toSorted()).toEqual(["a.txt", "kept.txt"]);
    expect(readFileSync(path.join(into, "a.txt"), "utf8")).toBe("1");
    const { session } = await stateAt(log, `session-${fork.id}`);
    expect(session).toMatchObject({ cwd: into });
    expect(session.systemPrompt).toContain(`Working directory: ${into}`);
    expect(session.systemPrompt).not.toContain(`Working directory: ${cwd}\n`);
  });

  test("is refused before anything is made", async () => {
    const { runtime } = await opened([{ text: "one" }]);
    const parent = await runtime.sessions.start({ model: "s/m" });
    const { version } = parent.state();
    const code = async (id: string, options: { at: number; cwd?: string }): Promise<unknown> =>
      runtime.sessions.fork(id, options).catch((error: unknown) => (error as { reason?: string }).reason);
    const free = path.join(temporaryFolder(), "free");
    for (const at of [0, -1, 1.5, Number.NaN, version + 1])
      expect(await code(parent.id, { at, cwd: free })).toBe("invalid_version");
    expect(await code("nobody", { at: 1, cwd: free })).toBe("session_not_found");
    expect(existsSync(free)).toBe(false);
    mkdirSync(free);
    writeFileSync(path.join(free, "a"), "");
    expect(await code(parent.id, { at: 1, cwd: free })).toBe("cwd_not_empty");
    expect(await runtime.sessions.list()).toHaveLength(1);
  });

  test("of a fork, and of a session that another runtime leads", async () => {
    const { runtime, log } = await opened([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const parent = await runtime.sessions.start({ model: "s/m" });
    await parent.prompt("first");
    const other = await scriptedRuntime(log, [{ text: "one" }, { text: "two" }, { text: "three" }]);
    onTestFinished(async () => void (await other.close()));
    const fork = await other.sessions.fork(parent.id, { at: parent.state().version });
    await fork.prompt("second");
    const second = await runtime.sessions.fork(fork.id, { at: fork.state().version });
    expect((await second.prompt("third")).text).toBe("three");
    const { messages } = await stateAt(log, `session-${second.id}`);
    expect(messages).toHaveLength(6);
    const versions = messages.map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(6);
    expect((await verifyReplay(log, second.id)).divergences).toEqual([]);
  });
});
