/** What a run may be asked for, what it takes from its parent, and what is shown of it. docs/reference/background-runs.md */
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ScriptedTurn } from "../../../src/providers/index.ts";
import type { BackgroundRunOptions, Runtime, RuntimeOptions } from "../../../src/runtime/index.ts";
import { readRun } from "../../../src/harness/index.ts";
import { probeExtension, scriptedRuntime, temporaryFolder } from "../../support/runtimes.ts";

const open: Runtime[] = [];

afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.close();
});

async function runtimeOf(
  turns: readonly ScriptedTurn[] = [{ text: "Done." }],
  options: Partial<RuntimeOptions> = {},
  log = ":memory:",
): Promise<Runtime> {
  const runtime = await scriptedRuntime(log, turns, { config: { runtime: { model: "s/m" } }, ...options });
  open.push(runtime);
  return runtime;
}

/** Resolves when the run is in such a status. */
async function until({ background }: Runtime, id: string, ...statuses: string[]): Promise<void> {
  while (!statuses.includes((await background.status(id)).status))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

async function ended(runtime: Runtime, id: string): Promise<string> {
  await until(runtime, id, "completed", "timeout", "cancelled", "failed", "lost");
  return (await runtime.background.status(id)).status;
}

describe("what is refused", () => {
  const bad: [string, unknown][] = [
    ["cwd", 7],
    ["cwd", " "],
    ["cwd", "/nowhere/at/all"],
    ["model", 7],
    ["thinkingLevel", "much"],
    ["systemPrompt", 7],
    ["approval", "perhaps"],
    ["parentSessionId", " x"],
    ["sessionKey", ""],
    ["sessionKey", "k".repeat(257)],
    ["timeoutMs", 0],
    ["timeoutMs", 1.5],
    ["timeoutMs", "10"],
    ["onRestart", "retry"],
    ["worker", "elsewhere"],
    // Nobody else can open this log.
    ["worker", "detached"],
  ];

  test.each(bad)("an option %s that is %j, by its name", async (field, value) => {
    const { background, log } = await runtimeOf();
    const options = { [field]: value } as BackgroundRunOptions;
    await expect(background.start("Do it", options)).rejects.toMatchObject({
      reason: "invalid_options",
      field,
    });
    expect(await log.jobs("background")).toEqual([]);
  });

  test("a run for another process where the extensions are objects of this one", async () => {
    const extensions = [probeExtension(() => Promise.resolve("x"))];
    const { background } = await runtimeOf([], { extensions }, path.join(temporaryFolder(), "log.db"));
    const refused = { reason: "invalid_options", field: "worker" };
    await expect(background.start("Do it", { worker: "detached" })).rejects.toMatchObject(refused);
  });

  test("a prompt that is blank, no text, or too long", async () => {
    const { background } = await runtimeOf();
    await expect(background.start(" \n ")).rejects.toMatchObject({ reason: "empty_prompt" });
    await expect(background.start(7 as unknown as string)).rejects.toMatchObject({
      reason: "invalid_prompt",
    });
    const longest = "é".repeat(131_072);
    await expect(background.start(`${longest}x`)).rejects.toMatchObject({ reason: "invalid_prompt" });
    expect(await background.start(` ${longest} `)).toMatchObject({ status: "queued" });
  });

  test("a status, a limit or an id that can't be", async () => {
    const { background } = await runtimeOf();
    await expect(background.list({ status: "done" as "lost" })).rejects.toMatchObject({
      reason: "invalid_status",
    });
    for (const limit of [0, 1_001, 1.5])
      await expect(background.list({ limit })).rejects.toMatchObject({ reason: "invalid_limit" });
    for (const id of ["bg_0000000000000000", "../x", ""]) {
      await expect(background.status(id)).rejects.toMatchObject({ reason: "not_found" });
      await expect(background.result(id)).rejects.toMatchObject({ reason: "not_found" });
      await expect(background.cancel(id)).rejects.toMatchObject({ reason: "not_found" });
    }
  });
});

describe("what a run takes over", () => {
  test("settings and names of a live parent, and nothing of its conversation", async () => {
    const runtime = await runtimeOf([{ text: "Done." }]);
    const parent = await runtime.sessions.start({
      sessionId: "parent",
      model: "s/m",
      approval: "deny",
      systemPrompt: "Be brief.",
      sessionKey: "chat-1",
      agentId: "helper",
    });
    const { id } = await runtime.background.start("Do it", { parentSessionId: parent.id });
    const { queued } = await readRun(runtime.log, id);
    expect(queued).toMatchObject({
      systemPrompt: "Be brief.",
      parentSessionId: "parent",
      parentSessionKey: "chat-1",
      agentId: "helper",
      settings: { approval: "deny" },
    });
  });

  test("defaults, where the parent is not there", async () => {
    const runtime = await runtimeOf();
    const { id } = await runtime.background.start("Do it", { parentSessionId: "nobody" });
    expect((await readRun(runtime.log, id)).queued).toMatchObject({
      parentSessionId: "nobody",
      parentSessionKey: null,
      systemPrompt: null,
      timeoutMs: 1_800_000,
      onRestart: "resume",
      worker: "inProcess",
    });
  });

  test("no more than a day", async () => {
    const runtime = await runtimeOf();
    const { id } = await runtime.background.start("Do it", { timeoutMs: 1e12 });
    expect((await readRun(runtime.log, id)).queued?.timeoutMs).toBe(86_400_000);
  });
});

describe("how a run ends", () => {
  test.each([
    ["a blank answer", { text: "  " }],
    ["an answer that was cut", { text: "Half", finishReason: "length" }],
  ] as [string, ScriptedTurn][])("%s is a failure", async (_name, turn) => {
    const runtime = await runtimeOf([turn]);
    const { id } = await runtime.background.start("Do it");
    expect(await ended(runtime, id)).toBe("failed");
    expect(await runtime.background.result(id)).toMatchObject({
      ready: false,
      text: null,
      errorCode: "BACKGROUND_FAILED",
    });
  });

  test("its parent is told once", async () => {
    const runtime = await runtimeOf();
    const told: unknown[] = [];
    const onEvent = ({ type }: { type: string }): void => void told.push(type);
    const parent = await runtime.sessions.start({ sessionId: "parent", model: "s/m", onEvent });
    const { id } = await runtime.background.start("Do it", { parentSessionId: parent.id });
    await ended(runtime, id);
    while (!told.includes("background_run_ended")) await new Promise((resolve) => setTimeout(resolve, 5));
    await runtime.background.list();
    expect(told.filter((type) => type === "background_run_ended")).toHaveLength(1);
    expect(parent.state().runId).toBeNull();
  });
});

describe("what is listed", () => {
  test("the newest first, of one key if asked", async () => {
    const runtime = await runtimeOf([{ text: "Done." }]);
    const { background } = runtime;
    const ids: string[] = [];
    for (const sessionKey of ["x", "y", "x"]) {
      const { id } = await background.start("Do it", { sessionKey });
      ids.unshift(id);
      await ended(runtime, id);
    }
    expect((await background.list()).runs.map(({ id }) => id)).toEqual(ids);
    expect(await background.list({ limit: 1 })).toMatchObject({ runs: [{ id: ids[0] }], total: 3 });
    const ofX = await background.list({ parentSessionKey: "x" });
    expect(ofX.runs.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    const [, ofY = ""] = ids;
    const scope = { parentSessionKey: "x" };
    await expect(background.status(ofY, scope)).rejects.toMatchObject({ reason: "not_found" });
    await expect(background.result(ofY, scope)).rejects.toMatchObject({ reason: "not_found" });
    await expect(background.cancel(ofY, undefined, scope)).rejects.toMatchObject({ reason: "not_found" });
  });
});
