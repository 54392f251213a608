import { describe, expect, test } from "vitest";
import { scriptedModel, type Model } from "../../../src/providers/index.ts";
import { factsOf, gate } from "../../support/runtimes.ts";
import { notices, results, seenTasks, stage, taskFacts, taskWords, tasks, textOf } from "./support.ts";

describe("a task that its call waits for", () => {
  test("is worked on in a session of its own, and its answer is the result", async () => {
    const { runtime, log, session } = await stage({
      go: [tasks({ prompt: "find", async: false }), { text: "done" }],
      find: [{ text: "the answer" }],
    });
    expect((await session.prompt("go")).text).toBe("done");
    expect(await taskWords(log, session.id)).toEqual(["queued", "started", "completed"]);
    const [queued] = await taskFacts(log, session.id);
    const { taskId = "" } = (queued?.data ?? {}) as { readonly taskId?: string };
    expect(taskId).toMatch(/^task_[0-9a-f]{16}$/);
    expect(await results(log, session.id)).toEqual([`${taskId} (find): completed\nthe answer`]);
    expect(await notices(log, session.id)).toEqual([]);
    const [started] = await factsOf(log, `session-${taskId}`);
    expect(started).toMatchObject({
      type: "session.started",
      data: {
        sessionId: taskId,
        model: "s/m",
        lineage: { origin: "subagent", sessionKey: `task:${taskId}`, parentSessionId: session.id, depth: 1 },
        toolPolicy: { deny: ["task"] },
      },
    });
    expect(await runtime.tasks.get(taskId)).toMatchObject({
      taskId,
      parentSessionId: session.id,
      status: "completed",
      text: "the answer",
      partialText: null,
      filesChanged: [],
      coverage: "full",
    });
    expect((await runtime.sessions.list()).find(({ sessionId }) => sessionId === taskId)?.status).toBe(
      "shut_down",
    );
    for (const id of [session.id, taskId]) expect((await runtime.replay.verify(id)).divergences).toEqual([]);
    await runtime.close();
  });

  test("fails its call when it does not complete", async () => {
    const { runtime, log, session } = await stage({
      go: [
        tasks({ prompt: "blank", async: false }),
        tasks({ prompt: "broken", async: false }),
        tasks({ prompt: "cut", async: false }),
        { text: "done" },
      ],
      blank: [{ text: "  " }],
      broken: [],
      cut: [{ text: "half an", finishReason: "length" }],
    });
    await session.prompt("go");
    const ends = (await taskFacts(log, session.id)).filter(({ type }) => type === "subagent.failed");
    expect(ends.map(({ data }) => data)).toMatchObject([
      { class: "empty_answer", partialText: null },
      { class: "model_failed", partialText: null },
      { class: "model_failed", partialText: "half an" },
    ]);
    expect((await results(log, session.id))[2]).toContain("It had said so far:\nhalf an");
    await runtime.close();
  });

  test("has its time, and no more", async () => {
    const late = gate();
    const { runtime, log, session } = await stage({
      go: [tasks({ prompt: "slow", async: false, timeoutMs: 30 }), { text: "done" }],
      slow: [
        async () => {
          await late.promise;
          return { text: "too late" };
        },
      ],
    });
    await session.prompt("go");
    expect(await taskWords(log, session.id)).toEqual(["queued", "started", "timed_out"]);
    expect(await results(log, session.id)).toEqual([expect.stringContaining("(slow): timeout")]);
    late.open();
    await runtime.close();
  });
});

test("what a subagent was saying when its time was up is kept and told", async () => {
  const go = scriptedModel([tasks({ prompt: "slow", async: false, timeoutMs: 300 }), { text: "done" }]);
  const s: Model = {
    ref: "s/m",
    request: (context, options) => {
      const [first] = context.messages;
      if (first === undefined || !textOf(first).endsWith("slow")) return go.request(context, options);
      options.onDelta({ type: "text", text: "half of it" });
      return new Promise((resolve) => {
        const stop = (): void => resolve({ type: "aborted", partialText: "half of it" });
        options.signal.addEventListener("abort", stop, { once: true });
      });
    },
  };
  const { runtime, log, session } = await stage({}, { models: { s } });
  await session.prompt("go");
  const [result] = await results(log, session.id);
  expect(result).toContain("(slow): timeout");
  expect(result).toContain("half of it");
  const [task] = await runtime.tasks.list(session.id);
  expect(await runtime.tasks.get(task?.taskId ?? "")).toMatchObject({
    text: null,
    partialText: "half of it",
  });
  await runtime.close();
});

describe("a task that goes on by itself", () => {
  test("answers at once, and its end is told once, before the next request", async () => {
    const worked = gate();
    const { runtime, log, session } = await stage({
      go: [
        tasks({ prompt: "find", description: "look it up" }),
        async () => {
          worked.open();
          return { text: "bye" };
        },
        (context) => ({ text: context.messages.map(textOf).join("|") }),
        { text: "third" },
      ],
      find: [
        async () => {
          await worked.promise;
          return { text: "the answer" };
        },
      ],
    });
    expect((await session.prompt("go")).text).toBe("bye");
    const [taskId = ""] = (await runtime.tasks.list(session.id)).map((task) => task.taskId);
    while ((await runtime.tasks.get(taskId)).status !== "completed") await new Promise(setImmediate);
    expect(await results(log, session.id)).toEqual([expect.stringContaining(`${taskId} is queued.`)]);
    const { text } = await session.prompt("more");
    const notice = `[subagent ${taskId} (look it up): completed]\n\nthe answer`;
    expect(text.endsWith(`bye|more|${notice}`)).toBe(true);
    await session.prompt("again");
    expect(await notices(log, session.id)).toEqual([notice]);
    expect((await runtime.replay.verify(session.id)).divergences).toEqual([]);
    await runtime.close();
  });

  test("is not told again once a call has told its end", async () => {
    const { runtime, log, session } = await stage({
      go: [
        tasks({ prompt: "one" }, { prompt: "two" }),
        (context) => tasks({ action: "join", taskIds: seenTasks(context) }),
        (context) => tasks({ action: "poll" }, { action: "get", taskId: seenTasks(context)[0] }),
        { text: "done" },
      ],
      one: [{ text: "first answer" }],
      two: [{ text: "second answer" }],
    });
    await session.prompt("go");
    await session.prompt("more");
    expect(await notices(log, session.id)).toEqual([]);
    const told = await results(log, session.id);
    expect(told[2]).toMatch(/one\): completed\nfirst answer[^]*two\): completed\nsecond answer/);
    expect(
      (await taskFacts(log, session.id)).filter(({ type }) => type === "subagent.reported"),
    ).toHaveLength(1);
    await runtime.close();
  });

  test("a join tells what each is by then, in the order that was asked for, and cancels nothing", async () => {
    const held = gate();
    const { runtime, log, session } = await stage({
      go: [
        tasks({ prompt: "slow" }, { prompt: "quick" }),
        (context) => {
          const [slow, quick] = seenTasks(context);
          return tasks({
            action: "join",
            taskIds: [slow, "task_0000000000000000", quick, "nonsense"],
            timeoutMs: 200,
          });
        },
        (context) => tasks({ action: "join", taskIds: seenTasks(context).slice(0, 2), mode: "wait_any" }),
        (context) => tasks({ action: "cancel", taskId: seenTasks(context)[0], reason: "enough" }),
        { text: "done" },
      ],
      slow: [
        async () => {
          await held.promise;
          return { text: "late" };
        },
      ],
      quick: [{ text: "here" }],
    });
    await session.prompt("go");
    const [, , joined, any, cancelled] = await results(log, session.id);
    expect(joined).toMatch(
      /^task_\w+ \(slow\): running\n\ntask_0000000000000000: not_found\n\ntask_\w+ \(quick\): completed\nhere\n\nnonsense: not_found$/,
    );
    expect(any).toMatch(/\(slow\): running/);
    expect(cancelled).toMatch(/\(slow\): cancelled/);
    expect((await taskWords(log, session.id)).filter((word) => word === "cancelled")).toHaveLength(1);
    held.open();
    await session.prompt("more");
    expect(await notices(log, session.id)).toEqual([]);
    await runtime.close();
  });
});

describe("what is refused", () => {
  test.each([
    [{}, "empty_prompt"],
    [{ prompt: "  " }, "empty_prompt"],
    [{ prompt: 7 }, "invalid_prompt"],
    [{ prompt: "x".repeat(262_145) }, "invalid_prompt"],
    [{ prompt: "x", timeoutMs: 0 }, "invalid_options"],
    [{ prompt: "x", async: "yes" }, "invalid_options"],
    [{ prompt: "x", role: "nobody" }, "invalid_role"],
    [{ action: "dance" }, "invalid_action"],
    [{ action: "join" }, "missing_task_id"],
    [{ action: "join", taskIds: "x" }, "invalid_options"],
    [{ action: "join", taskIds: ["x"], mode: "some" }, "invalid_options"],
    [{ action: "get" }, "missing_task_id"],
    [{ action: "get", taskId: "../x" }, "not_found"],
    [{ action: "cancel", taskId: "task_0123456789abcdef" }, "not_found"],
  ])("%j: %s", async (args, reason) => {
    const { runtime, log, session } = await stage({ go: [tasks(args), { text: "done" }] });
    await session.prompt("go");
    const facts = await factsOf(log, `session-${session.id}`);
    expect(facts.find(({ type }) => type === "tool_call.returned")?.data).toMatchObject({
      isError: true,
      errorType: reason,
    });
    expect(await taskWords(log, session.id)).toEqual([]);
    await runtime.close();
  });
});
