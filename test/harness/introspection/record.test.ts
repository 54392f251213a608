import { expect, test } from "vitest";
import { catalogue, type FactData, type FactType, type KnownFact } from "../../../src/events/index.ts";
import { introspectionStream, isWatched, recordOf } from "../../../src/harness/index.ts";

const session = { sessionId: "s", sessionKey: "session:s", agentId: null };

const fact = <T extends FactType>(type: T, data: Partial<FactData<T>>): KnownFact =>
  ({ type, data, version: 7, correlation: "run_1", at: 5 }) as unknown as KnownFact;
const told = (given: KnownFact): unknown => {
  const record = recordOf(session, given, (path) => `#${path.length}`);
  return record === null ? null : [record.eventType, record.payload];
};

test("what is watched for is told, and nothing else", () => {
  const file = (path: string): never => ({ path }) as never;
  const facts = [
    fact("session.started", { model: "s/m", systemPrompt: "hush", cwd: "/hush" }),
    fact("session.forked", { model: "s/m", systemPrompt: "hush", cwd: "/hush", from: "hush", at: 3 }),
    fact("session.shut_down", { reason: "hush" }),
    fact("tool_call.started", { callId: "call_hush", name: "bash", args: { command: "hush" } }),
    fact("session.compacted", { summary: "hush", messages: 3, tokensBefore: 9, tokensAfter: 1 }),
    fact("checkpoint.created", {
      checkpointId: "chk_1",
      kind: "filesystem",
      origin: "guard",
      tool: "edit",
      files: [file("/hush/a"), file("/hush/bc")],
      metadata: { note: "hush" },
    }),
    fact("checkpoint.deleted", { checkpointId: "chk_1", cause: "user" }),
    fact("subagent.queued", { taskId: "task_1", description: "hush", role: null, isAsync: true }),
    fact("subagent.started", { taskId: "task_1" }),
    fact("subagent.completed", { taskId: "task_1", text: "hush" }),
    fact("subagent.timed_out", { taskId: "task_1", partialText: "hush" }),
    fact("subagent.cancelled", { taskId: "task_1", reason: "hush" }),
    fact("subagent.failed", { taskId: "task_1", partialText: "hush" }),
    fact("subagent.lost", { taskId: "task_1", partialText: "hush" }),
    fact("checkpoint.restored", { checkpointId: "chk_1", status: "partial", results: [file("/hush/a")] }),
  ];
  const sessionVersion = 7;
  expect(facts.map(told)).toEqual([
    ["session_started", { model: "s/m", sessionVersion }],
    ["session_started", { model: "s/m", sessionVersion }],
    ["session_ended", { sessionVersion }],
    ["tool_dispatched", { toolName: "bash", sessionVersion }],
    ["session_compacted", { messages: 3, tokensBefore: 9, tokensAfter: 1, sessionVersion }],
    [
      "checkpoint_created",
      {
        checkpointId: "chk_1",
        kind: "filesystem",
        origin: "guard",
        tool: "edit",
        pathCount: 2,
        pathHashes: ["#7", "#8"],
        sessionVersion,
      },
    ],
    ["checkpoint_deleted", { checkpointId: "chk_1", cause: "user", sessionVersion }],
    ["task_queued", { taskId: "task_1", role: null, isAsync: true, sessionVersion }],
    ["task_started", { taskId: "task_1", sessionVersion }],
    ...["completed", "timeout", "cancelled", "failed", "lost"].map((status) => [
      "task_ended",
      { taskId: "task_1", status, sessionVersion },
    ]),
    [
      "checkpoint_restored",
      { checkpointId: "chk_1", status: "partial", pathCount: 1, pathHashes: ["#7"], sessionVersion },
    ],
  ]);
  expect(JSON.stringify(facts.map(told))).not.toContain("hush");
  const types = Object.keys(catalogue);
  expect(types.filter(isWatched).toSorted()).toEqual(facts.map(({ type }) => type).toSorted());
  const others = types.filter((type) => !isWatched(type)) as FactType[];
  expect(others.map((type) => told(fact(type, {})))).toEqual(others.map(() => null));
});

test("a record says whose it is, and hashes of many paths are counted only", () => {
  const files = Array.from({ length: 1_001 }, (_, at) => ({ path: String(at) })) as never;
  const record = recordOf(session, fact("checkpoint.created", { files }), (path) => path);
  expect(record).toMatchObject({
    runId: "run_1",
    sessionId: "s",
    sessionKey: "session:s",
    agentId: null,
    parentRunId: null,
    provenance: "direct",
    payload: { pathCount: 1_001 },
  });
  expect(record?.payload["pathHashes"]).toHaveLength(1_000);
});

test("each day has a stream, by UTC", () => {
  expect(introspectionStream(Date.UTC(2026, 10, 30, 23, 59, 59, 999))).toBe("introspection-2026-11-30");
  expect(introspectionStream(Date.UTC(2026, 11, 1))).toBe("introspection-2026-12-01");
});
