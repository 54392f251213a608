import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { scriptedModel } from "../../src/providers/index.ts";
import { createRuntime, type Runtime } from "../../src/runtime/index.ts";
import { defineExtension } from "../../src/extensions/index.ts";
import { defineTool } from "../../src/tools/index.ts";
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

async function types(runtime: Runtime, id: string): Promise<string[]> {
  return (await factsOf(runtime.log, `session-${id}`)).map(({ type }) => type);
}

describe("starting a session", () => {
  test("records what it runs with, and needs a model", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), []);
    await expect(runtime.sessions.start()).rejects.toMatchObject({ code: "LEMON_NO_MODEL" });
    const session = await runtime.sessions.start({ model: "s/m", approval: "ask", sessionId: "mine" });
    const [started] = await factsOf(runtime.log, "session-mine");
    expect(started).toMatchObject({
      type: "session.started",
      version: 1,
      actor: "caller",
      data: {
        sessionId: "mine",
        model: "s/m",
        approval: "ask",
        maxToolConcurrency: 8,
        maxToolTurns: null,
        script: null,
      },
    });
    expect(session.state()).toMatchObject({
      status: "idle",
      mode: "normal",
      version: 2,
      pendingToolCalls: [],
      outcome: null,
    });
    await runtime.close();
  });

  test("an id that is taken, malformed or empty is refused", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), []);
    await runtime.sessions.start({ model: "s/m", sessionId: "taken" });
    await expect(runtime.sessions.start({ model: "s/m", sessionId: "taken" })).rejects.toMatchObject({
      code: "LEMON_SESSION_EXISTS",
    });
    for (const sessionId of ["", " a", "a\n", "a\u0000b", "x".repeat(257), "\ud800"]) {
      await expect(runtime.sessions.start({ model: "s/m", sessionId })).rejects.toMatchObject({
        code: "LEMON_INVALID_SESSION_ID",
      });
    }
    await expect(runtime.sessions.resume("../../etc/passwd")).rejects.toMatchObject({
      code: "LEMON_SESSION_NOT_FOUND",
    });
    await runtime.close();
  });

  test("AGENTS.md of the folder is part of the recorded system prompt", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "AGENTS.md"), "Use tabs.\n");
    const runtime = await scriptedRuntime(await memoryLog(), [], { home, cwd: home });
    const session = await runtime.sessions.start({ model: "s/m" });
    const [started] = await factsOf(runtime.log, `session-${session.id}`);
    expect(started?.data).toMatchObject({ systemPrompt: expect.stringContaining("Use tabs.") as string });
    await runtime.close();
  });
});

describe("a prompt", () => {
  test("that is blank is refused, images alone are not", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), [{ text: "a picture" }]);
    const session = await runtime.sessions.start({ model: "s/m" });
    await expect(session.prompt(" \n")).rejects.toMatchObject({ code: "LEMON_EMPTY_PROMPT" });
    for (const wrong of [null, 5, { text: "x" }, [{ type: "text" }], [null]]) {
      await expect(session.prompt(wrong as never)).rejects.toMatchObject({
        code: expect.stringMatching(/^LEMON_INVALID_/) as string,
      });
    }
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    expect(await session.prompt([image])).toMatchObject({ status: "completed", text: "a picture" });
    await runtime.close();
  });

  test("whose signal fires is aborted; one whose signal has fired is not begun", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), [probe("a")], {
      extensions: [probeExtension(() => new Promise(() => undefined), { readOnly: true })],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const controller = new AbortController();
    const outcome = session.prompt("go", { signal: controller.signal });
    await factOfType(runtime.log, `session-${session.id}`, "tool_call.started");
    controller.abort(new Error("had enough"));
    expect(await outcome).toMatchObject({ status: "aborted" });
    const facts = await factsOf(runtime.log, `session-${session.id}`);
    expect(facts.find(({ type }) => type === "abort.requested")?.data).toEqual({ reason: "had enough" });
    await expect(session.prompt("again", { signal: controller.signal })).rejects.toMatchObject({
      code: "LEMON_ABORTED",
      message: "had enough",
    });
    await runtime.close();
  });

  test("counts the tokens of its whole run", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), [probe("a"), { text: "done" }], {
      extensions: [probeExtension(() => Promise.resolve("ok"))],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const { usage } = await session.prompt("go");
    const facts = await factsOf(runtime.log, `session-${session.id}`);
    const answers = facts
      .filter(({ type }) => type === "model.responded")
      .map(({ data }) => data as { usage: typeof usage });
    expect(usage.inputTokens).toBe(answers.reduce((sum, answer) => sum + answer.usage.inputTokens, 0));
    expect(usage.outputTokens).toBeGreaterThan(0);
    await runtime.close();
  });

  test("ends as failed when its tool turns are used up", async () => {
    const turns = [probe("a"), probe("b"), probe("c"), { text: "never" }];
    const runtime = await scriptedRuntime(await memoryLog(), turns, {
      extensions: [probeExtension(() => Promise.resolve("ok"))],
      config: { runtime: { maxToolTurns: 2 } },
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const events: string[] = [];
    session.subscribe(({ type }) => events.push(type));
    expect(await session.prompt("go")).toMatchObject({ status: "failed", stopReason: "max_tool_turns" });
    expect(events.slice(-4)).toEqual(["loop_budget_exhausted", "message_start", "message_end", "agent_end"]);
    await runtime.close();
  });
});

describe("resume", () => {
  test("gives the live session here, and goes on with an open run elsewhere, its interrupted call told to the model", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const first = await scriptedRuntime(log, [probe("a"), { text: "done" }], {
      extensions: [probeExtension(() => new Promise(() => undefined), { readOnly: true })],
    });
    const session = await first.sessions.start({ model: "s/m" });
    void session.prompt("go").catch(() => undefined);
    await factOfType(log, `session-${session.id}`, "tool_call.started");
    expect(await first.sessions.resume(session.id)).toBe(session);
    expect(await first.sessions.get(session.id)).toBe(session);

    const second = await scriptedRuntime(log, [probe("a"), { text: "done" }], {
      extensions: [probeExtension(() => Promise.reject(new Error("ran again")))],
    });
    await expect(second.sessions.resume(session.id)).rejects.toMatchObject({ code: "LEMON_SESSION_BUSY" });
    now += 60_000; // the first process sleeps, and its lease runs out
    const resumed = await second.sessions.resume(session.id);
    expect(await resumed.outcome()).toMatchObject({ status: "completed", text: "done" });
    const facts = await factsOf(log, `session-${session.id}`);
    const ends = facts.filter(
      ({ type }) => type.startsWith("tool_call.") && /completed|interrupted/.test(type),
    );
    expect(ends.map(({ type }) => type)).toEqual(["tool_call.interrupted"]);
    const { messages } = await second.replay.stateAt(session.id);
    expect(JSON.stringify(messages)).toContain("interrupted");
    await second.close();
  });

  test("keeps a pending approval pending, and an explicit mode answers it", async () => {
    let now = 1_000_000;
    const log = await memoryLog(() => now);
    const extensions = [probeExtension(() => Promise.resolve("ok"))];
    const first = await scriptedRuntime(log, [probe("a"), { text: "done" }], { extensions });
    const session = await first.sessions.start({ model: "s/m", approval: "ask" });
    void session.prompt("go").catch(() => undefined);
    await factOfType(log, `session-${session.id}`, "approval.requested");
    now += 60_000;
    const second = await scriptedRuntime(log, [probe("a"), { text: "done" }], { extensions });
    const resumed = await second.sessions.resume(session.id);
    expect(resumed.approvals.pending()).toHaveLength(1);
    await second.sessions.resume(session.id, { approval: "auto" });
    expect(await resumed.outcome()).toMatchObject({ status: "completed", text: "done" });
    expect(await types(second, session.id)).toContain("session.configured");
    await second.close();
  });

  test("runs on the recorded script without its file", async () => {
    const home = temporaryFolder();
    const log = path.join(home, "log.db");
    const script = { path: "gone.json", text: JSON.stringify({ turns: [{ text: "one" }, { text: "two" }] }) };
    const first = await createRuntime({ home, cwd: home, log });
    const session = await first.sessions.start({ script });
    expect(await session.prompt("1")).toMatchObject({ text: "one" });
    await first.close();
    const second = await createRuntime({ home, cwd: home, log });
    const resumed = await second.sessions.resume(session.id);
    expect(await resumed.prompt("2")).toMatchObject({ text: "two" });
    expect(await resumed.prompt("3")).toMatchObject({
      status: "failed",
      error: { class: "script_exhausted" },
    });
    await expect(
      second.sessions.start({ script: { path: "bad.json", text: '{"turns":[{"text":1}]}' } }),
    ).rejects.toMatchObject({
      code: "LEMON_INVALID_SCRIPT",
    });
    await second.close();
  });
});

describe("closing", () => {
  test("shutdown aborts an open run, is recorded once, and the session can be resumed", async () => {
    const log = await memoryLog();
    const runtime = await scriptedRuntime(log, [probe("a"), { text: "after" }], {
      extensions: [probeExtension(() => new Promise(() => undefined), { readOnly: true })],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const outcome = session.prompt("go");
    await factOfType(log, `session-${session.id}`, "tool_call.started");
    await session.shutdown("bye");
    await session.shutdown("bye again");
    expect(await outcome).toMatchObject({ status: "aborted" });
    expect((await types(runtime, session.id)).slice(-2)).toEqual(["agent.ended", "session.shut_down"]);
    await expect(session.prompt("more")).rejects.toMatchObject({ code: "LEMON_STREAM_CLOSED" });
    const resumed = await runtime.sessions.resume(session.id);
    expect(await resumed.prompt("more")).toMatchObject({ status: "completed", text: "after" });
    await runtime.close();
    await runtime.close();
  });

  test("a runtime that is closed leaves a log that another opens, its supervision tree recorded", async () => {
    const home = temporaryFolder();
    const file = path.join(home, "log.db");
    const runtime = await scriptedRuntime(file, [{ text: "hi" }]);
    const session = await runtime.sessions.start({ model: "s/m" });
    await session.prompt("go");
    const ids = { session: session.id, runtime: runtime.id };
    await runtime.close();
    const log = await openEventLog(file, { readOnly: true });
    const life = await factsOf(log, `supervision-${ids.runtime}`);
    expect(life.map(({ type, data }) => `${type} ${(data as { childId: string }).childId}`)).toEqual(
      expect.arrayContaining([
        "child.started log",
        "child.started services",
        `child.started ${ids.session}`,
        "child.exited log",
      ]),
    );
    for await (const finding of log.verify()) expect.fail(finding.message);
    await log.close();
  });
});

describe("what subscribers see", () => {
  test("the events of a run, in their order", async () => {
    const runtime = await scriptedRuntime(
      await memoryLog(),
      [{ text: "looking", ...probe("a") }, { text: "done" }],
      {
        extensions: [probeExtension(() => Promise.resolve("ok"))],
      },
    );
    const session = await runtime.sessions.start({ model: "s/m" });
    const events: string[] = [];
    const end = session.subscribe((event) =>
      events.push("role" in event ? `${event.type} ${event.role}` : event.type),
    );
    session.subscribe(() => {
      throw new Error("a broken subscriber harms nobody");
    });
    const breaksLater: () => unknown = () => Promise.reject(new Error("nor does one that breaks later"));
    session.subscribe(breaksLater);
    await session.prompt("go");
    end();
    expect(events).toEqual([
      "agent_start",
      "turn_start",
      "message_start user",
      "message_end",
      "message_start assistant",
      "message_update",
      "message_end",
      "tool_execution_start",
      "tool_execution_end",
      "message_start tool",
      "message_end",
      "turn_end",
      "turn_start",
      "message_start assistant",
      "message_update",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
    await runtime.close();
  });

  test("facts$ and facts({ follow }) catch up and go on without a gap or a double", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), [{ text: "one" }, { text: "two" }]);
    const session = await runtime.sessions.start({ model: "s/m", sessionId: "a" });
    await runtime.sessions.start({ model: "s/m", sessionId: "ab" });
    await session.prompt("1");
    const seen: number[] = [];
    const followed: number[] = [];
    const last = session.state().version + 7;
    const all = gate();
    const subscription = session.facts$.subscribe(({ version }) => {
      seen.push(version);
      if (version === last) all.open();
    });
    const following = (async () => {
      for await (const { version } of session.facts({ from: 2, follow: true })) {
        followed.push(version);
        if (version === last) break;
      }
    })();
    await session.prompt("2");
    await Promise.all([following, all.promise]);
    subscription.unsubscribe();
    expect(seen).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(followed).toEqual(seen.slice(1));
    await runtime.close();
  });
});

describe("tools of extensions", () => {
  test("built-in tools win, and an extension that is none is refused by name", async () => {
    const shadowing = defineExtension({
      name: "shadow",
      version: "1.0.0",
      tools: [
        defineTool({
          name: "read",
          description: "not the real one",
          parameters: { type: "object" },
          execute: () => Promise.resolve({ content: [] }),
        }),
      ],
    });
    const runtime = await scriptedRuntime(await memoryLog(), [], { extensions: [shadowing] });
    const session = await runtime.sessions.start({ model: "s/m" });
    expect(session.tools().filter(({ name }) => name === "read")).toMatchObject([{ source: "builtin" }]);
    await runtime.close();
  });

  test("an extension that is none is told in the report, and the others work", async () => {
    const runtime = await scriptedRuntime(await memoryLog(), [], {
      extensions: [{ name: "bad" }, 7, probeExtension(() => Promise.resolve(""))],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const report = session.extensionStatusReport();
    expect(report.validationErrors).toEqual([
      { module: "bad", sourcePath: null, errors: ["missing required field: version"] },
      {
        module: "extension[1]",
        sourcePath: null,
        errors: ["missing required field: name", "missing required field: version"],
      },
    ]);
    expect(report).toMatchObject({ totalLoaded: 1, totalErrors: 0, totalValidationErrors: 2 });
    expect(session.tools().at(-1)).toMatchObject({ name: "probe" });
    await runtime.close();
  });

  test("a call past its deadline is settled at once and its late result dropped", async () => {
    const late = gate<string>();
    const runtime = await scriptedRuntime(await memoryLog(), [probe("a"), { text: "done" }], {
      extensions: [probeExtension(() => late.promise, { timeoutMs: 5 })],
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    await session.prompt("go");
    late.open("too late");
    const facts = await factsOf(runtime.log, `session-${session.id}`);
    expect(facts.filter(({ type }) => type === "tool_call.returned")).toMatchObject([
      { data: { isError: true, errorType: "tool_task_timeout" } },
    ]);
    await runtime.close();
  });
});

describe("secrets", () => {
  test("an API key is in no fact, whoever says it, and the tool still gets the real one", async () => {
    const key = "sk-test-0123456789abcdef";
    const got: string[] = [];
    const extension = probeExtension((name) => {
      got.push(name);
      return Promise.resolve(`the key is ${name}`);
    });
    const home = temporaryFolder();
    const log = await memoryLog();
    const runtime = await scriptedRuntime(log, [probe(key), { text: `it was ${key}` }], {
      extensions: [extension],
      env: { OPENAI_API_KEY: key, PATH: process.env["PATH"], HOME: home },
    });
    const session = await runtime.sessions.start({ model: "s/m" });
    const seen: unknown[] = [];
    session.subscribe((event) => seen.push(event));
    const outcome = await session.prompt(`use ${key}`);
    expect(got).toEqual([key]);
    expect(outcome.text).toBe("it was {{secret:OPENAI_API_KEY}}");
    const facts = [];
    for await (const fact of log.readAll()) facts.push(fact);
    expect(JSON.stringify(facts)).not.toContain(key);
    expect(JSON.stringify(seen)).not.toContain(key);
    expect((await runtime.replay.verify(session.id)).divergences).toEqual([]);
    await runtime.close();
  });
});

test("a folder without a log gets one, private to its user", async () => {
  const home = path.join(temporaryFolder(), "new");
  const cwd = temporaryFolder();
  mkdirSync(path.join(cwd, ".lemon"));
  writeFileSync(path.join(cwd, ".lemon", "config.toml"), '[runtime]\nmodel = "s/from-config"\n');
  const runtime = await createRuntime({ home, cwd, models: { s: scriptedModel([{ text: "hi" }]) } });
  const session = await runtime.sessions.start();
  expect(session.state().model).toBe("s/from-config");
  await runtime.close();
});

test("replaying a session that there is not is refused, and so is a version that it has not", async () => {
  const runtime = await scriptedRuntime(await memoryLog(), [{ text: "hi" }]);
  const session = await runtime.sessions.start({ model: "s/m" });
  await session.prompt("go");
  const { version } = session.state();
  await expect(runtime.replay.verify("nope")).rejects.toMatchObject({ code: "LEMON_SESSION_NOT_FOUND" });
  await expect(runtime.replay.stateAt("nope")).rejects.toMatchObject({ code: "LEMON_SESSION_NOT_FOUND" });
  for (const at of [-1, 1.5, version + 1]) {
    await expect(runtime.replay.stateAt(session.id, at)).rejects.toThrow(`has the versions 1 to ${version}`);
  }
  await runtime.close();
});
