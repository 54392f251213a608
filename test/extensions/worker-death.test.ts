import { describe, expect, it } from "vitest";
import { ToolFailure } from "../../src/tools/index.ts";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

describe("a worker", () => {
  it("answers a call", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools({ echo: "return text(JSON.stringify(args) + ctx.sessionId)" }),
    );
    expect(await textOf(callTool(members, "echo", { args: { a: 1 } }))).toBe('{"a":1}ses_1');
  });
  it("that exits ends its call as crashed and is started again", async () => {
    await using t = await testWorld();
    const { members } = await t.open(withTools({ exit: "process.exit(3)", ok: "return text('ok')" }));
    const failure = await callTool(members, "exit").catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(ToolFailure);
    expect((failure as ToolFailure).message).toBe("Tool task crashed: exit code 3");
    expect(await textOf(callTool(members, "ok"))).toBe("ok");
    expect(t.seen.restarted).toEqual([{ module: "sample", cause: "exit", restarts: 1 }]);
  });
});
