import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import path from "node:path";
import { JSONRPCClient } from "json-rpc-2.0";
import { describe, expect, test } from "vitest";
import { isCommandThere } from "../support/command-there.ts";
import { parseLines, Place, type Json, type Running } from "./support/command.ts";

const call = (id: unknown, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const script = (...turns: object[]): object => ({ path: "script.json", text: JSON.stringify({ turns }) });

/** A server on standard input and output, with pipes that stay open. */
function stdio(
  place: Place,
  args: readonly string[] = [],
): { readonly running: Running; readonly write: (line: string) => void } {
  const running = place.start(["serve", "--stdio", ...args], { pipe: true });
  return { running, write: (line) => void running.process.stdin?.write(`${line}\n`) };
}

async function http(
  place: Place,
  args: readonly string[] = [],
): Promise<{ readonly running: Running; readonly told: Json; readonly token: string }> {
  const running = place.start(["serve", "--http", "--json", ...args]);
  await running.printed("\n");
  const told = JSON.parse(running.stdout()) as Json;
  const token = (await readFile(path.join(place.home, "control-plane.token"), "utf8")).trim();
  return { running, told, token };
}

describe("lemon serve --stdio", () => {
  test("answers what is on its input and ends with it", async () => {
    const place = await Place.make();
    const lines = [
      call(1, "sessions.start", { sessionId: "s1", script: script({ text: "hello" }) }),
      "nonsense",
      call("x", "sessions.prompt", { sessionId: "s1", prompt: "hi" }),
    ];
    const ended = await place.start(["serve"], { stdin: `${lines.join("\n")}\n` }).ended;
    expect([ended.status, ended.signal]).toEqual([0, null]);
    const answers = parseLines(ended.stdout);
    expect(answers.find(({ id }) => id === 1)).toMatchObject({ result: { sessionId: "s1" } });
    expect(answers.find(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } });
    expect(answers.find(({ id }) => id === "x")).toMatchObject({ result: { text: "hello" } });
    expect(answers).toHaveLength(3);
    // The lease was given back: somebody else can lead.
    expect((await place.lemon("resume", "s1", "--approve", "auto")).status).toBe(0);
  });

  test("what extensions print never mixes with the protocol", async () => {
    const place = await Place.make();
    const prints = ["loading…", '{"half":', "\u0000\u0007noise"];
    const noise = prints
      .map((text) => `console.log(${JSON.stringify(text)}); process.stdout.write(${JSON.stringify(text)});`)
      .join(" ");
    await mkdir(path.join(place.folder, "ext"));
    await writeFile(
      path.join(place.folder, "ext", "noisy.js"),
      `${noise}
       import { writeSync } from "node:fs";
       try { writeSync(1, ${JSON.stringify(prints[1])}); } catch {}
       export default {
         name: "noisy", version: "1.0.0", capabilities: ["tools", "hooks"],
         tools: [{ name: "noise", description: "prints", parameters: { type: "object", properties: {} },
           execute: async () => { ${noise} return { content: [{ type: "text", text: "done" }] }; } }],
         hooks: { onToolCall: () => { ${noise} }, onSessionStart: () => { ${noise} } },
       };`,
    );
    const turns = [{ toolCalls: [{ name: "noise", args: {} }] }, { text: "over" }];
    const { running, write } = stdio(place);
    write(
      call(1, "sessions.start", {
        sessionId: "s1",
        extensions: [path.join(place.folder, "ext")],
        script: script(...turns),
      }),
    );
    write(call(2, "sessions.prompt", { sessionId: "s1", prompt: "go" }));
    await running.printed('"id":2,');
    running.process.stdin?.end();
    const { status, stdout, stderr } = await running.ended;
    expect(status).toBe(0);
    const answers = parseLines(stdout);
    for (const answer of answers) expect(answer["jsonrpc"]).toBe("2.0");
    expect(answers.find(({ id }) => id === 2)).toMatchObject({
      result: { status: "completed", text: "over" },
    });
    expect(stderr).toContain("loading…");
    expect(stderr).toContain('{"half":');
    expect(stderr).toContain("noise");
  });

  test("SIGTERM ends subscriptions and runs, answers their calls, and gives the lease back", async () => {
    const place = await Place.make();
    const { running, write } = stdio(place);
    write(
      call(1, "sessions.start", { sessionId: "s1", script: script({ text: "never", delayMs: 3_600_000 }) }),
    );
    write(call(2, "facts.subscribe", { types: ["model.requested"] }));
    await running.printed('"id":2,');
    write(call(3, "sessions.prompt", { sessionId: "s1", prompt: "go" }));
    await running.printed("model.requested");
    running.process.kill("SIGTERM");
    const { status, stdout } = await running.ended;
    expect(status).toBe(130);
    const lines = parseLines(stdout);
    expect(lines.find(({ method }) => method === "facts.ended")).toMatchObject({
      params: { reason: "shutting_down" },
    });
    expect(lines.find(({ id }) => id === 3)).toMatchObject({ result: { status: "aborted" } });
    expect((await place.lemon("show", "s1")).status).toBe(0);
    expect((await place.json("resume", "s1")).lines.at(-1)).toMatchObject({ status: "aborted" });
  });

  test("a reader that goes away ends the server", async () => {
    const place = await Place.make();
    const { running, write } = stdio(place);
    write(call(1, "sessions.list"));
    await running.printed('"id":1,');
    running.process.stdout?.destroy();
    write(call(2, "sessions.list"));
    write(call(3, "sessions.list"));
    await running.ended;
  });

  test("--scopes takes rights away", async () => {
    const place = await Place.make();
    const input = [call(1, "sessions.list"), call(2, "sessions.start", {}), call(3, "approvals.list")].join(
      "\n",
    );
    const { stdout } = await place.start(["serve", "--scopes", "read"], { stdin: input }).ended;
    const codes = Object.fromEntries(parseLines(stdout).map(({ id, error }) => [id, error?.code ?? 0]));
    expect(codes).toEqual({ 1: 0, 2: -32002, 3: 0 });
  });
});

describe("lemon serve --http", () => {
  test("says where it is, and takes the token of the home", async () => {
    const place = await Place.make();
    const { running, told, token } = await http(place);
    expect(told).toEqual({
      url: `http://127.0.0.1:${told["port"]}`,
      port: told["port"],
      tokenFile: path.join(place.home, "control-plane.token"),
      pid: told["pid"],
    });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await stat(told["tokenFile"] as string)).mode & 0o777).toBe(0o600);
    const client: JSONRPCClient = new JSONRPCClient(async (request) => {
      const response = await fetch(`${told["url"]}/rpc`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify(request),
      });
      client.receive((await response.json()) as never);
    });
    const started: Json = await client.request("sessions.start", { script: script({ text: "hello" }) });
    expect(
      await client.request("sessions.prompt", { sessionId: started["sessionId"], prompt: "hi" }),
    ).toMatchObject({ text: "hello" });
    await expect(client.request("nothing", {})).rejects.toMatchObject({ code: -32601 });
    running.process.kill("SIGINT");
    const { status, stderr } = await running.ended;
    expect(status).toBe(130);
    expect(stderr).toContain(`listening on ${told["url"]}`);
    expect(stderr).toContain("control-plane.token");
    expect(stderr).not.toContain(token);
    const again = await http(place, ["--scopes", "read"]);
    expect(again.token).toBe(token);
    process.kill(again.told["pid"] as number, "SIGTERM");
    expect((await again.running.ended).status).toBe(130);
  });

  test("a token, wherever a tool finds it, gets into no fact", async () => {
    const place = await Place.make();
    const { running, told, token } = await http(place);
    const post = async (method: string, params: object): Promise<Json> => {
      const response = await fetch(`${told["url"]}/rpc`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: call(1, method, params),
      });
      return (await response.json()) as Json;
    };
    const cat = { toolCalls: [{ name: "bash", args: { command: `cat ${told["tokenFile"]}` } }] };
    await post("sessions.start", { sessionId: "s1", script: script(cat, { text: "over" }) });
    await post("sessions.prompt", { sessionId: "s1", prompt: "go" });
    const facts = JSON.stringify(await post("sessions.facts", { sessionId: "s1" }));
    expect(facts).toContain("{{secret:control_plane_token}}");
    expect(facts).not.toContain(token);
    running.process.kill("SIGTERM");
    await running.ended;
  });

  test("refuses what can't be: ports, scopes, flags, token files", async () => {
    const place = await Place.make();
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const taken = await place.lemon("serve", "--http", "--port", String(port));
    server.close();
    expect([taken.status, taken.stdout]).toEqual([1, ""]);
    expect(taken.stderr).toContain(`port ${port} of 127.0.0.1 can't be used: EADDRINUSE`);
    for (const args of [
      ["--http", "--port", "70000"],
      ["--http", "--port", "x"],
      ["--http", "--port", "-1"],
      ["--port", "80"],
      ["--stdio", "--http"],
      ["--scopes", "all"],
      ["--http", "--scopes", "read,,write"],
    ])
      expect([args, (await place.lemon("serve", ...args)).status]).toEqual([args, 2]);
    const file = path.join(place.home, "control-plane.token");
    await chmod(file, 0o640);
    const open = await place.lemon("serve", "--http");
    expect(open.status).toBe(1);
    expect(open.stderr).toContain("may be read by others (mode 640)");
    await chmod(file, 0o600);
    await writeFile(file, "short\n");
    expect((await place.lemon("serve", "--http")).stderr).toContain("holds no token");
  });
});

test("the how-to works as it is written", async (context) => {
  if (!isCommandThere("curl")) return context.skip();
  const place = await Place.make();
  const page = await readFile(
    path.resolve(import.meta.dirname, "../../docs/how-to/drive-over-json-rpc.md"),
    "utf8",
  );
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  const { running, told } = await http(place);
  const commands = blocks
    .filter((text) => !text.startsWith("lemon"))
    .join("")
    .replaceAll("127.0.0.1:7411", `127.0.0.1:${told["port"]}`)
    .replaceAll("~/.lemon", place.home)
    .replaceAll("curl -sSN", "curl -sSN --max-time 1")
    // The page uses the configured model; here there is none.
    .replace(
      '"sessionId":"demo"}',
      `"sessionId":"demo","script":${JSON.stringify(script({ text: "Hello." }))}}`,
    );
  const shell = spawn("bash", ["-c", commands], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(shell, "close");
  running.process.kill("SIGTERM");
  await running.ended;
  expect(output).toContain('"id":1,"result":{"sessionId":"demo","sessionKey":"session:demo"');
  expect(output).toContain('"id":2,"result":{"status":"completed","text":"Hello."');
  expect(output).toContain('"id":3,"result":{"sessionId":"demo"');
  expect(output).toContain('"id":4,"result":{"todos":[{"id":"a"');
  expect(output).toContain('[{"jsonrpc":"2.0","id":5,"result":');
  expect(output).toMatch(
    /id: at-\d+\nevent: facts\.appended\ndata: \{"position":\d+,"stream":"session-demo","version":1,/,
  );
});
