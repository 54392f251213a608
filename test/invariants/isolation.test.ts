import { describe, expect, test } from "vitest";
import { probe, probeExtension, scriptedRuntime } from "../support/runtimes.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { responded, returned, settled, startRig, touchyRunner } from "../support/streams.ts";

describe("let it crash, restart from the log", () => {
  test("the crash of one session's actors is not noticed by another on the same log", async () => {
    const log = await memoryLog();
    const turns = [probe("a"), { text: "done" }];
    const runtime = await scriptedRuntime(log, turns, {
      extensions: [probeExtension(() => Promise.resolve("ok"))],
    });
    const rig = await startRig(log, { actors: touchyRunner() });
    await rig.stream.submit("prompt.submitted", { runId: "run_1", content: [{ type: "text", text: "go" }] });
    rig.effects[0]?.finish(responded(["a"]));
    await settled();
    const healthy = await runtime.sessions.start({ model: "s/m" });
    const outcome = healthy.prompt("go");
    rig.effects[0]?.finish(returned("a", "poison"));
    await settled();
    expect(rig.supervisor.tree().children[0]).toMatchObject({ restarts: 1 });
    expect(await outcome).toMatchObject({ status: "completed", text: "done" });
    const rows = JSON.stringify(runtime.supervision.tree());
    expect(rows).not.toMatch(/"restarts":[1-9]/);
    await runtime.close();
  });
});
