import { expect, test } from "vitest";
import { Leadership } from "../../src/actors/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { silentLogger } from "../../src/ports.ts";
import { SessionWriter, type SessionFact } from "../../src/runtime/session-writer.ts";
import type { SessionStream } from "../../src/runtime/session-stream.ts";
import { createMasker } from "../../src/secrets/index.ts";
import { systemClock } from "../../src/supervision/index.ts";
import { factsOf, scriptedRuntime } from "../support/runtimes.ts";
import { memoryLog } from "../support/log-doubles.ts";

const cleared: SessionFact = { type: "todos.written", data: { action: "clear", todos: [], callId: null } };

async function writerOn(log: EventLog, streamOf: (id: string) => SessionStream | null = () => null) {
  const leadership = await Leadership.acquire(log, "writer", "writer", systemClock, silentLogger);
  const mask = createMasker([{ name: "KEY", value: "hush-hush-hush" }]);
  const writer = new SessionWriter({ log, leadership, clock: systemClock, mask, streamOf });
  return { writer, close: () => leadership.close() };
}

const write = (writer: SessionWriter, id: string) => writer.update(id, () => Promise.resolve(cleared));

test("writes into a session that nobody leads, and into one that was never started", async () => {
  const log = await memoryLog();
  const { writer, close } = await writerOn(log);
  expect(await write(writer, "s")).toMatchObject({
    version: 1,
    kind: "input",
    actor: "caller",
    causation: null,
  });
  const runtime = await scriptedRuntime(log, [{ text: "hello" }]);
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  expect((await session.prompt("hi")).text).toBe("hello");
  await session.shutdown();
  expect(await write(writer, "s")).toMatchObject({ type: "todos.written", correlation: null });
  expect((await runtime.replay.verify("s")).divergences).toEqual([]);
  await close();
  await runtime.close();
});

test("goes through the actor of a session that is open here, and is refused by one that is open elsewhere", async () => {
  const log = await memoryLog();
  const runtime = await scriptedRuntime(log, []);
  await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  const here = await writerOn(log, (id) => runtime.sessions.streamOf(id));
  const elsewhere = await writerOn(log);
  expect(await write(here.writer, "s")).toMatchObject({ type: "todos.written" });
  await expect(write(elsewhere.writer, "s")).rejects.toMatchObject({ code: "LEMON_SESSION_BUSY" });
  await expect(elsewhere.writer.lead("s", (next) => next(cleared))).rejects.toMatchObject({
    code: "LEMON_SESSION_BUSY",
  });
  await Promise.all([here.close(), elsewhere.close(), runtime.close()]);
});

test("decides again when somebody wrote meanwhile, and gives up after three tries", async () => {
  const log = await memoryLog();
  const { writer, close } = await writerOn(log);
  const other = await writerOn(log);
  const seen: number[] = [];
  const meddled = (times: number) =>
    writer.update("s", async (to) => {
      seen.push(to);
      if (seen.length <= times) await write(other.writer, "s");
      return cleared;
    });
  expect(await meddled(2)).toMatchObject({ version: 3 });
  expect(seen).toEqual([0, 1, 2]);
  seen.length = 0;
  await expect(meddled(3)).rejects.toMatchObject({ code: "LEMON_CONFLICT" });
  await Promise.all([close(), other.close()]);
});

test("keeps others out while it leads, and hides secrets", async () => {
  const log = await memoryLog();
  const { writer, close } = await writerOn(log);
  const other = await writerOn(log);
  await writer.lead("s", async (next) => {
    await next({
      type: "introspection.recorded",
      data: {
        eventId: "evt_0",
        eventType: "hush-hush-hush",
        runId: null,
        sessionId: null,
        sessionKey: null,
        agentId: null,
        parentRunId: null,
        engine: "lemon",
        provenance: "direct",
        payload: {},
      },
    });
    await expect(write(other.writer, "s")).rejects.toMatchObject({ code: "LEMON_SESSION_BUSY" });
    await next(cleared);
  });
  expect(await write(other.writer, "s")).toMatchObject({ version: 3 });
  expect(JSON.stringify(await factsOf(log, "session-s"))).not.toContain("hush-hush-hush");
  await Promise.all([close(), other.close()]);
});
