import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../src/providers/index.ts";
import type { Session } from "../../src/runtime/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf, gate, probe, probeExtension, scriptedRuntime } from "../support/runtimes.ts";

/** Two sessions in a lane of one, the first at work until its gate is opened. */
async function twoInLine() {
  const log = await memoryLog();
  const held = gate<string>();
  const began = gate();
  const runtime = await scriptedRuntime(log, [], {
    config: { lanes: { main: 1 } },
    models: { s: scriptedModel([probe("x"), { text: "done" }]), quick: scriptedModel([{ text: "quick" }]) },
    extensions: [
      probeExtension(async () => {
        began.open();
        return held.promise;
      }),
    ],
  });
  const first = await runtime.sessions.start({ model: "s/m" });
  const second = await runtime.sessions.start({ model: "quick/m" });
  const working = first.prompt("go");
  await began.promise;
  return { runtime, first, second, working, held, log };
}

async function queued(session: Session): Promise<void> {
  while (session.state().status !== "queued") await new Promise((resolve) => setImmediate(resolve));
}

describe("the lane of sessions", () => {
  test("a prompt waits for its turn, with nothing of it recorded", async () => {
    const { runtime, first, second, working, held, log } = await twoInLine();
    const before = second.state().version;
    const waiting = second.prompt("go");
    await queued(second);
    expect(second.state()).toMatchObject({ status: "queued", version: before, runId: null });
    await expect(second.prompt("again")).rejects.toMatchObject({ reason: "already_streaming" });
    await expect(first.prompt("again")).rejects.toMatchObject({ reason: "already_streaming" });
    held.open("ok");
    expect((await working).status).toBe("completed");
    expect(await waiting).toMatchObject({ status: "completed", text: "quick" });
    const types = (await factsOf(log, `session-${second.id}`)).map(({ type }) => type);
    expect(types.filter((type) => type === "prompt.submitted")).toHaveLength(1);
    await runtime.close();
  });

  test("abort takes it out of the line at once, and the slot stays where it is", async () => {
    const { runtime, second, working, held } = await twoInLine();
    const before = second.state().version;
    const waiting = second.prompt("go");
    const refused = expect(waiting).rejects.toMatchObject({ reason: "aborted", message: "changed my mind" });
    await queued(second);
    expect(await second.abort("changed my mind")).toEqual({ aborted: true });
    await refused;
    expect(second.state()).toMatchObject({ status: "idle", version: before });
    expect(await second.abort()).toEqual({ aborted: false });
    held.open("ok");
    await working;
    expect((await second.prompt("go")).text).toBe("quick");
    await runtime.close();
  });

  test("so do its signal and the shutdown of the session", async () => {
    const { runtime, second, working, held } = await twoInLine();
    const stop = new AbortController();
    const waiting = second.prompt("go", { signal: stop.signal });
    const refused = expect(waiting).rejects.toMatchObject({ reason: "aborted", message: "no time" });
    await queued(second);
    stop.abort(new Error("no time"));
    await refused;
    const again = expect(second.prompt("go")).rejects.toMatchObject({ reason: "aborted" });
    await queued(second);
    await second.shutdown("bye");
    await again;
    held.open("ok");
    await working;
    await runtime.close();
  });

  test("a run that is aborted gives its slot back", async () => {
    const { runtime, first, second, working, held } = await twoInLine();
    const waiting = second.prompt("go");
    await queued(second);
    await first.abort();
    expect((await working).status).toBe("aborted");
    expect((await waiting).text).toBe("quick");
    held.open("late");
    await runtime.close();
  });

  test("what a resumed session goes on with counts, and holds nothing up itself", async () => {
    const { runtime, first, second, working, held, log } = await twoInLine();
    // Given back as it is, its run stays open.
    working.catch(() => undefined);
    await first.release();
    held.open("late");
    const again = gate<string>();
    const next = await scriptedRuntime(log, [], {
      config: { lanes: { main: 1 } },
      models: {
        s: scriptedModel([probe("x"), probe("y"), { text: "done" }]),
        quick: scriptedModel([{ text: "quick" }]),
      },
      extensions: [probeExtension(() => again.promise)],
    });
    const resumed = await next.sessions.resume(first.id);
    expect(resumed.state().status).toBe("running");
    await second.shutdown();
    const other = await next.sessions.start({ model: "quick/m" });
    const waiting = other.prompt("go");
    await queued(other);
    again.open("ok");
    expect((await resumed.outcome())?.status).toBe("completed");
    expect((await waiting).text).toBe("quick");
    await next.close();
    await runtime.close();
  });
});
