/** Each example as its reader would run it: the file, in a worker, in a session. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type ExtensionKit, testExtension, type TestOptions } from "../../src/testing/index.ts";

const folder = path.resolve(import.meta.dirname, "../../examples/extensions");
const examples = readdirSync(folder).filter((name) => path.extname(name) !== "");
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function kitOf(example: string, options: TestOptions = {}): Promise<ExtensionKit> {
  const kit = await testExtension(path.join(folder, example), options);
  open.push(kit);
  return kit;
}

/** Address of a server that answers with JSON, as long as the test runs. */
async function answering(answer: (url: string, authorization?: string) => unknown): Promise<string> {
  const server: Server = createServer(({ url = "", headers }, response) => {
    const body = answer(url, headers.authorization);
    response.writeHead(body === null ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const textOf = ({ content }: { readonly content: readonly object[] }): string[] =>
  content.map((block) => ("text" in block ? String(block.text) : "[image]"));

describe("the examples of extensions", () => {
  test("hello: greets, and its schema keeps bad arguments away", async () => {
    const kit = await kitOf("hello.ts");
    expect(textOf(await kit.callTool("hello_greet", { name: "Ada" }))).toEqual(["Hello, Ada!"]);
    const refused = await kit.callTool("hello_greet", { name: "" });
    expect(refused).toMatchObject({ isError: true, details: { errorType: "invalid_tool_arguments" } });
  });

  test("git-log: lists commits of the session's folder", async () => {
    const kit = await kitOf("git-log.ts");
    const git = (...args: string[]): Buffer =>
      execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
        cwd: kit.cwd,
      });
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message=First");
    writeFileSync(path.join(kit.cwd, "a.txt"), "a");
    git("add", "a.txt");
    git("commit", "--quiet", "--message=Second");
    const all = await kit.callTool("git_log");
    expect(textOf(all)[0]).toMatch(/^\w+ [\d-]+ Ada: Second\n\w+ [\d-]+ Ada: First$/);
    expect(all.details).toEqual({ commits: 2 });
    expect((await kit.callTool("git_log", { path: "a.txt" })).details).toEqual({ commits: 1 });
    expect(textOf(await kit.callTool("git_log", { path: "--all" }))).toEqual(["No commits."]);
  });

  test("token-counter: adds a run up when it has ended", async () => {
    const kit = await kitOf("token-counter.ts");
    await kit.prompt("12345678", [
      { text: "1234", toolCalls: [{ name: "token_totals", args: {} }] },
      { text: "1234" },
    ]);
    const { details } = await kit.callTool("token_totals");
    // Two for the prompt, one for each answer, the rest for the result.
    expect(details).toEqual({ runs: 1, turns: 2, tokens: 2 + 1 + 1 + Math.ceil(35 / 4) });
    expect(kit.logLines()[0]).toBe("info: run 1: 2 turns, about 13 tokens");
  });

  test("secret-scanner: the model never sees a key", async () => {
    const kit = await kitOf("secret-scanner.ts");
    writeFileSync(path.join(kit.cwd, "env"), `id=${"AKIA"}${"ABCDEFGH12345678"}\nname=x`);
    const hidden = await kit.callTool("read", { path: "env" });
    expect(textOf(hidden)).toEqual([
      "id=[AWS hidden]\nname=x",
      "[hook context]\nHidden here: AWS. Do not try to read it in another way.",
    ]);
    writeFileSync(path.join(kit.cwd, "plain"), "nothing here");
    expect(textOf(await kit.callTool("read", { path: "plain" }))).toEqual(["nothing here"]);
    expect((await kit.callTool("read", { path: "gone" })).isError).toBe(true);
  });

  test("echo-model: answers a whole session, piece by piece", async () => {
    const kit = await kitOf("echo-model.ts", { model: "echo/loud" });
    const pieces: string[] = [];
    kit.session.subscribe((event) => {
      if (event.type === "message_update") pieces.push(event.text);
    });
    expect(await kit.prompt("hello there")).toMatchObject({ status: "completed", text: "HELLO THERE" });
    expect(pieces).toEqual(["HELLO ", "THERE"]);
    expect(await kit.prompt("again")).toMatchObject({ text: "AGAIN", usage: { outputTokens: 1 } });
    expect(kit.report().providerRegistration?.registered).toMatchObject([{ type: "model", name: "echo" }]);
  });

  test("team-memory: keeps what concerns the workspace, and finds it again", async () => {
    const file = path.join(folderFor("notes"), "notes.jsonl");
    const kit = await kitOf("team-memory.ts", { config: { file } });
    const memory = kit.memory();
    writeFileSync(file, "");
    const note = { createdAt: 1, metadata: {} };
    memory.put({ id: "1", scope: "workspace", content: "Tests want a database", ...note });
    memory.put({ id: "2", scope: "session", content: "A private database", ...note });
    await expect.poll(() => readFileSync(file, "utf8")).toContain("Tests");
    const found = await memory.search("database", { scope: "workspace" });
    expect(found.map(({ id }) => id)).toEqual(["1"]);
  });

  test("web-search: asks its server", async () => {
    const results = [{ title: "A", url: "http://a.example/", content: "about a" }];
    const server = await answering((url) => (url.startsWith("/search?q=two+words") ? { results } : null));
    const kit = await kitOf("web-search.ts", { config: { server } });
    expect(await kit.webSearch().search("two words")).toEqual({
      status: "answered",
      provider: "searx",
      value: [{ title: "A", url: "http://a.example/", snippet: "about a" }],
    });
    expect(await kit.webSearch().search("else")).toMatchObject({ status: "failed" });
  });

  test("project-brief: the first prompt comes after what it told", async () => {
    const cwd = folderFor("brief");
    writeFileSync(path.join(cwd, "package.json"), '{ "scripts": { "build": "", "test": "" } }');
    const kit = await kitOf("project-brief.ts", { cwd });
    const types = (await kit.facts()).map(({ type }) => type);
    expect(types).toContain("hook_context.appended");
    const [answer] = await kit.runHook("onSessionStart");
    expect(answer).toEqual({ additionalContext: "Commands of this project: npm run build, npm run test" });
    expect(await kit.runHook("onSessionStart", { sessionScope: "subagent" })).toEqual([null]);
    const empty = await kitOf("project-brief.ts");
    expect((await empty.facts()).map(({ type }) => type)).not.toContain("hook_context.appended");
  });

  test("wait-for-file: tells that it waits, sees the file, and ends when it is aborted", async () => {
    const kit = await kitOf("wait-for-file.ts");
    const file = path.join(kit.cwd, "out.txt");
    const onUpdate = (): void => writeFileSync(file, "done");
    const seen = await kit.callTool("wait_for_file", { file: "out.txt" }, { onUpdate });
    expect(textOf(seen)).toEqual(["out.txt is there, 4 bytes"]);
    expect(seen.updates[0]).toEqual([{ type: "text", text: "out.txt is not there yet (1)" }]);
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = await kit.callTool(
      "wait_for_file",
      { file: "never" },
      { signal, onUpdate: () => controller.abort() },
    );
    expect(aborted).toMatchObject({ isError: true, details: { errorType: "aborted" } });
  });

  test("line-count: plain JavaScript works alike", async () => {
    const kit = await kitOf("line-count.mjs");
    writeFileSync(path.join(kit.cwd, "poem.txt"), "a\nb\nc");
    expect(textOf(await kit.callTool("line_count", { file: "poem.txt" }))).toEqual(["3 lines"]);
  });

  test("git-guard: refuses some calls, and makes one safer", async () => {
    const kit = await kitOf("git-guard.ts");
    const blocked = await kit.callTool("bash", { command: "git push --force" });
    expect(blocked).toMatchObject({ isError: true, details: { errorType: "tool_blocked" } });
    execFileSync("git", ["init", "--quiet"], { cwd: kit.cwd });
    writeFileSync(path.join(kit.cwd, "new.txt"), "x");
    const tried = textOf(await kit.callTool("bash", { command: "git clean -f" }));
    expect(tried[0]).toBe("Would remove new.txt\n");
    expect(tried[1]).toContain("--dry-run");
    expect(readdirSync(kit.cwd)).toContain("new.txt");
    expect(textOf(await kit.callTool("bash", { command: "echo fine" }))).toEqual(["fine\n"]);
  });

  test("issue-tracker: uses its settings, and its token stays hidden", async () => {
    const token = "a-token-that-nobody-should-see";
    const server = await answering((url, authorization) =>
      url === "/issues/7" ? { title: `Leaks ${authorization ?? ""}`, state: "open" } : null,
    );
    const config = { server, token: { env: "ISSUES_TOKEN" } };
    const kit = await kitOf("issue-tracker.ts", { config, env: { ISSUES_TOKEN: token } });
    const [title] = textOf(await kit.callTool("issue_title", { number: 7 }));
    expect(title).toMatch(/^#7 \(open\): Leaks Bearer /);
    expect(title).not.toContain(token);
    expect(JSON.stringify(await kit.facts())).not.toContain(token);
    const missing = await kit.callTool("issue_title", { number: 8 });
    expect(textOf(missing)).toEqual(["there is no issue 8"]);
  });

  test("issue-tracker: wrong settings are told by name", async () => {
    await expect(
      kitOf("issue-tracker.ts", { config: { server: "ftp://x", token: "t" } }),
    ).rejects.toMatchObject({
      code: "LEMON_UNUSABLE_EXTENSION",
      problems: ['issue-tracker: setting server must match pattern "^https?://"'],
    });
  });

  test("each has a test here, loads without a warning, and can be read at a glance", async () => {
    const here = readFileSync(import.meta.filename, "utf8");
    expect(examples.filter((name) => !here.includes(`kitOf("${name}"`))).toEqual([]);
    const long = examples.filter(
      (name) => readFileSync(path.join(folder, name), "utf8").split("\n").length > 75,
    );
    expect(long).toEqual([]);
    const settings = {
      "team-memory.ts": { file: "/tmp/x" },
      "issue-tracker.ts": { server: "http://x", token: "t" },
    };
    for (const name of examples) {
      const config = settings[name as keyof typeof settings];
      const kit = await kitOf(name, config === undefined ? {} : { config });
      expect({ name, warnings: kit.report().validationWarnings }).toEqual({ name, warnings: [] });
      await kit.close();
    }
  });
});

function folderFor(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `lemon-example-${name}-`));
}
