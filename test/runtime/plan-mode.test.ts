/** Plan mode of a session: which tools there are, when a call is one of a plan, and what of it is recorded. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { verifyReplay } from "../../src/replay/index.ts";
import type { SessionEvent } from "../../src/projections/index.ts";
import type { Session } from "../../src/runtime/index.ts";
import { factOfType, gate } from "../support/runtimes.ts";
import { calling, dataOf, echoing, hooked, world, type World } from "./extensions-support.ts";

const planned = ["read", "grep", "find", "ls", "todo", "extensions_status", "write", "edit", "propose_plan"];
const names = (session: Session): string[] => session.tools().map(({ name }) => name);

/** What the model was told of each call, in order of the last request. */
function results(world: World, request: number): string[] {
  const messages = world.requests[request]?.messages ?? [];
  return messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ content }) =>
          content.map((block) => ("text" in block ? block.text : "")).join(""),
        )
      : [],
  );
}

const write = (file: string, content = "x"): { name: string; args: Record<string, unknown> } => ({
  name: "write",
  args: { path: file, content },
});

describe("turning it on and off", () => {
  test("tells whether anything changed, is recorded once, and the tools come back in their order", async () => {
    await using w = await world({ extensions: [echoing()] });
    const session = await w.start();
    const before = names(session);
    expect(session.state().mode).toBe("normal");
    expect(await session.planMode.exit()).toEqual({ active: false, changed: false });
    expect(await session.planMode.enter()).toEqual({ active: true, changed: true });
    expect(await session.planMode.enter()).toEqual({ active: true, changed: false });
    expect(session.state().mode).toBe("plan");
    expect(names(session)).toEqual(planned);
    expect(await session.planMode.exit()).toEqual({ active: false, changed: true });
    expect(names(session)).toEqual(before);
    const facts = (await w.factsOf(session)).filter(({ type }) => type.startsWith("plan_mode."));
    expect(facts.map(({ type, kind }) => [type, kind])).toEqual([
      ["plan_mode.entered", "input"],
      ["plan_mode.exited", "input"],
    ]);
  });

  test("of many callers at once one changes it", async () => {
    await using w = await world();
    const session = await w.start();
    const changes = await Promise.all(Array.from({ length: 5 }, () => session.planMode.enter()));
    expect(changes.filter(({ changed }) => changed)).toHaveLength(1);
    expect(changes.every(({ active }) => active)).toBe(true);
  });

  test("survives the end of the runtime", async () => {
    await using w = await world({ turns: [calling("bash"), { text: "done" }] });
    const session = await w.start();
    await session.planMode.enter();
    await session.shutdown();
    const again = await w.runtime.sessions.resume(session.id);
    expect(again.state().mode).toBe("plan");
    expect(names(again)).toEqual(planned);
    await again.prompt("go");
    expect(results(w, 1)).toEqual(["Tool bash is not available in plan mode"]);
  });
});

describe("a run in plan mode", () => {
  test("offers its tools, writes plans without asking, keeps to its folder, and replays", async () => {
    await using w = await world({
      turns: [
        calling(
          write(".lemon/plans/a.md"),
          write("src/a.ts"),
          { name: "bash", args: { command: "touch b" } },
          "nothing",
        ),
        { text: "done" },
      ],
    });
    const session = await w.start({ approval: "ask" });
    await session.planMode.enter();
    await session.prompt("go");
    expect(w.requests[0]?.tools.map(({ name }) => name)).toEqual(planned);
    expect(results(w, 1)).toEqual([
      expect.stringContaining("Created"),
      "src/a.ts is outside .lemon/plans/",
      "Tool bash is not available in plan mode",
      "Tool nothing not found",
    ]);
    expect(readFileSync(path.join(w.cwd, ".lemon/plans/a.md"), "utf8")).toBe("x");
    expect(existsSync(path.join(w.cwd, "src"))).toBe(false);
    const facts = await w.factsOf(session);
    expect(dataOf(facts, "approval.requested")).toEqual([]);
    expect(dataOf(facts, "tool_call.completed").map(({ reason }) => reason)).toEqual(
      expect.arrayContaining([null, "plan_boundary", "plan_mode", "unknown_tool"]),
    );
    expect(dataOf(facts, "model.requested").map(({ mode }) => mode)).toEqual(["plan", "plan"]);
    expect((await verifyReplay(w.log, session.id)).divergences).toEqual([]);
  });

  test("a plan is recorded, told to subscribers, and changes no mode", async () => {
    await using w = await world({
      turns: [calling({ name: "propose_plan", args: { plan: "1. look\n2. leap" } }), { text: "done" }],
    });
    const session = await w.start();
    const events: SessionEvent[] = [];
    session.subscribe((event) => void events.push(event));
    await session.planMode.enter();
    await session.prompt("go");
    expect(results(w, 1)).toEqual(["Plan proposed."]);
    const [proposed] = dataOf(await w.factsOf(session), "plan.proposed");
    expect(proposed).toMatchObject({ plan: "1. look\n2. leap", planId: expect.stringMatching(/^plan_/) });
    expect(events.find(({ type }) => type === "plan_proposed")).toEqual({
      type: "plan_proposed",
      sessionId: session.id,
      planId: proposed?.planId,
      plan: "1. look\n2. leap",
    });
    expect(session.state().mode).toBe("plan");
  });

  test("hooks see private tools, and the boundary is checked after they have replaced the arguments", async () => {
    const seen: string[] = [];
    await using w = await world({
      extensions: [
        hooked("mover", {
          onToolCall: ({ toolName, args }) => {
            seen.push(toolName);
            if (args["path"] === ".lemon/plans/out.md") return { replaceArgs: { ...args, path: "out.md" } };
            if (args["path"] === "in.md") return { replaceArgs: { ...args, path: ".lemon/plans/in.md" } };
            return args["plan"] === "bad" ? { block: "a bad plan" } : undefined;
          },
        }),
      ],
      turns: [
        calling(write(".lemon/plans/out.md"), write("in.md"), {
          name: "propose_plan",
          args: { plan: "bad" },
        }),
        { text: "done" },
      ],
    });
    const session = await w.start();
    await session.planMode.enter();
    await session.prompt("go");
    expect(seen).toEqual(["write", "write", "propose_plan"]);
    expect(results(w, 1)).toEqual([
      "out.md is outside .lemon/plans/",
      expect.stringContaining("Created"),
      "Tool call blocked: a bad plan",
    ]);
    expect(dataOf(await w.factsOf(session), "plan.proposed")).toEqual([]);
    expect(existsSync(path.join(w.cwd, "out.md"))).toBe(false);
  });

  test("a policy that denies a tool denies it here too", async () => {
    await using w = await world();
    const session = await w.start({ toolPolicy: { deny: ["write", "read"] } });
    await session.planMode.enter();
    expect(names(session)).toEqual(planned.filter((name) => name !== "write" && name !== "read"));
  });
});

describe("a mode that changes during a run", () => {
  /** A session whose first call, of the tool `hold`, holds the run until the test lets it go. */
  async function held(turns: Parameters<typeof calling>, more: object = {}) {
    const door = gate();
    const { defineExtension } = await import("../../src/extensions/index.ts");
    const hold = defineExtension({
      name: "hold",
      version: "1.0.0",
      tools: [
        {
          name: "hold",
          description: "waits",
          parameters: { type: "object" },
          execute: async () => {
            await door.promise;
            return { content: [{ type: "text", text: "held" }] };
          },
        },
      ],
    });
    const w = await world({ extensions: [hold], turns: [calling("hold", ...turns), { text: "done" }] });
    const session = await w.start(more);
    const started = factOfType(w.log, `session-${session.id}`, "tool_call.started");
    const run = session.prompt("go");
    await started;
    return { w, session, run, door };
  }

  test("a call that runs goes on; those that wait for their turn are refused or become calls of the plan", async () => {
    const { w, session, run, door } = await held([
      { name: "bash", args: { command: "touch ran" } },
      write("src/a.ts"),
      write(".lemon/plans/a.md"),
    ]);
    await using _ = w;
    await session.planMode.enter();
    door.open();
    await run;
    expect(results(w, 1)).toEqual([
      "held",
      "Tool bash is not available in plan mode",
      "src/a.ts is outside .lemon/plans/",
      expect.stringContaining("Created"),
    ]);
    expect(existsSync(path.join(w.cwd, "ran"))).toBe(false);
    expect(w.requests.map(({ tools }) => tools.some(({ name }) => name === "bash"))).toEqual([true, false]);
    expect((await verifyReplay(w.log, session.id)).divergences).toEqual([]);
  });

  test("plan mode that came and went in between still holds for the calls of that answer, not for the next", async () => {
    const { w, session, run, door } = await held([{ name: "bash", args: { command: "touch ran" } }]);
    await using _ = w;
    await session.planMode.enter();
    await session.planMode.exit();
    door.open();
    await run;
    expect(results(w, 1)).toEqual(["held", "Tool bash is not available in plan mode"]);
    expect(w.requests[1]?.tools.map(({ name }) => name)).toContain("bash");
  });

  test("a call that waits for approval is refused at once, and no longer waits", async () => {
    await using w = await world({
      turns: [calling({ name: "bash", args: { command: "touch ran" } }), { text: "done" }],
    });
    const session = await w.start({ approval: "ask" });
    const asked = factOfType(w.log, `session-${session.id}`, "approval.requested");
    const run = session.prompt("go");
    await asked;
    const [pending] = session.approvals.pending();
    await session.planMode.enter();
    await run;
    expect(session.approvals.pending()).toEqual([]);
    await expect(session.approvals.resolve(pending?.id ?? "", "allow")).rejects.toMatchObject({
      code: "LEMON_NOT_FOUND",
    });
    expect(results(w, 1)).toEqual(["Tool bash is not available in plan mode"]);
  });

  test("a write that waits for approval stays in the folder of plans once it is allowed", async () => {
    await using w = await world({ turns: [calling(write("src/a.ts")), { text: "done" }] });
    const session = await w.start({ approval: "ask" });
    const asked = factOfType(w.log, `session-${session.id}`, "approval.requested");
    const run = session.prompt("go");
    await asked;
    await session.planMode.enter();
    await session.planMode.exit();
    await session.approvals.resolve(session.approvals.pending()[0]?.id ?? "", "allow");
    await run;
    expect(results(w, 1)).toEqual(["src/a.ts is outside .lemon/plans/"]);
  });

  test("what was offered for a plan stays one after the exit: it was never approved for anything else", async () => {
    const door = gate();
    await using w = await world({
      extensions: [
        hooked("slow", {
          onToolCall: async () => {
            await door.promise;
          },
        }),
      ],
      turns: [calling(write("src/a.ts")), { text: "done" }],
    });
    const session = await w.start({ approval: "ask" });
    await session.planMode.enter();
    const judged = factOfType(w.log, `session-${session.id}`, "hook.requested");
    const run = session.prompt("go");
    await judged;
    await session.planMode.exit();
    door.open();
    await run;
    expect(results(w, 1)).toEqual(["src/a.ts is outside .lemon/plans/"]);
    expect(existsSync(path.join(w.cwd, "src"))).toBe(false);
  });
});

describe("a reload in plan mode", () => {
  const blocker = (reason: string, tool: string): string => `export default {
  name: "b", version: "1.0.0",
  tools: [{ name: ${JSON.stringify(tool)}, description: "t", parameters: { type: "object" }, execute: () => ({ content: [] }) }],
  hooks: { onToolCall: () => ({ block: ${JSON.stringify(reason)} }) },
};\n`;

  test("changes the hooks at once and the tools on exit", async () => {
    await using w = await world({
      files: { "ext/b.mjs": blocker("old", "old_tool") },
      turns: [
        calling(write(".lemon/plans/a.md")),
        { text: "one" },
        calling(write(".lemon/plans/a.md")),
        { text: "two" },
      ],
    });
    const session = await w.start();
    await session.planMode.enter();
    await session.prompt("go");
    w.write("ext/b.mjs", blocker("new", "new_tool"));
    await session.reloadExtensions();
    expect(names(session)).toEqual(planned);
    await session.prompt("again");
    expect(results(w, 3)).toEqual(["Tool call blocked: old", "Tool call blocked: new"]);
    await session.planMode.exit();
    expect(names(session)).toContain("new_tool");
    expect(names(session)).not.toContain("old_tool");
  });
});
