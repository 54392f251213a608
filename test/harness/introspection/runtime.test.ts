/** `runtime.introspection`. */
import { beforeEach, expect, test } from "vitest";
import type { EventLog } from "../../../src/log/index.ts";
import type { Logger } from "../../../src/ports.ts";
import type { IntrospectionDraft } from "../../../src/harness/index.ts";
import { RuntimeIntrospection } from "../../../src/runtime/introspection.ts";
import { createMasker } from "../../../src/secrets/index.ts";
import { countingIds } from "../../support/ids.ts";
import { memoryLog, tampered, type Tampering } from "../../support/log-doubles.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { factsOf, scriptedRuntime } from "../../support/runtimes.ts";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 10, 30, 12);
const SECRET = "hush-hush-hush";

let log: EventLog;
let clock: ManualClock;
let warnings: object[];
let logger: Logger;
beforeEach(async () => {
  log = await memoryLog();
  clock = new ManualClock(NOON);
  warnings = [];
  const silent = (): void => undefined;
  logger = { debug: silent, info: silent, error: silent, warn: (fields) => void warnings.push(fields) };
});

function introspection(on: EventLog = log): RuntimeIntrospection {
  const mask = createMasker([{ name: "KEY", value: SECRET }]);
  return new RuntimeIntrospection({ log: on, clock, ids: countingIds(), logger, mask });
}

const draft = (eventType: string, more: Partial<IntrospectionDraft> = {}): IntrospectionDraft => ({
  eventType,
  runId: null,
  sessionId: "s",
  sessionKey: null,
  agentId: null,
  parentRunId: null,
  provenance: "direct",
  payload: {},
  ...more,
});

test("what happens in a session is recorded, without what was said in it", async () => {
  const runtime = await scriptedRuntime(
    log,
    [
      {
        toolCalls: [
          { name: "ls", args: { path: "." } },
          { name: "todo", args: { action: "write", todos: [{ id: "a", content: `todo ${SECRET}` }] } },
        ],
      },
      { text: `answer ${SECRET}` },
    ],
    { clock },
  );
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  await session.prompt(`prompt ${SECRET}`);
  await session.shutdown("because");
  const records = await runtime.introspection.list();
  expect(records.map(({ eventType }) => eventType)).toEqual([
    "session_ended",
    "tool_dispatched",
    "tool_dispatched",
    "session_started",
  ]);
  expect(records[1]).toMatchObject({
    eventId: expect.stringMatching(/^evt_[0-9a-f]{16}$/),
    runId: expect.stringMatching(/^run_/),
    sessionId: "s",
    sessionKey: "session:s",
    engine: "lemon",
    provenance: "direct",
    payload: { toolName: "todo" },
  });
  await runtime.close();
  const stored = JSON.stringify(await factsOf(log, "introspection-2026-11-30"));
  for (const content of [SECRET, "prompt", "answer", "because"]) expect(stored).not.toContain(content);
});

test("records wait for others, for a second at most, and are all written at the close", async () => {
  const seen = introspection();
  const written = async (): Promise<number> => (await factsOf(log, "introspection-2026-11-30")).length;
  const runtime = await scriptedRuntime(log, [{ text: "hi" }], { clock });
  await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  expect(await written()).toBe(0);
  clock.advance(1_000);
  await runtime.introspection.flush();
  expect(await written()).toBe(1);
  await runtime.close();
  expect(await written()).toBe(2);
  expect(await seen.list({ eventType: "session_ended" })).toHaveLength(1);
});

test("a caller can wait for the record of what it did", async () => {
  const seen = introspection();
  const payload = { sessionId: "s", cwd: "/w", overallPercentage: 50 };
  await seen.record(draft("agent_progress_snapshot", { agentId: "me", payload }));
  const told = { runId: null, sessionId: "s", sessionKey: null, agentId: "me", payload };
  expect((await seen.list())[0]).toMatchObject(told);
  expect(await factsOf(log, "introspection-2026-11-30")).toMatchObject([
    {
      type: "introspection.recorded",
      at: NOON,
      kind: "input",
      data: { eventType: "agent_progress_snapshot" },
    },
  ]);
});

test("a record that can't be written fails nothing: the logger is told a code, and the next is written", async () => {
  const tampering: Tampering = {
    beforeAppend: () => {
      throw new Error(`disk of ${SECRET}`);
    },
  };
  const seen = introspection(tampered(log, tampering));
  await seen.record(draft("lost"));
  delete tampering.beforeAppend;
  await seen.record(draft("kept"));
  expect((await seen.list()).map(({ eventType }) => eventType)).toEqual(["kept"]);
  expect(warnings).toEqual([{ code: "unknown", records: 1 }]);
});

test("a session goes on when introspection can't be recorded", async () => {
  const tampering: Tampering = {
    beforeAppend: (stream) => {
      if (stream.startsWith("introspection-")) throw new Error("full");
    },
  };
  const runtime = await scriptedRuntime(tampered(log, tampering), [{ text: "fine" }], { clock, logger });
  const session = await runtime.sessions.start({ model: "s/m" });
  const answered = session.prompt("go");
  await runtime.introspection.flush();
  expect((await answered).text).toBe("fine");
  await runtime.close();
  expect(warnings.length).toBeGreaterThan(0);
});

test("the newest come first, of 7 days, by type and session, up to a limit", async () => {
  const seen = introspection();
  const at = async (days: number, eventType: string, sessionId = "s"): Promise<void> => {
    clock = new ManualClock(NOON + days * DAY);
    await introspection().record(draft(eventType, { sessionId }));
  };
  await at(-8, "too old");
  await at(-7, "oldest");
  await at(-1, "yesterday", "t");
  await at(0, "today");
  await at(-1, "yesterday, by a clock that is late");
  const types = async (filter: object = {}): Promise<string[]> =>
    (await seen.list(filter)).map(({ eventType }) => eventType);
  expect(await types()).toEqual(["yesterday, by a clock that is late", "today", "yesterday", "oldest"]);
  expect(await types({ sessionId: "t" })).toEqual(["yesterday"]);
  expect(await types({ sessionId: "session:t" })).toEqual(["yesterday"]);
  expect(await types({ eventType: "today" })).toEqual(["today"]);
  expect(await types({ limit: 2 })).toEqual(["yesterday, by a clock that is late", "today"]);
  for (const limit of [0, 1_001, 1.5, -1, "3" as never])
    await expect(seen.list({ limit })).rejects.toMatchObject({ code: "LEMON_INVALID_LIMIT", field: "limit" });
});

test("secrets, prompts, output and arguments never stand in a record", async () => {
  const seen = introspection();
  const key = "sk-abcdefghijklmnop";
  await seen.record(
    draft("anything", {
      runId: `run ${key}`,
      agentId: `agent ${SECRET}`,
      payload: {
        prompt: "said",
        nested: {
          stdout: "printed",
          response: "said",
          stderr: "printed",
          args: { a: 1 },
          note: `${key} ${SECRET}`,
        },
        password: "word",
        input: "given",
        inputTokens: 5,
        long: "x".repeat(5_000),
      },
    }),
  );
  const [record] = await seen.list();
  expect(record).toMatchObject({ runId: "run [redacted]" });
  expect(record?.agentId).not.toContain(SECRET);
  const { nested, long, ...payload } = record?.payload ?? {};
  expect(payload).toEqual({ password: "[redacted]", input: "[redacted]", inputTokens: 5 });
  expect(Object.keys(nested ?? {})).toEqual(["args", "note"]);
  expect(JSON.stringify(nested)).not.toMatch(/sk-|hush|said|printed/);
  expect(long).toBe(`${"x".repeat(4_096)} [904 bytes cut]`);
});
