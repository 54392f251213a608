/** `runtime.progress`. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { FactData } from "../../../src/events/index.ts";
import type { EventLog } from "../../../src/log/index.ts";
import type { Runtime } from "../../../src/runtime/index.ts";
import { memoryLog, tampered } from "../../support/log-doubles.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { scriptedRuntime, temporaryFolder } from "../../support/runtimes.ts";

let log: EventLog;
let runtime: Runtime;
let work: string;
beforeEach(async () => {
  log = await memoryLog();
  work = temporaryFolder();
  runtime = await scriptedRuntime(log, [{ text: "hello" }], { clock: new ManualClock() });
  return () => runtime.close();
});

const noTodos = { total: 0, completed: 0, inProgress: 0, blocked: 0, pending: 0, percentage: 0 };
const nothing = {
  todos: noTodos,
  features: null,
  checkpoints: { count: 0, filesystemCount: 0, oldest: null, newest: null },
  overallPercentage: 0,
  nextActions: { todos: [], features: [] },
  featuresError: null,
};

async function writeFeatures(folder: string, features: readonly object[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const document = { project_name: "P", original_prompt: "", features, created_at: "", version: "1.0" };
  await writeFile(path.join(folder, "FEATURE_REQUIREMENTS.json"), JSON.stringify(document));
}

const start = () => runtime.sessions.start({ model: "s/m", sessionId: "s", cwd: work });

const checkpoint = (
  checkpointId: string,
  kind: "session" | "filesystem",
): FactData<"checkpoint.created"> => ({
  checkpointId,
  kind,
  origin: "user",
  tool: null,
  callId: null,
  runId: null,
  cwd: null,
  point: false,
  files: [],
  content: null,
  contentSha256: null,
  metadata: {},
  bytes: 0,
});

test("a session that is not known has done nothing of nothing", async () => {
  expect(await runtime.progress.snapshot("nobody")).toEqual(nothing);
  expect(await runtime.progress.snapshot("nobody", path.join(work, "gone"))).toEqual(nothing);
});

test("todos, features and checkpoints are counted together, by item", async () => {
  await start();
  await runtime.todos.put("s", [
    { id: "a", content: "A", status: "completed" },
    { id: "b", content: "B", priority: "low" },
    { id: "c", content: "C", status: "in_progress", metadata: { x: 1 } },
  ]);
  await writeFeatures(work, [
    { id: "f1", description: "F1", status: "completed" },
    { id: "f2", description: "F2", status: "failed" },
    { id: "f3", description: "F3", priority: "high", dependencies: ["f1"] },
    { id: "f4", description: "F4", dependencies: ["f2"] },
  ]);
  const at = { kind: "input", actor: "caller", causation: null, correlation: null } as const;
  const other = "session-t";
  const checkpoints = [
    checkpoint("chk_1", "session"),
    checkpoint("chk_2", "filesystem"),
    checkpoint("chk_3", "filesystem"),
  ];
  await log.append(other, "none", [
    ...checkpoints.map((data, index) => ({
      ...at,
      type: "checkpoint.created",
      data,
      at: 1_000 * (3 - index),
    })),
    { ...at, type: "checkpoint.deleted", data: { checkpointId: "chk_3", cause: "user", callId: null } },
  ]);
  expect((await runtime.progress.snapshot("t")).checkpoints).toEqual({
    count: 2,
    filesystemCount: 1,
    oldest: "1970-01-01T00:00:03.000Z",
    newest: "1970-01-01T00:00:02.000Z",
  });
  expect(await runtime.progress.snapshot("s")).toEqual({
    ...nothing,
    todos: { total: 3, completed: 1, inProgress: 1, blocked: 0, pending: 1, percentage: 33 },
    features: {
      total: 4,
      completed: 1,
      failed: 1,
      inProgress: 0,
      pending: 2,
      percentage: 25,
      projectName: "P",
    },
    overallPercentage: 28,
    nextActions: {
      todos: [
        { id: "c", content: "C", status: "in_progress", priority: "medium", dependencies: [] },
        { id: "b", content: "B", status: "pending", priority: "low", dependencies: [] },
      ],
      features: [{ id: "f3", description: "F3", status: "pending", priority: "high", dependencies: ["f1"] }],
    },
  });
});

test("without features the percentage is that of the todos; a file without features counts as zeros", async () => {
  await start();
  await runtime.todos.put("s", [
    { id: "a", content: "A", status: "completed" },
    { id: "b", content: "B" },
  ]);
  expect(await runtime.progress.snapshot("s")).toMatchObject({ features: null, overallPercentage: 50 });
  await writeFeatures(work, []);
  const zeros = {
    total: 0,
    completed: 0,
    failed: 0,
    inProgress: 0,
    pending: 0,
    percentage: 0,
    projectName: "P",
  };
  expect(await runtime.progress.snapshot("s")).toMatchObject({ features: zeros, overallPercentage: 50 });
});

test("a file that can't be read is told, and fails nothing", async () => {
  await start();
  const file = path.join(work, "FEATURE_REQUIREMENTS.json");
  const error = async (): Promise<unknown> => (await runtime.progress.snapshot("s")).featuresError;
  await writeFile(file, "{");
  expect(await error()).toBe("json_decode");
  await writeFile(file, "[]");
  expect(await error()).toBe("invalid_requirements");
});

test("a relative folder starts at the session's own, an absolute one is taken as it is", async () => {
  await start();
  await writeFeatures(path.join(work, "sub"), [{ id: "f", description: "F" }]);
  for (const cwd of ["sub", "./sub/", path.join(work, "sub")])
    expect(await runtime.progress.snapshot("s", cwd)).toMatchObject({ features: { total: 1 } });
  expect(await runtime.progress.snapshot("s", "gone")).toMatchObject({ features: null, featuresError: null });
  expect(await runtime.progress.snapshot("session:s", "sub")).toMatchObject({ features: { total: 1 } });
});

test("an earlier version has the todos of then, and the features that the log knew", async () => {
  const session = await start();
  await runtime.features.save(work, { features: [{ id: "f" }] });
  await runtime.todos.put("s", [{ id: "a", content: "A" }]);
  const before = session.state().version;
  await runtime.features.updateStatus(work, "f", "completed");
  await runtime.todos.updateStatus("s", "a", "completed");
  expect(await runtime.progress.snapshot("s")).toMatchObject({ overallPercentage: 100 });
  const then = await runtime.progress.snapshot("s", ".", { at: before });
  expect(then).toMatchObject({
    overallPercentage: 0,
    todos: { total: 1 },
    features: { total: 1, completed: 0 },
  });
  expect(await runtime.progress.snapshot("s", ".", { at: 1 })).toEqual(nothing);
  await expect(runtime.progress.snapshot("s", ".", { at: 99 })).rejects.toMatchObject({
    code: "LEMON_INVALID_VERSION",
  });
});

test("what makes no sense is refused, and trouble with the log is no zero", async () => {
  await expect(runtime.progress.snapshot(" s")).rejects.toMatchObject({ code: "LEMON_INVALID_SESSION_ID" });
  for (const cwd of [null, 5, {}] as never[])
    await expect(runtime.progress.snapshot("s", cwd)).rejects.toMatchObject({ code: "LEMON_INVALID_CWD" });
  const closing = await memoryLog();
  const broken = await scriptedRuntime(tampered(closing, {}), []);
  await closing.close();
  await expect(broken.progress.snapshot("s")).rejects.toMatchObject({ code: "LEMON_LOG_CLOSED" });
  await broken.close().catch(() => undefined);
});

test("a snapshot is read at one version while the session goes on", async () => {
  await start();
  const ids = Array.from({ length: 30 }, (_, at) => `t${at}`);
  await runtime.todos.put(
    "s",
    ids.map((id) => ({ id, content: id })),
  );
  const changes = ids.map((id) => runtime.todos.updateStatus("s", id, "completed"));
  for (let look = 0; look < 10; look += 1) {
    const { todos, nextActions } = await runtime.progress.snapshot("s");
    expect(todos.completed + nextActions.todos.length).toBe(30);
  }
  await Promise.all(changes);
});
