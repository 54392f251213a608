import type { z } from "zod";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { methods } from "../../src/control-plane/index.ts";
import type { Method } from "../../src/control-plane/method.ts";
import { Plane, postCall, type Json } from "./support/plane.ts";

type Call = (method: string, params?: unknown) => Promise<Json>;

const driven = new Set<string>();
const table = new Map<string, Method>(methods.map((method) => [method.name, method]));

/** Checks that a result is what its schema says, and that nothing is in it which the schema does not name. */
function result(method: string, answer: Json): Json {
  expect(answer.error).toBeUndefined();
  driven.add(method);
  const schema = table.get(method)?.result as z.ZodType;
  expect([method, schema.parse(answer.result)]).toEqual([method, answer.result]);
  return answer.result;
}

const doors: readonly [string, (plane: Plane) => Promise<Call>][] = [
  [
    "over lines",
    async (plane) => {
      const client = await plane.lineClient();
      return (method, params) => client.call(method, params);
    },
  ],
  [
    "over HTTP",
    async (plane) => {
      const { url } = await plane.http();
      return (method, params) => postCall(url, method, params);
    },
  ],
];

async function opened(door: (plane: Plane) => Promise<Call>, options: Parameters<typeof Plane.make>[0] = {}) {
  const plane = await Plane.make(options);
  const call = await door(plane);
  const ok = async (method: string, params?: unknown): Promise<Json> =>
    result(method, await call(method, params));
  const reason = async (method: string, params?: unknown): Promise<string> => {
    const { error } = await call(method, params);
    // A refusal that can't say what was expected is of no help to whoever asked.
    expect(JSON.stringify(error)).not.toMatch(/another value|a value that does not fit/);
    return error?.data.reason as string;
  };
  return { plane, call, ok, reason };
}

const script = (...turns: object[]) => ({ path: "script.json", text: JSON.stringify({ turns }) });

describe.each(doors)("%s", (_name, door) => {
  test("a session is started, prompted, looked at, shut down and resumed", async () => {
    const { ok, reason, call } = await opened(door);
    const started = await ok("sessions.start", { sessionId: "s1", model: "s/m" });
    expect(started).toEqual({ sessionId: "s1", sessionKey: "session:s1", version: 2 });
    expect((await ok("sessions.start", { script: script({ text: "scripted" }) })).sessionId).toMatch(/^ses_/);
    expect(await ok("sessions.prompt", { sessionId: "s1", prompt: "hello" })).toMatchObject({
      status: "completed",
      text: "answer 1",
    });
    expect((await ok("sessions.list")).total).toBe(2);
    expect((await ok("sessions.list", { limit: 1 })).sessions).toMatchObject([{ sessionId: "s1" }]);
    const now = await ok("sessions.get", { sessionId: "s1" });
    expect(now).toMatchObject({ status: "idle", outcome: { text: "answer 1" } });
    expect(await ok("sessions.get", { sessionId: "s1", at: 1 })).toMatchObject({ version: 1, outcome: null });
    expect(await ok("sessions.abort", { sessionId: "s1" })).toEqual({ aborted: false });
    expect(await ok("sessions.shutdown", { sessionId: "s1", reason: "enough" })).toEqual({ shutDown: true });
    expect(await ok("sessions.shutdown", { sessionId: "s1" })).toEqual({ shutDown: true });
    expect((await ok("sessions.get", { sessionId: "s1" })).status).toBe("shut_down");
    expect((await ok("sessions.resume", { sessionId: "s1" })).sessionId).toBe("s1");
    const said = [{ type: "text", text: "more" }];
    expect((await ok("sessions.prompt", { sessionId: "s1", prompt: said })).text).toBe("answer 2");
    expect(await reason("sessions.start", { sessionId: "s1", model: "s/m" })).toBe("session_exists");
    expect(await reason("sessions.start", { sessionId: " s" })).toBe("invalid_session_id");
    expect(await reason("sessions.start", {})).toBe("no_model");
    expect(await reason("sessions.start", { script: { path: "x", text: "{" } })).toBe("invalid_script");
    expect(await reason("sessions.prompt", { sessionId: "s1", prompt: " " })).toBe("empty_prompt");
    for (const data of ["", "%%%", "aGk", "aGk=\n"]) {
      const image = [{ type: "image", data, mimeType: "image/png" }];
      const { error } = await call("sessions.prompt", { sessionId: "s1", prompt: image });
      expect([data, error.data]).toMatchObject([
        data,
        { code: "INVALID_PARAMS", reason: "invalid_prompt", field: "/prompt/0/data" },
      ]);
    }
    const file = path.join(mkdtempSync(path.join(tmpdir(), "lemon-rpc-")), "a.txt");
    writeFileSync(file, "");
    for (const cwd of [file, path.join(file, "b"), `${file}-none`, "a\u0000b"]) {
      const { error } = await call("sessions.start", { sessionId: "s2", model: "s/m", cwd });
      expect(error.data).toMatchObject({ code: "INVALID_PARAMS", reason: "invalid_cwd", field: "cwd" });
    }
    expect(await reason("sessions.get", { sessionId: "s2" })).toBe("session_not_found");
    expect(await reason("sessions.get", { sessionId: "s1", at: 99_999 })).toBe("invalid_version");
    for (const method of ["resume", "get", "facts", "abort", "shutdown"]) {
      for (const sessionId of ["nobody", "", "a\u0000b", "../x", "x".repeat(300)])
        expect([method, await reason(`sessions.${method}`, { sessionId })]).toEqual([
          method,
          "session_not_found",
        ]);
    }
  });

  test("sessions.fork goes on from what a session was", async () => {
    const { ok, reason } = await opened(door);
    await ok("sessions.start", { sessionId: "s1", model: "s/m" });
    await ok("sessions.prompt", { sessionId: "s1", prompt: "hello" });
    const { version } = await ok("sessions.get", { sessionId: "s1" });
    const forked = await ok("sessions.fork", { sessionId: "s1", at: version });
    expect(forked.sessionKey).toBe(`session:${forked.sessionId}`);
    expect(Object.keys(forked)).toEqual(["sessionId", "sessionKey", "version"]);
    const { sessions } = await ok("sessions.list");
    expect(sessions.map((each: Json) => each.forkedFrom)).toContainEqual({ sessionId: "s1", at: version });
    expect((await ok("sessions.prompt", { sessionId: forked.sessionId, prompt: "on" })).text).toBe(
      "answer 2",
    );
    expect((await ok("sessions.get", { sessionId: "s1" })).version).toBe(version);
    const cwd = path.join(mkdtempSync(path.join(tmpdir(), "lemon-rpc-")), "new");
    const other = await ok("sessions.fork", { sessionId: "s1", at: 2, cwd });
    expect(other).toMatchObject({ filesUnavailable: [] });
    expect(["full", "partial"]).toContain(other.coverage);
    expect(await reason("sessions.fork", { sessionId: "s1", at: version + 1 })).toBe("invalid_version");
    expect(await reason("sessions.fork", { sessionId: "s1", at: 0 })).toBe("invalid_version");
    expect(await reason("sessions.fork", { sessionId: "nobody", at: 1 })).toBe("session_not_found");
    expect(await reason("sessions.fork", { sessionId: "s1", at: 1, cwd: "a\u0000b" })).toBe("invalid_cwd");
    writeFileSync(path.join(cwd, "a.txt"), "");
    expect(await reason("sessions.fork", { sessionId: "s1", at: 1, cwd })).toBe("cwd_not_empty");
  });

  test("the facts of a session come page by page", async () => {
    const { ok } = await opened(door);
    await ok("sessions.start", { sessionId: "s1", model: "s/m" });
    await ok("sessions.prompt", { sessionId: "s1", prompt: "hello" });
    const all = await ok("sessions.facts", { sessionId: "s1" });
    expect(all.next).toBeNull();
    const paged = [];
    for (let from: number | null = 1; from !== null;) {
      const page: Json = await ok("sessions.facts", { sessionId: "s1", from, limit: 2 });
      paged.push(...page.facts);
      from = page.next;
    }
    expect(paged).toEqual(all.facts);
    const some = await ok("sessions.facts", { sessionId: "s1", from: 2, to: 4, types: ["prompt.submitted"] });
    expect(some.facts.map(({ type }: Json) => type)).toEqual(["prompt.submitted"]);
  });

  test("a run is steered, followed up and aborted", async () => {
    const { plane, call, ok, reason } = await opened(door, {
      turns: [
        { text: "first", delayMs: 1_000 },
        { text: "second" },
        { text: "third" },
        { text: "never", delayMs: 3_600_000 },
      ],
    });
    await ok("sessions.start", { sessionId: "s1", model: "s/m" });
    expect(await reason("sessions.steer", { sessionId: "s1", text: "x" })).toBe("not_streaming");
    expect(await reason("sessions.followUp", { sessionId: "s1", text: "x" })).toBe("not_streaming");
    const began = began1(plane);
    const prompt = call("sessions.prompt", { sessionId: "s1", prompt: "hello" });
    await began;
    expect(await reason("sessions.prompt", { sessionId: "s1", prompt: "again" })).toBe("already_streaming");
    expect(await ok("sessions.steer", { sessionId: "s1", text: "x" })).toEqual({ queued: true });
    expect(await ok("sessions.followUp", { sessionId: "s1", text: "y" })).toEqual({ queued: true });
    expect(result("sessions.prompt", await prompt).text).toBe("third");
    const again = began1(plane);
    const endless = call("sessions.prompt", { sessionId: "s1", prompt: "for ever" });
    await again;
    expect(await ok("sessions.abort", { sessionId: "s1", reason: "enough" })).toEqual({ aborted: true });
    expect(result("sessions.prompt", await endless).status).toBe("aborted");
  });

  test("a call that asks is listed and answered", async () => {
    const { call, ok, reason } = await opened(door);
    const bash = { toolCalls: [{ name: "bash", args: { command: "echo hi" } }] };
    await ok("sessions.start", { sessionId: "s1", approval: "ask", script: script(bash, { text: "done" }) });
    const prompt = call("sessions.prompt", { sessionId: "s1", prompt: "go" });
    let waiting: Json[] = [];
    while (waiting.length === 0) waiting = (await ok("approvals.list", { sessionId: "s1" })).approvals;
    expect(waiting).toMatchObject([{ sessionId: "s1", tool: "bash", args: { command: "echo hi" } }]);
    expect((await ok("approvals.list")).approvals).toEqual(waiting);
    const [{ id }] = waiting as [Json];
    expect(await reason("approvals.resolve", { sessionId: "s1", id: "call_x", decision: "allow" })).toBe(
      "not_found",
    );
    expect(await ok("approvals.resolve", { sessionId: "s1", id, decision: "allow" })).toEqual({
      resolved: true,
    });
    expect(result("sessions.prompt", await prompt).text).toBe("done");
    expect(await reason("approvals.resolve", { sessionId: "s1", id, decision: "deny" })).toBe("not_found");
    expect(await reason("approvals.list", { sessionId: "nobody" })).toBe("session_not_found");
  });

  test("replay verifies and tells states", async () => {
    const { ok, reason } = await opened(door);
    await ok("sessions.start", { sessionId: "s1", model: "s/m" });
    await ok("sessions.prompt", { sessionId: "s1", prompt: "hello" });
    expect(await ok("replay.verify", { sessionId: "s1" })).toMatchObject({
      sessionId: "s1",
      divergences: [],
    });
    expect((await ok("replay.stateAt", { sessionId: "s1" })).messages).toHaveLength(2);
    expect((await ok("replay.stateAt", { sessionId: "s1", version: 1 })).messages).toEqual([]);
    const differing = await ok("replay.diff", { sessionId: "s1", a: 1, b: "s1@2" });
    expect(differing).toMatchObject({ a: { version: 1 }, b: { sessionId: "s1", version: 2 } });
    expect(differing.patch).toContainEqual({ op: "replace", path: "/version", value: 2 });
    expect(await reason("replay.diff", { sessionId: "s1", a: 1, b: 999 })).toBe("invalid_version");
    expect(await reason("replay.diff", { sessionId: "s1", a: 1, b: "no@2" })).toBe("session_not_found");
    expect(await reason("replay.stateAt", { sessionId: "s1", version: 999 })).toBe("invalid_version");
    expect(await reason("replay.stateAt", { sessionId: "s1", version: 0 })).toBe("invalid_params");
    expect(await reason("replay.verify", { sessionId: "nobody" })).toBe("session_not_found");
  });

  test("tasks of subagents are listed, looked at and cancelled", async () => {
    const { ok, reason } = await opened(door);
    // The subagent plays the same script, and has no such tool.
    const both = script(
      { toolCalls: [{ name: "task", args: { prompt: "x", async: false } }] },
      { text: "done" },
    );
    await ok("sessions.start", { sessionId: "s1", script: both });
    await ok("sessions.prompt", { sessionId: "s1", prompt: "go" });
    const { tasks } = await ok("tasks.list", { sessionId: "session:s1" });
    expect(tasks).toMatchObject([{ parentSessionId: "s1", description: "x", status: "completed" }]);
    const { taskId } = tasks[0];
    expect(await ok("tasks.get", { taskId })).toMatchObject({ taskId, text: "done", filesChanged: [] });
    expect(await ok("tasks.cancel", { taskId, reason: "late" })).toEqual({
      taskId,
      cancelled: false,
      status: "completed",
    });
    expect(await ok("tasks.list", { sessionId: "nobody" })).toEqual({ tasks: [] });
    for (const id of ["task_0123456789abcdef", "../x"]) {
      expect(await reason("tasks.get", { taskId: id })).toBe("not_found");
      expect(await reason("tasks.cancel", { taskId: id })).toBe("not_found");
    }
  });

  test("todos are kept, counted and cleared", async () => {
    const { ok, reason } = await opened(door);
    expect(await ok("todos.get", { sessionId: "s1" })).toEqual({ todos: [] });
    const todos = [
      { id: "a", content: "first", priority: "low" },
      { id: "b", content: "second", dependencies: ["a"] },
    ];
    const { todos: kept } = await ok("todos.put", { sessionId: "s1", todos });
    expect(kept).toMatchObject([
      { id: "a", status: "pending" },
      { id: "b", priority: "medium" },
    ]);
    expect(await ok("todos.get", { sessionId: "session:s1" })).toEqual({ todos: kept });
    expect((await ok("todos.actionable", { sessionId: "s1" })).todos).toMatchObject([{ id: "a" }]);
    await ok("todos.updateStatus", { sessionId: "s1", id: "a", status: "completed" });
    expect(await ok("todos.progress", { sessionId: "s1" })).toMatchObject({
      total: 2,
      completed: 1,
      percentage: 50,
    });
    expect(await reason("todos.updateStatus", { sessionId: "s1", id: "x", status: "completed" })).toBe(
      "todo_not_found",
    );
    expect(await reason("todos.updateStatus", { sessionId: "s1", id: "a", status: "x" })).toBe(
      "invalid_status",
    );
    expect(await reason("todos.put", { sessionId: "s1", todos: [{ id: "a" }] })).toBe("invalid_todos");
    expect(await reason("todos.put", { sessionId: "s1", todos: [...todos, ...todos] })).toBe(
      "duplicate_todo_id",
    );
    expect(await reason("todos.get", { sessionId: "" })).toBe("invalid_session_id");
    expect(await ok("todos.clear", { sessionId: "s1" })).toEqual({ todos: [] });
  });

  test("features are counted, chosen and set", async () => {
    const { ok, reason } = await opened(door);
    const cwd = mkdtempSync(path.join(tmpdir(), "lemon-rpc-"));
    expect(await reason("features.load", { cwd })).toBe("not_found");
    const file = path.join(cwd, "FEATURE_REQUIREMENTS.json");
    writeFileSync(file, "{");
    expect(await reason("features.load", { cwd })).toBe("json_decode");
    const features = [
      { id: "a", description: "first", priority: "low" },
      { id: "b", description: "second", dependencies: ["a", "gone"] },
    ];
    writeFileSync(file, JSON.stringify({ project_name: "p", features }));
    await ok("sessions.start", { sessionId: "s1", model: "s/m", cwd });
    expect(await ok("features.load", { sessionId: "s1" })).toMatchObject({
      projectName: "p",
      features: [{ id: "a" }, { id: "b" }],
    });
    expect(await ok("features.next", { cwd })).toMatchObject({
      features: [{ id: "a" }],
      dependencyProblems: [{ id: "b", kind: "missing", dependency: "gone" }],
    });
    expect(
      (await ok("features.updateStatus", { cwd, id: "a", status: "completed", notes: "done" })).features[0],
    ).toMatchObject({
      status: "completed",
      notes: "done",
    });
    expect(await ok("features.progress", { cwd })).toMatchObject({ total: 2, completed: 1, percentage: 50 });
    expect(await reason("features.updateStatus", { cwd, id: "x", status: "failed" })).toBe(
      "feature_not_found",
    );
    expect(await reason("features.updateStatus", { cwd, id: "a", status: "x" })).toBe("invalid_status");
  });

  test("sideQuery.ask answers beside a session, and tells why not", async () => {
    const { plane, ok, reason } = await opened(door);
    await ok("sessions.start", { sessionId: "s1", model: "s/m" });
    await ok("sessions.prompt", { sessionId: "s1", prompt: "Go" });
    const { version } = await ok("sessions.get", { sessionId: "s1" });
    expect(
      await ok("sideQuery.ask", { source: "session:s1", question: "Well?", timeoutMs: 5_000 }),
    ).toMatchObject({
      text: "answer 1",
      model: "s/m",
      sourceVersion: version,
      parentHistoryChanged: false,
      tools: [],
    });
    expect(await ok("sessions.get", { sessionId: "s1" })).toMatchObject({ version });
    const messages = [{ role: "user", content: "Hi" }];
    expect(
      await ok("sideQuery.ask", { source: { messages }, question: "Well?", model: "s/m", timeoutMs: -1 }),
    ).toMatchObject({ sourceVersion: null });
    for (const [params, word] of [
      [{ source: "s1", question: " " }, "empty_question"],
      [{ source: "s1", question: "x".repeat(40_000) }, "invalid_question"],
      [{ source: "nobody", question: "Well?" }, "session_not_found"],
      [{ source: { messages: [{ role: "nobody" }] }, question: "Well?" }, "invalid_source"],
      [{ source: 7, question: "Well?" }, "invalid_params"],
      [{ source: "s1", question: "Well?", model: "nobody/knows" }, "query_failed"],
    ] as const)
      expect([params, await reason("sideQuery.ask", params)]).toEqual([params, word]);
    await plane.close();
  });

  test("agent.progress tells how far a session is, and is recorded once", async () => {
    const { plane, ok, call } = await opened(door);
    const cwd = mkdtempSync(path.join(tmpdir(), "lemon-rpc-"));
    await ok("sessions.start", { sessionId: "s1", model: "s/m", cwd });
    await ok("todos.put", { sessionId: "s1", todos: [{ id: "a", content: "private words" }] });
    const { snapshot, summary, ...rest } = await ok("agent.progress", {
      sessionId: "s1",
      cwd: " ",
      runId: "run_1",
      agentId: " ",
    });
    expect(rest).toEqual({ sessionId: "s1", cwd });
    expect(snapshot.nextActions.todos).toMatchObject([{ content: "private words" }]);
    expect(JSON.stringify(summary)).not.toContain("private words");
    expect(summary).toMatchObject({
      todos: { total: 1 },
      hasFeatures: false,
      features: { total: 0 },
      nextActionCounts: { todos: 1 },
    });
    const records = async (): Promise<readonly Json[]> =>
      plane.runtime.introspection.list({ eventType: "agent_progress_snapshot" });
    expect(await records()).toMatchObject([
      {
        sessionId: "s1",
        runId: "run_1",
        agentId: null,
        payload: { sessionId: "s1", cwd, overallPercentage: 0 },
      },
    ]);
    for (const params of [
      {},
      { sessionId: " " },
      { sessionId: "x".repeat(257) },
      { sessionId: "s1", runId: "é".repeat(129) },
      { sessionId: "s1", cwd: 5 },
    ]) {
      expect((await call("agent.progress", params)).error.code).toBe(-32602);
    }
    expect(await records()).toHaveLength(1);
    expect((await ok("agent.progress", { sessionId: "nobody", cwd: "sub" })).cwd).toBe(path.resolve("sub"));
  });

  test("checkpoints are taken, compared, restored, resumed and deleted", async () => {
    const { ok, reason, call } = await opened(door);
    const cwd = mkdtempSync(path.join(tmpdir(), "lemon-rpc-"));
    const file = path.join(cwd, "a.txt");
    writeFileSync(file, "password=hunter22\nold\n");
    await ok("sessions.start", { sessionId: "s1", model: "s/m", cwd });
    expect(await ok("checkpoints.list", { sessionId: "s1" })).toEqual([]);
    expect(await reason("checkpoints.latest", { sessionId: "s1" })).toBe("not_found");
    await ok("todos.put", { sessionId: "s1", todos: [{ id: "a", content: "first" }] });
    const kept = await ok("checkpoints.create", { sessionId: "s1", state: { step: 1 }, requirements: null });
    expect(kept).toMatchObject({
      kind: "session",
      state: { step: 1 },
      todos: [{ id: "a" }],
      requirements: null,
    });
    await ok("todos.clear", { sessionId: "s1" });
    expect(await ok("checkpoints.resume", { checkpointId: kept.id })).toMatchObject({ resumedFrom: kept.id });
    expect((await ok("todos.get", { sessionId: "s1" })).todos).toHaveLength(1);

    const files = await ok("checkpoints.createFilesystem", { sessionId: "s1", paths: ["a.txt"] });
    writeFileSync(file, "password=hunter22\nnew\n");
    const diff = await ok("checkpoints.diff", { checkpointId: files.id });
    expect(diff).toMatchObject({ changed: [file], summary: { changedCount: 1, redacted: 1 } });
    expect(JSON.stringify(diff)).not.toContain("hunter22");
    const restored = await ok("checkpoints.restore", { checkpointId: files.id });
    expect(restored).toMatchObject({ status: "restored", restored: [file] });
    expect(readFileSync(file, "utf8")).toBe("password=hunter22\nold\n");
    expect((await ok("checkpoints.latest", { sessionId: "s1" })).origin).toBe("pre_restore");
    expect((await ok("checkpoints.get", { checkpointId: files.id })).id).toBe(files.id);
    expect((await ok("checkpoints.stats", { sessionId: "s1" })).count).toBe(3);
    expect(await reason("checkpoints.resume", { checkpointId: files.id })).toBe("not_session_checkpoint");
    expect(await reason("checkpoints.diff", { checkpointId: kept.id })).toBe("not_filesystem_checkpoint");
    expect(await reason("checkpoints.restore", { checkpointId: files.id, paths: [] })).toBe("invalid_paths");
    for (const id of ["chk_0000000000000000", "../x", ""]) {
      expect(await reason("checkpoints.get", { checkpointId: id })).toBe("not_found");
      expect(await ok("checkpoints.delete", { checkpointId: id })).toBe(false);
    }
    const [checkpointId, sessionId, at] = [files.id, "s1", 1];
    for (const method of ["checkpoints.restore", "checkpoints.diff"]) {
      for (const [params, named] of [
        [{}, ["checkpointId", "sessionId", "at"]],
        [{ sessionId }, ["checkpointId", "at"]],
        [{ at }, ["checkpointId", "sessionId"]],
        [{ checkpointId, at }, ["checkpointId", "at"]],
        [{ checkpointId, sessionId }, ["checkpointId", "sessionId"]],
        [{ checkpointId, sessionId, at }, ["checkpointId", "sessionId", "at"]],
      ] as const) {
        const { data } = (await call(method, params)).error;
        expect([method, params, data.code, data.fields.map(({ field }: Json) => field)]).toEqual([
          method,
          params,
          "INVALID_PARAMS",
          named,
        ]);
      }
    }
    expect(await ok("checkpoints.diff", { sessionId, at })).toMatchObject({ checkpointId: null, sessionId });
    expect(await ok("checkpoints.delete", { checkpointId: kept.id })).toBe(true);
    expect(await ok("checkpoints.prune", { sessionId: "s1", keep: 1 })).toBe(1);
    expect(await ok("checkpoints.deleteAll", { sessionId: "s1" })).toBe(1);
  });

  test("the status of extensions tells neither where they lie nor what went wrong in words", async () => {
    const { plane, call, ok, reason } = await opened(door);
    const folder = mkdtempSync(path.join(tmpdir(), "lemon-rpc-"));
    writeFileSync(
      path.join(folder, "broken.mjs"),
      "export default { name: 'broken', version: '1.0.0' };\nthrow new Error('private words');\n",
    );
    expect(await ok("extensions.status")).toMatchObject({ extensions: [], totalErrors: 0 });
    await ok("sessions.start", { sessionId: "s1", model: "s/m", extensions: [folder] });
    const status = await ok("extensions.status", { sessionId: "s1" });
    expect(status.totalErrors).toBe(1);
    expect(status.loadErrors[0].sourcePath).toMatch(/^[0-9a-f]{16}$/);
    for (const text of [JSON.stringify(status), JSON.stringify(await ok("extensions.status"))]) {
      expect(text).not.toContain(path.basename(folder));
      expect(text).not.toContain("private words");
    }
    expect((await ok("extensions.reload", { sessionId: "s1" })).totalErrors).toBe(1);
    await call("sessions.shutdown", { sessionId: "s1" });
    const versions = await plane.runtime.log.streams("session-");
    expect((await ok("extensions.status", { sessionId: "s1" })).totalErrors).toBe(1);
    expect(await plane.runtime.log.streams("session-")).toEqual(versions);
    expect(await reason("extensions.reload", { sessionId: "s1" })).toBe("not_found");
    expect(await reason("extensions.status", { sessionId: "nobody" })).toBe("session_not_found");
  });

  test("a background run is started, listed, told of and cancelled, by whose key it is", async () => {
    const { ok, reason } = await opened(door);
    const started = await ok("background.start", {
      prompt: "x",
      script: script({ text: "Done." }),
      sessionKey: "k",
    });
    expect(started.status).toBe("queued");
    const { id } = started;
    expect(await ok("background.list", { parentSessionKey: "k" })).toMatchObject({
      total: 1,
      runs: [{ id }],
    });
    expect((await ok("background.list", { parentSessionKey: "other" })).total).toBe(0);
    expect(await ok("background.status", { id })).toMatchObject({ id, parentSessionKey: "k" });
    expect(await ok("background.result", { id, parentSessionKey: "k" })).toMatchObject({ id });
    await ok("background.cancel", { id, reason: "enough" });
    expect((await ok("background.cancel", { id })).cancelled).toBe(false);
    for (const method of ["status", "result", "cancel"])
      expect(await reason(`background.${method}`, { id, parentSessionKey: "other" })).toBe("not_found");
    expect(await reason("background.list", { status: "nope" })).toBe("invalid_status");
    expect(await reason("background.start", { prompt: " " })).toBe("empty_prompt");
  });
});

test("facts are subscribed to over lines", async () => {
  const client = await (await Plane.make()).lineClient();
  const { subscriptionId } = result("facts.subscribe", await client.call("facts.subscribe"));
  result("facts.unsubscribe", await client.call("facts.unsubscribe", { subscriptionId }));
  result("rpc.discover", await client.call("rpc.discover"));
});

test("calls of a batch run at once and are answered in order", async () => {
  const plane = await Plane.make();
  const client = await plane.lineClient();
  await client.call("sessions.start", { sessionId: "slow", script: script({ text: "slow", delayMs: 100 }) });
  await client.call("sessions.start", { sessionId: "fast", script: script({ text: "fast" }) });
  const prompt = (id: number, sessionId: string) => ({
    jsonrpc: "2.0",
    id,
    method: "sessions.prompt",
    params: { sessionId, prompt: "x" },
  });
  client.write(JSON.stringify([prompt(11, "slow"), { jsonrpc: "2.0", method: "x" }, prompt(12, "fast")]));
  const answers = await client.line(Array.isArray);
  expect(answers.map(({ id, result: { text } }: Json) => [id, text])).toEqual([
    [11, "slow"],
    [12, "fast"],
  ]);
});

afterAll(() => {
  const missing = methods.map(({ name }) => name).filter((name) => !driven.has(name));
  expect(missing).toEqual([]);
});

/** Resolves when the next run of s1 has asked its model. */
async function began1(plane: Plane): Promise<void> {
  const session = await plane.runtime.sessions.get("s1");
  return new Promise((resolve) => {
    const end = session?.subscribe(({ type }) => {
      if (type !== "turn_start") return;
      end?.();
      resolve();
    });
  });
}
