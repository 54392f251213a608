/** Loading the extensions of a session again. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { registryStreamName } from "../../src/actors/index.ts";
import { extensionRegistry, project } from "../../src/projections/index.ts";
import type { KnownFact } from "../../src/events/index.ts";
import { defineExtension } from "../../src/extensions/index.ts";
import { LogFullError } from "../../src/log/index.ts";
import { memoryLog, tampered, type Tampering } from "../support/log-doubles.ts";
import { factsOf } from "../support/runtimes.ts";
import { calling, fileWith, hooked, world, type World } from "./extensions-support.ts";
import { resultsIn } from "../cases/session.ts";

/** What the log of the registry adds up to. */
async function recordedLoads({ runtime, log }: World): Promise<string[]> {
  let view = extensionRegistry.initial;
  for (const fact of await factsOf(log, registryStreamName(runtime.id)))
    view = project(extensionRegistry, view, fact as KnownFact);
  return Object.keys(view.loads);
}

const tool = (text: string, more = ""): string => fileWith("tool", "tool", text, more);

describe("a reload", () => {
  test("takes what changed, drops what fails, and says so", async () => {
    const turns = [calling("tool"), { text: "1" }, calling("tool", "other"), { text: "2" }];
    const files = { "ext/a.js": tool("old"), "ext/b.js": fileWith("b", "other", "b") };
    await using here = await world({ turns, files });
    const session = await here.start();
    await session.prompt("go");
    expect(resultsIn(here.requests[1])).toMatchObject([{ text: "old" }]);
    here.write("ext/a.js", tool("new"));
    here.write("ext/b.js", "export default {");
    const report = await session.reloadExtensions();
    expect(report).toMatchObject({ totalLoaded: 1, totalErrors: 1 });
    expect(report).toEqual(session.extensionStatusReport());
    await session.prompt("again");
    expect(resultsIn(here.requests[3])).toMatchObject([
      { text: "new", isError: false },
      { text: "Tool other not found", isError: true },
    ]);
    expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
    expect(await recordedLoads(here)).toHaveLength(1);
  });

  test("without changes changes nothing but the time", async () => {
    await using here = await world({ files: { "ext/a.js": tool("same") } });
    const session = await here.start();
    const [before, tools] = [session.extensionStatusReport(), session.tools()];
    const after = await session.reloadExtensions();
    expect({ ...after, loadedAt: 0 }).toEqual({ ...before, loadedAt: 0 });
    expect(session.tools()).toEqual(tools);
  });

  test("is refused while a run is open, and at once", async () => {
    const turns = [{ text: "x", delayMs: 60_000 }];
    await using here = await world({ turns, files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    const ended = session.prompt("go");
    await expect.poll(() => session.state().status).toBe("running");
    const before = session.extensionStatusReport();
    await expect(session.reloadExtensions()).rejects.toMatchObject({
      code: "LEMON_SESSION_STREAMING",
      message: expect.stringContaining("can be reloaded when its run has ended"),
    });
    expect(session.extensionStatusReport()).toEqual(before);
    await session.abort();
    await ended;
    await session.reloadExtensions();
  });

  test("is refused when a run begins while it loads, and nothing has changed then", async () => {
    const slow = "await new Promise((resolve) => setTimeout(resolve, 400));\n";
    const turns = [calling("tool"), { text: "done", delayMs: 1_500 }];
    await using here = await world({ turns, files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    const before = session.extensionStatusReport();
    here.write("ext/a.mjs", slow + fileWith("late", "late", "late"));
    const reloading = session.reloadExtensions();
    const ended = session.prompt("go");
    // The request of the run waits for the reload, so that its tools are those of one generation.
    await expect(reloading).rejects.toMatchObject({ code: "LEMON_SESSION_STREAMING" });
    expect(await ended).toMatchObject({ status: "completed" });
    expect(resultsIn(here.requests[1])).toMatchObject([{ text: "old" }]);
    expect(session.extensionStatusReport()).toEqual(before);
    expect(await recordedLoads(here)).toHaveLength(1);
  });

  test("by the model is allowed for its only call, and refused beside others", async () => {
    const reload = { name: "extensions_status", args: { action: "reload" } };
    const turns = [calling(reload), calling("tool"), calling(reload, "tool"), { text: "done" }];
    await using here = await world({ turns, files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    here.write("ext/a.js", tool("new"));
    expect(await session.prompt("go")).toMatchObject({ status: "completed" });
    expect(resultsIn(here.requests[1])).toMatchObject([{ isError: false }]);
    expect(resultsIn(here.requests[2])).toMatchObject([{ text: "new" }]);
    expect(resultsIn(here.requests[3])).toMatchObject([
      { isError: true, text: expect.stringContaining("when no other call of its answer runs or waits") },
      { text: "new" },
    ]);
    expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
  });

  test("that fails as a whole changes nothing and leaves no worker", async () => {
    const turns = [calling("tool"), { text: "done" }];
    await using here = await world({ turns, files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    const before = session.extensionStatusReport();
    here.write("home-is-elsewhere", "");
    here.write("ext/a.js", tool("new"));
    here.write(".lemon/config.toml", "[extensions\n");
    await expect(session.reloadExtensions()).rejects.toMatchObject({ code: "LEMON_INVALID_CONFIG" });
    expect(session.extensionStatusReport()).toEqual(before);
    await session.prompt("go");
    expect(resultsIn(here.requests[1])).toMatchObject([{ text: "old" }]);
    expect(await recordedLoads(here)).toHaveLength(1);
  });

  test("that can't be recorded changes nothing, ends the new workers, and may be tried again", async () => {
    const tampering: Tampering = {};
    const log = await memoryLog();
    const turns = [calling("tool"), { text: "1" }, calling("tool"), { text: "2" }];
    const onLog = tampered(log, tampering);
    await using here = await world({ turns, onLog, files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    const threads = (): number => readdirSync("/proc/self/task").length;
    const [before, running] = [session.extensionStatusReport(), threads()];
    here.write("ext/a.js", tool("new"));
    let appends = 0;
    tampering.beforeAppend = (stream) => {
      // That it begins is recorded; what came of it is not.
      if (stream.startsWith("extensions-") && (appends += 1) > 1) throw new LogFullError("work.db");
    };
    await expect(session.reloadExtensions()).rejects.toMatchObject({ code: "LEMON_RELOAD_FAILED" });
    delete tampering.beforeAppend;
    expect(session.extensionStatusReport()).toEqual(before);
    await session.prompt("go");
    expect(resultsIn(here.requests[1])).toMatchObject([{ text: "old" }]);
    await expect.poll(threads).toBeLessThanOrEqual(running);
    await expect
      .poll(
        () =>
          session.reloadExtensions().then(
            ({ totalLoaded }) => totalLoaded,
            () => 0,
          ),
        { timeout: 5_000 },
      )
      .toBe(1);
    await session.prompt("again");
    expect(resultsIn(here.requests[3])).toMatchObject([{ text: "new" }]);
    expect(appends).toBeGreaterThan(1);
  });

  test("of two sessions at once gives each a load of its own", async () => {
    await using here = await world({ files: { "ext/a.js": tool("old") } });
    const [one, two] = [await here.start(), await here.start()];
    here.write("ext/a.js", tool("new"));
    await Promise.all([one.reloadExtensions(), two.reloadExtensions()]);
    for (const session of [one, two])
      expect(session.tools().find(({ name }) => name === "tool")?.description).toBe("new");
    await expect.poll(() => recordedLoads(here)).toHaveLength(2);
    await one.shutdown();
    await expect.poll(() => recordedLoads(here)).toHaveLength(1);
    expect(two.extensionStatusReport().totalLoaded).toBe(1);
  });

  test("of one session leaves another's generation alone, until that reloads too", async () => {
    const turns = [calling("tool"), { text: "1" }, calling("tool"), { text: "2" }];
    await using here = await world({ turns, files: { "ext/a.js": tool("old") } });
    const [one, two] = [await here.start(), await here.start()];
    here.write("ext/a.js", tool("new"));
    await one.reloadExtensions();
    expect(await recordedLoads(here)).toHaveLength(2);
    await two.prompt("go");
    expect(resultsIn(here.requests.at(-1))).toMatchObject([{ text: "old" }]);
    await one.prompt("go");
    expect(resultsIn(here.requests.at(-1))).toMatchObject([{ text: "new" }]);
    const three = await here.start();
    expect(three.tools().find(({ name }) => name === "tool")?.description).toBe("new");
    await two.reloadExtensions();
    await two.prompt("go");
    expect(resultsIn(here.requests.at(-1))).toMatchObject([{ text: "new" }]);
  });

  test("of one session after the other ended leaves nothing recorded of the old", async () => {
    await using here = await world({ files: { "ext/a.js": tool("old") } });
    const [one, two] = [await here.start(), await here.start()];
    const reloading = one.reloadExtensions();
    await Promise.all([reloading, two.shutdown()]);
    await expect.poll(() => recordedLoads(here)).toHaveLength(1);
    expect(one.extensionStatusReport().totalLoaded).toBe(1);
  });

  test("leaves nothing when the session is shut down meanwhile", async () => {
    await using here = await world({ files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    const reloading = session.reloadExtensions().catch(() => undefined);
    await session.shutdown();
    await reloading;
    await expect.poll(() => recordedLoads(here)).toEqual([]);
  });

  test("while other sessions start gives each a load that is recorded", async () => {
    await using here = await world({ files: { "ext/a.js": tool("old") } });
    const one = await here.start();
    const started: Promise<unknown>[] = [];
    const reloading = one.reloadExtensions();
    for (let round = 0; round < 8; round += 1) {
      started.push(here.start().then((session) => session.extensionStatusReport()));
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await reloading;
    for (const report of await Promise.all(started)) expect(report).toMatchObject({ totalLoaded: 1 });
  });

  test("takes what was said since the session started", async () => {
    const files = { "ext/a.js": tool("old"), "more/b.js": fileWith("b", "other", "b") };
    await using here = await world({ files });
    const session = await here.start();
    const names = (): string[] => session.tools().map(({ name }) => name);
    await here.runtime.sessions.resume(session.id, { extensions: ["ext", "more"], disabled: ["ls"] });
    expect(await session.reloadExtensions()).toMatchObject({ totalLoaded: 2 });
    expect(names()).toEqual(expect.arrayContaining(["tool", "other"]));
    expect(names()).not.toContain("ls");
    await here.runtime.sessions.resume(session.id, { includeExtensions: false });
    expect(await session.reloadExtensions()).toMatchObject({ totalLoaded: 0 });
    expect(await recordedLoads(here)).toHaveLength(1);
  });

  test("one after the other: each answers with a report of its own", async () => {
    await using here = await world({ files: { "ext/a.js": tool("old") } });
    const session = await here.start();
    const reports = await Promise.all([session.reloadExtensions(), session.reloadExtensions()]);
    expect(reports.map(({ totalLoaded }) => totalLoaded)).toEqual([1, 1]);
    expect(await recordedLoads(here)).toHaveLength(1);
  });

  test("swaps hooks whole, and objects of the program stay", async () => {
    const seen: string[] = [];
    let times = 0;
    const extensions = [
      hooked("object", { onTurnStart: () => void seen.push("object") }),
      defineExtension({
        name: "counted",
        version: "1.0.0",
        tools: () => {
          times += 1;
          return [];
        },
      }),
    ];
    const hook = (reason: string): string =>
      tool("ran", `hooks: { onToolCall: () => ({ block: "${reason}" }) },`);
    const turns = [calling("tool"), { text: "1" }, calling("tool"), { text: "2" }];
    await using here = await world({ turns, extensions, files: { "ext/a.js": hook("old") } });
    const session = await here.start();
    await session.prompt("go");
    here.write("ext/a.js", hook("new"));
    await session.reloadExtensions();
    await session.prompt("go");
    const texts = here.requests.map((request) => resultsIn(request)[0]?.text);
    expect([texts[1], texts[3]]).toEqual(["Tool call blocked: old", "Tool call blocked: new"]);
    expect(seen).toHaveLength(4);
    expect(times).toBe(2);
  });
});

describe("the model provider of an extension", () => {
  const model = (text: string): string => `const parts = [
  { type: "stream-start", warnings: [] }, { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: ${JSON.stringify(text)} }, { type: "text-end", id: "0" },
  { type: "finish", finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }];
export default { name: "acme", version: "1.0.0", providers: [{ type: "model", name: "acme", config: {},
  provider: { async *stream(model, context, options) { yield* parts; } } }] };`;

  test("drives a session, is told as registered, and goes on after a reload", async () => {
    await using here = await world({ files: { "ext/acme.js": model("one") } });
    const session = await here.start({ model: "acme/big" });
    expect(session.extensionStatusReport()).toMatchObject({
      providerRegistration: {
        registered: [{ type: "model", name: "acme", module: "acme#acme", extension: "acme" }],
        conflicts: [],
      },
    });
    expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "one" });
    here.write("ext/acme.js", model("two"));
    expect(await session.reloadExtensions()).toMatchObject({
      providerRegistration: { totalRegistered: 1 },
    });
    expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "two" });
    here.write("ext/acme.js", "export default {");
    expect(await session.reloadExtensions()).toMatchObject({ providerRegistration: { totalRegistered: 0 } });
    expect(await session.prompt("go")).toMatchObject({ status: "failed" });
    const types = (await factsOf(here.log, registryStreamName(here.runtime.id))).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("provider."))).toEqual([
      "provider.registered",
      "provider.unregistered",
      "provider.registered",
      "provider.unregistered",
    ]);
  });
});
