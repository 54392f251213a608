/** Which tools a session offers and which calls are asked about, from its policy to the end of the call. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { verifyReplay } from "../../src/replay/index.ts";
import type { StartOptions } from "../../src/runtime/index.ts";
import {
  calling,
  dataOf,
  echoing,
  hooked,
  world,
  type World,
  type WorldOptions,
} from "./extensions-support.ts";

const bash = { name: "bash", args: { command: "touch ran" } };
const ran = (w: World): boolean => existsSync(path.join(w.cwd, "ran"));

/** Runs one call under a policy; whoever is asked says no. */
async function judged(
  options: StartOptions,
  more: WorldOptions = {},
  call: Parameters<typeof calling>[0] = bash,
) {
  const w = await world({ turns: [calling(call), { text: "done" }], ...more });
  const asked: string[] = [];
  let answer: Promise<void> = Promise.resolve();
  const session = await w.start({
    ...options,
    onEvent: (event) => {
      if (event.type !== "approval_requested") return;
      asked.push(event.tool);
      answer = Promise.resolve().then(() => session.approvals.resolve(event.id, "deny", "not today"));
    },
  });
  await session.prompt("go");
  await answer;
  const facts = await w.factsOf(session);
  const ends = facts.flatMap(({ type, data }) => {
    if (type === "tool_call.blocked") return [(data as { errorType: string }).errorType];
    return type === "tool_call.completed" ? [(data as { reason: string | null }).reason ?? "ran"] : [];
  });
  return { w, session, asked, facts, end: ends[0] };
}

describe("the mode of a call", () => {
  test.each([
    ["the session's mode decides", { approval: "auto" }, "ran"],
    ["the session's mode decides: ask", { approval: "ask" }, "asked"],
    ["the session's mode decides: deny", { approval: "deny" }, "denied"],
    [
      "an entry of the tool wins over the session's mode",
      { approval: "deny", toolPolicy: { approvals: { bash: "auto" } } },
      "ran",
    ],
    [
      "an exact name wins over a beginning",
      { toolPolicy: { approvals: { "ba*": "deny", bash: "ask" } } },
      "asked",
    ],
    [
      "the longest beginning wins",
      { toolPolicy: { approvals: { "*": "auto", "b*": "ask", "bas*": "deny" } } },
      "denied",
    ],
    ["never is auto", { approval: "deny", toolPolicy: { approvals: { bash: "never" } } }, "ran"],
    ["always is ask", { toolPolicy: { approvals: { "b*": "always" } } }, "asked"],
    ["one that requires approval asks", { toolPolicy: { requireApproval: ["bash"] } }, "asked"],
    [
      "one that requires approval does not loosen",
      { approval: "deny", toolPolicy: { requireApproval: ["bash"] } },
      "denied",
    ],
    [
      "an entry wins over the list",
      { toolPolicy: { requireApproval: ["bash"], approvals: { bash: "auto" } } },
      "ran",
    ],
  ] satisfies [string, StartOptions, string][])("%s", async (_name, options, expected) => {
    const { w, session, asked, end } = await judged(options);
    await using _ = w;
    expect(end).toBe(expected === "ran" ? "ran" : "approval_denied");
    expect(asked).toEqual(expected === "asked" ? ["bash"] : []);
    expect(ran(w)).toBe(expected === "ran");
    expect((await verifyReplay(w.log, session.id)).divergences).toEqual([]);
  });

  test("tools that change nothing are not asked about, unless the policy says so", async () => {
    const read = { name: "read", args: { path: "." } };
    const open = await judged({ approval: "deny" }, {}, read);
    await using _ = open.w;
    expect(open.end).not.toBe("approval_denied");
    const closed = await judged({ toolPolicy: { requireApproval: ["read"] } }, {}, read);
    await using _closed = closed.w;
    expect(closed.asked).toEqual(["read"]);
  });

  test("an extension's tool that says it changes nothing runs unasked; its reload of extensions does not", async () => {
    const quiet = await judged(
      { approval: "ask" },
      { extensions: [echoing([], { readOnly: true })] },
      "echo",
    );
    await using _ = quiet.w;
    expect([quiet.asked, quiet.end]).toEqual([[], "ran"]);
    const reload = { name: "extensions_status", args: { action: "reload" } };
    const loud = await judged({ approval: "ask" }, {}, reload);
    await using _loud = loud.w;
    expect(loud.asked).toEqual(["extensions_status"]);
  });
});

describe("an approval", () => {
  test("is not asked for a blocked call", async () => {
    const { w, asked, end } = await judged(
      { approval: "ask" },
      { extensions: [hooked("no", { onToolCall: () => ({ block: "no" }) })] },
    );
    await using _ = w;
    expect([asked, end]).toEqual([[], "tool_blocked"]);
  });

  test("shows the arguments that a hook put there, and the tool gets those", async () => {
    const seen: unknown[] = [];
    const replace = hooked("replace", { onToolCall: () => ({ replaceArgs: { other: 2 } }) });
    const w = await world({
      extensions: [echoing(seen), replace],
      turns: [{ ...calling({ name: "echo", args: { one: 1 } }), text: "because" }, { text: "done" }],
    });
    await using _ = w;
    let shown: unknown;
    const session = await w.start({
      approval: "ask",
      onEvent: (event) => {
        if (event.type !== "approval_requested") return;
        [shown] = session.approvals.pending();
        void session.approvals.resolve(event.id, "allow");
      },
    });
    await session.prompt("go");
    expect(shown).toMatchObject({ tool: "echo", args: { other: 2 }, rationale: "because", expiresAt: null });
    expect(seen).toEqual([{ other: 2 }]);
    expect(dataOf(await w.factsOf(session), "approval.requested")[0]).toMatchObject({ args: { other: 2 } });
  });

  test("that answers nonsense answers nothing: the call goes on waiting, and does not run", async () => {
    await using w = await world({ turns: [calling(bash), { text: "done" }] });
    let asked = (_id: string): void => undefined;
    const id = new Promise<string>((resolve) => (asked = resolve));
    const session = await w.start({
      approval: "ask",
      onEvent: (event) => event.type === "approval_requested" && asked(event.id),
    });
    const run = session.prompt("go");
    const waiting = await id;
    await expect(session.approvals.resolve(waiting, "yes" as "allow")).rejects.toMatchObject({
      code: "LEMON_INVALID_FACT",
    });
    expect(session.approvals.pending()).toHaveLength(1);
    expect(ran(w)).toBe(false);
    await session.approvals.resolve(waiting, "deny");
    await expect(session.approvals.resolve(waiting, "allow")).rejects.toMatchObject({
      code: "LEMON_NOT_FOUND",
    });
    await run;
    expect(ran(w)).toBe(false);
  });
});

describe("what is offered", () => {
  const offered = async (options: StartOptions, more: WorldOptions = {}): Promise<string[]> => {
    await using w = await world({ turns: [{ text: "done" }], extensions: [echoing()], ...more });
    const session = await w.start(options);
    await session.prompt("go");
    const tools = w.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(session.tools().map(({ name }) => name)).toEqual(tools);
    return tools;
  };

  test("is what is allowed and neither denied nor blocked, in the same order", async () => {
    const all = await offered({});
    expect(await offered({ toolPolicy: { allow: ["echo", "read", "bash"] } })).toEqual(
      all.filter((name) => ["echo", "read", "bash"].includes(name)),
    );
    expect(await offered({ toolPolicy: { allow: ["read", "bash"], deny: ["bash"] } })).toEqual(["read"]);
    expect(await offered({ toolPolicy: { blockedTools: ["bash", "echo"] } })).toEqual(
      all.filter((name) => name !== "bash" && name !== "echo"),
    );
  });

  test("a call of a tool that policy takes away is one of an unknown tool, and asks nobody", async () => {
    const { w, asked, end } = await judged({ approval: "ask", toolPolicy: { deny: ["bash"] } });
    await using _ = w;
    expect([asked, end]).toEqual([[], "unknown_tool"]);
  });

  test("the configuration's policy is the base, and a session's option replaces it part by part", async () => {
    const config = { runtime: { tools: { policy: { deny: ["bash"], requireApproval: ["write"] } } } };
    expect(await offered({}, { config })).not.toContain("bash");
    expect(await offered({ toolPolicy: { deny: ["edit"] } }, { config })).toContain("bash");
    await using w = await world({ config });
    const session = await w.start({ toolPolicy: { deny: ["edit"] } });
    const [started] = dataOf(await w.factsOf(session), "session.started");
    expect(started?.toolPolicy).toMatchObject({ deny: ["edit"], requireApproval: ["write"] });
  });

  test("the policy is the session's: it is there after a restart, whatever the configuration says by then", async () => {
    await using w = await world({ turns: [calling(bash), { text: "done" }] });
    const session = await w.start({ toolPolicy: { approvals: { "ba*": "deny" } } });
    await session.shutdown();
    const again = await w.runtime.sessions.resume(session.id);
    await again.prompt("go");
    expect(dataOf(await w.factsOf(again), "tool_call.blocked")[0]).toMatchObject({
      errorType: "approval_denied",
    });
  });
});
