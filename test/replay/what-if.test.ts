/** What-if over stored sessions: what stands, what is asked again, and what is refused. */
import { describe, expect, test } from "vitest";
import type { EventLog } from "../../src/log/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { calling, echoing, fileWith, hooked, world, type World } from "../runtime/extensions-support.ts";

/** Blocks every second call of its life, and says in which life it is asked. */
const counting = `let seen = 0;
export default { name: "counting", version: "1.0.0", hooks: {
  onSessionStart: () => ({ additionalContext: "counted " + seen }),
  onToolCall: () => ((seen += 1) % 2 === 0 ? { block: "the " + seen + "th" } : undefined),
} };\n`;

const echo = (k: number): { name: string; args: { k: number } } => ({ name: "echo", args: { k } });

async function on(log: EventLog, options: Parameters<typeof world>[0] = {}): Promise<World> {
  return world({ extensions: [echoing([], { readOnly: true })], onLog: log, ...options });
}

describe("the very same extensions", () => {
  test("change nothing over a resume in another process and a reload, both of which start them afresh", async () => {
    const log = await memoryLog();
    const files = { "ext/counting.mjs": counting };
    const turns = [
      calling(echo(1), echo(2), echo(3)),
      { text: "one" },
      calling(echo(4), echo(5)),
      { text: "two" },
      calling(echo(6)),
      { text: "three" },
    ];
    let id: string;
    let cwd: string;
    {
      await using here = await on(log, { turns, files });
      ({ cwd } = here);
      const session = await here.start();
      ({ id } = session);
      await session.prompt("go");
    }
    await using here = await on(log, { turns, files, cwd });
    const session = await here.runtime.sessions.resume(id);
    await session.prompt("go on");
    await session.reloadExtensions();
    await session.prompt("and on");
    const report = await here.runtime.replay.whatIf(id, { extensions: ["ext"] });
    expect(report).toEqual({ sessions: 1, calls: 6, changes: [], contexts: [] });
    const none = await here.runtime.replay.whatIf([id, id], { extensions: [] });
    expect(
      none.changes.map(({ tool, args, before, after }) => [tool, args, before.reason, after.decision]),
    ).toEqual([
      ["echo", { k: 2 }, "the 2th", "allowed"],
      ["echo", { k: 5 }, "the 2th", "allowed"],
    ]);
    expect(none.changes[0]?.before.by.decision).toMatchObject({ module: "counting", version: "1.0.0" });
    expect(none.contexts.map(({ before, after }) => [before, after])).toEqual([
      ["[hook context]\ncounted 0", null],
      ["[hook context]\ncounted 0", null],
    ]);
  });

  test("that ran over their time did so by accident: they are not asked again", async () => {
    const looping = `export default { name: "looping", version: "1.0.0", hooks: {
      onToolCall: ({ args }) => { while (args.k === 2); },
    } };\n`;
    const tool = fileWith("quick", "quick", "quick").replace(
      "execute:",
      "readOnly: true, timeoutMs: 300, execute:",
    );
    const files = { "ext/looping.mjs": looping, "ext/quick.mjs": tool };
    const call = (k: number): { name: string; args: { k: number } } => ({ name: "quick", args: { k } });
    await using here = await world({ turns: [calling(call(1), call(2), call(3)), { text: "done" }], files });
    const session = await here.start();
    await session.prompt("go");
    const startedAt = performance.now();
    const report = await here.runtime.replay.whatIf(session.id, { extensions: ["ext"] });
    expect(report).toEqual({ sessions: 1, calls: 3, changes: [], contexts: [] });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    // Other code is asked again, and its deadline holds.
    here.write("other/looping.mjs", `${looping}// other\n`);
    here.write("other/looping.mjs", looping.replace("args.k === 2", "args.k === 3"));
    const other = await here.runtime.replay.whatIf(session.id, { extensions: ["other", "ext/quick.mjs"] });
    expect(
      other.changes.map(({ args, before, after }) => [args, before.decision, after.decision, after.reason]),
    ).toEqual([
      [{ k: 2 }, "blocked", "allowed", null],
      [{ k: 3 }, "allowed", "blocked", "an extension hook failed"],
    ]);
  });
});

describe("approval and policy", () => {
  test("are asked of each call; what somebody answered then still holds", async () => {
    await using here = await world({
      turns: [calling(echo(1), { name: "ls", args: {} }), { text: "done" }],
      extensions: [echoing()],
    });
    const session = await here.start({ approval: "ask" });
    session.subscribe((event) => {
      if (event.type === "approval_requested") void session.approvals.resolve(event.id, "deny", "not today");
    });
    await session.prompt("go");
    const { whatIf } = here.runtime.replay;
    const verdicts = async (options: Parameters<typeof whatIf>[1]): Promise<unknown> => {
      const { changes } = await whatIf(session.id, options);
      return changes.map(({ tool, before, after, changed }) => [
        tool,
        before.decision,
        after.decision,
        changed,
      ]);
    };
    expect(await verdicts({ approval: "ask" })).toEqual([]);
    expect(await verdicts({ approval: "auto" })).toEqual([
      ["echo", "denied", "allowed", ["decision", "approval"]],
    ]);
    expect(await verdicts({ approval: "deny" })).toEqual([
      ["echo", "denied", "denied", ["reason", "approval"]],
    ]);
    expect(await verdicts({ toolPolicy: { requireApproval: ["ls"] } })).toEqual([
      ["ls", "allowed", "waiting", ["decision", "approval"]],
    ]);
    expect(await verdicts({ toolPolicy: { deny: ["ls"] } })).toEqual([
      ["ls", "allowed", "not_offered", ["decision"]],
    ]);
    expect(await verdicts({})).toEqual([]);
  });
});

describe("other extensions", () => {
  test("see what was recorded: results, and placeholders for secrets", async () => {
    const seen: unknown[] = [];
    await using here = await world({
      turns: [calling({ name: "echo", args: { token: "{{secret:KEY}}" } }), { text: "done" }],
      extensions: [echoing([], { readOnly: true })],
      config: { secrets: { KEY: { env: "KEY" } } },
      env: { KEY: "very-secret-value" },
    });
    const session = await here.start();
    await session.prompt("go");
    const watcher = hooked("watcher", {
      onTurnEnd: (message, results) => void seen.push([message.role, results.length]),
      onToolCall: ({ args }) => void seen.push(args),
      onToolResult: ({ result, isError }) => {
        seen.push([(result as { content: unknown }).content, isError]);
        return {
          additionalContext: "noted",
          replace: { content: [{ type: "text", text: "very-secret-value" }] },
        };
      },
    });
    const { changes } = await here.runtime.replay.whatIf(session.id, { extensions: [watcher as object] });
    expect(seen).toEqual([
      { token: "{{secret:KEY}}" },
      [[{ type: "text", text: '{"token":"{{secret:KEY}}"}' }], false],
      ["assistant", 1],
      ["assistant", 0],
    ]);
    expect(changes.map(({ changed, after }) => [changed, after.content, after.context])).toEqual([
      [["content", "context"], [{ type: "text", text: "{{secret:KEY}}" }], "[hook context]\nnoted"],
    ]);
  });

  test("that can't be used are an error before anything is judged", async () => {
    await using here = await world({
      turns: [{ text: "done" }],
      files: { "bad.mjs": "export default {", "empty/x.txt": "" },
    });
    const session = await here.start();
    await session.prompt("go");
    const refused = (extensions: readonly (string | object)[]): Promise<unknown> =>
      here.runtime.replay.whatIf(session.id, { extensions }).catch((error: unknown) => error);
    expect(await refused(["bad.mjs"])).toMatchObject({
      code: "LEMON_INVALID_EXTENSIONS",
      message: expect.stringContaining("Syntax error") as string,
    });
    expect(await refused(["nowhere"])).toMatchObject({ code: "LEMON_INVALID_EXTENSIONS" });
    expect(await refused(["empty"])).toMatchObject({ code: "LEMON_INVALID_EXTENSIONS" });
    expect(await refused([{ name: 1 }])).toMatchObject({ code: "LEMON_INVALID_EXTENSIONS" });
    await expect(here.runtime.replay.whatIf("nobody", { extensions: [] })).rejects.toMatchObject({
      code: "LEMON_SESSION_NOT_FOUND",
    });
  });
});
