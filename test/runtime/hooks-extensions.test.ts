/** Hooks whose handlers live in workers, and workers that do not live long. */
import { describe, expect, test } from "vitest";
import { calling, dataOf, fileWith, world } from "./extensions-support.ts";
import { resultsIn } from "../cases/session.ts";

const withHooks = (name: string, hooks: string, top = ""): string =>
  `${top}\nexport default { name: "${name}", version: "1.0.0", hooks: { ${hooks} } };\n`;
const echo = fileWith("echo", "echo", "echoed");
const blocked = "Tool call blocked: an extension hook failed";

describe("onToolCall in a worker", () => {
  test.each([
    ["exits", "process.exit(3)"],
    ["loops past its tool's time", "for (;;);"],
    ["never settles", "return new Promise(() => {})"],
    ["rejects", "return Promise.reject(new Error('private'))"],
    ["answers with no JSON", "return { replaceArgs: { at: new Map() } }"],
    ["throws what is no error", "throw null"],
  ])("that %s blocks; context before it stays, later handlers do not run", async (_what, body) => {
    const files = {
      "ext/a.js": withHooks("a", "onToolCall: () => ({ additionalContext: 'kept' })"),
      "ext/b.js": withHooks("b", `onToolCall({ toolName }) { if (toolName === "echo") { ${body} } }`),
      "ext/c.js": withHooks("c", "onToolCall() { console.log('c ran') }"),
      "ext/echo.js": echo.replace("execute", "timeoutMs: 300, execute"),
    };
    await using here = await world({ turns: [calling("echo"), calling("ls"), { text: "done" }], files });
    const session = await here.start();
    expect(await session.prompt("go")).toMatchObject({ status: "completed" });
    expect(resultsIn(here.requests[1])).toMatchObject([
      { isError: true, text: `${blocked}[hook context]\nkept` },
    ]);
    const [first] = dataOf(await here.factsOf(session), "hook.answered");
    expect(first?.answers.map(({ module, sha256 }) => [module, sha256?.length])).toEqual([
      ["a", 64],
      ["b", 64],
    ]);
    // Once, for the call that nothing blocked.
    expect(here.output).toEqual(["[c] c ran"]);
    expect(JSON.stringify(here.lines)).not.toContain("private");
    expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
  });

  test("of an extension in quarantine blocks every call until a reload; the report says so", async () => {
    const files = { "ext/bad.js": withHooks("bad", "onToolCall() { process.exit(1) }"), "ext/echo.js": echo };
    const turns = [
      ...Array.from({ length: 6 }, () => calling("echo")),
      { text: "done" },
      calling("echo"),
      { text: "end" },
    ];
    await using here = await world({ turns, files });
    const session = await here.start();
    const told: unknown[] = [];
    session.subscribe((event) => {
      if (event.type === "extension_status_report") told.push(event);
    });
    await session.prompt("go");
    for (const request of here.requests.slice(1))
      expect(resultsIn(request)).toMatchObject([{ text: blocked }]);
    await expect.poll(() => told.length).toBe(1);
    const report = session.extensionStatusReport();
    expect(report.quarantined).toMatchObject([{ module: "bad" }]);
    expect(report.totalLoaded).toBe(2);
    expect(told[0]).toMatchObject({ report: { quarantined: [{ module: "bad" }] } });

    here.write("ext/bad.js", withHooks("bad", "onToolCall() {}"));
    expect(await session.reloadExtensions()).toMatchObject({ quarantined: [] });
    await session.prompt("again");
    expect(resultsIn(here.requests.at(-1))).toMatchObject([{ text: "echoed" }]);
  });

  test("is quarantined in its own folder alone, though another's extension has the same name", async () => {
    const files = {
      "ext/guard.js": withHooks("guard", "onToolCall() { process.exit(1) }"),
      "ext/echo.js": echo,
      "other/ext/guard.js": withHooks("guard", "onToolCall() {}"),
      "other/ext/echo.js": echo,
    };
    const turns = [...Array.from({ length: 6 }, () => calling("echo")), { text: "done" }];
    await using here = await world({ turns, files });
    const one = await here.start();
    const two = await here.start({ cwd: `${here.cwd}/other` });
    const told: unknown[] = [];
    two.subscribe((event) => void told.push(event));
    await one.prompt("go");
    await expect.poll(() => one.extensionStatusReport().quarantined.length).toBe(1);
    expect(two.extensionStatusReport().quarantined).toEqual([]);
    expect(told).toEqual([]);
  });
});

describe("observers in workers", () => {
  test("that exit, throw or run over their time stop nothing, and are told", async () => {
    const files = {
      "ext/a.js": withHooks("a", "onTurnStart() { process.exit(1) }"),
      "ext/b.js": withHooks("b", "onTurnStart() { throw new RangeError('x') }"),
      "ext/c.js": withHooks("c", "onTurnStart() { console.log('c ran') }"),
    };
    await using here = await world({ turns: [{ text: "done" }], files });
    const session = await here.start();
    expect(await session.prompt("go")).toMatchObject({ status: "completed" });
    expect(here.output).toContain("[c] c ran");
    expect(dataOf(await here.factsOf(session), "hook.failed")).toMatchObject([
      { hook: "onTurnStart", module: "a", kind: "crash" },
      { hook: "onTurnStart", module: "b", kind: "throw", class: "RangeError" },
    ]);
  });

  test("of the start of a session share two seconds", async () => {
    const files = {
      "ext/a.js": withHooks("a", "onSessionStart: () => ({ additionalContext: 'from a' })"),
      "ext/b.js": withHooks("b", "onSessionStart() { for (;;); }, onSessionShutdown() { for (;;); }"),
      "ext/c.js": withHooks("c", "onSessionStart: () => { console.log('c ran') }"),
    };
    await using here = await world({ turns: [{ text: "done" }], files });
    const warm = await here.start({ extensionPaths: ["ext"], includeExtensions: false });
    await warm.shutdown();
    const session = await here.start();
    await session.prompt("go");
    expect(JSON.stringify(here.requests)).not.toContain("from a");
    expect(here.output).toEqual([]);
    const begun = performance.now();
    await session.shutdown();
    expect(performance.now() - begun).toBeLessThan(3_500);
  });
});
