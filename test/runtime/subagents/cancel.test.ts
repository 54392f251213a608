import { expect, test } from "vitest";
import { factOfType, gate } from "../../support/runtimes.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { notices, stage, taskFacts, tasks } from "./support.ts";

test("a caller can end a task: its end is recorded first, and the model is told of it", async () => {
  const held = gate();
  const { runtime, log, session } = await stage({
    go: [tasks({ prompt: "work" }), { text: "bye" }, { text: "more" }],
    work: [
      async () => {
        await held.promise;
        return { text: "late" };
      },
    ],
  });
  await session.prompt("go");
  await factOfType(log, `session-${session.id}`, "subagent.started");
  const [task] = await runtime.tasks.list(session.id);
  const taskId = task?.taskId ?? "";
  expect(await runtime.tasks.cancel(taskId, "x".repeat(600))).toEqual({
    taskId,
    cancelled: true,
    status: "cancelled",
  });
  expect(await runtime.tasks.cancel(taskId)).toEqual({ taskId, cancelled: false, status: "cancelled" });
  const cancelled = (await taskFacts(log, session.id)).at(-1)?.data;
  expect(cancelled).toMatchObject({ cause: "asked", callId: null, reason: "x".repeat(500) });
  await session.prompt("more");
  expect(await notices(log, session.id)).toEqual([`[subagent ${taskId} (work): cancelled]`]);
  held.open();
  await runtime.close();
});

test("a task that nobody works on can be ended too: then no resume takes it up", async () => {
  const log = await memoryLog();
  const held = gate();
  const acts = {
    go: [tasks({ prompt: "work" }), { text: "bye" }],
    work: [
      async () => {
        await held.promise;
        return { text: "late" };
      },
    ],
  };
  const { runtime, session } = await stage(acts, { log });
  await session.prompt("go");
  await factOfType(log, `session-${session.id}`, "subagent.started");
  const [task] = await runtime.tasks.list(session.id);
  const taskId = task?.taskId ?? "";
  await session.release();
  expect((await runtime.tasks.get(taskId)).status).toBe("lost");
  expect(await runtime.tasks.cancel(taskId)).toMatchObject({ cancelled: true, status: "cancelled" });
  const resumed = await runtime.sessions.resume(session.id);
  expect((await runtime.tasks.get(taskId)).status).toBe("cancelled");
  expect(await runtime.sessions.get(taskId)).toBeNull();
  expect((await runtime.replay.verify(resumed.id)).divergences).toEqual([]);
  held.open();
  await runtime.close();
});
