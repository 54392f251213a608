import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gated, parseLines, start } from "./support/command.ts";
import { backgroundPlace, endWorker, until, workerOf } from "./support/background.ts";

const main = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
const work = gated("work");
const gatedTurns = [
  { text: "Working.", toolCalls: [{ name: "bash", args: { command: work.command } }] },
  { text: "All done." },
];

test("a run is started, read, watched and cancelled when it is over, each as the reference says", async () => {
  const place = await backgroundPlace();
  expect(await place.json("background", "list")).toEqual({ status: 0, lines: [{ runs: [], total: 0 }] });
  const script = await place.script([{ text: "Hello." }]);
  const started = await place.json("background", "start", "--script", script, "Say hello");
  const id = started.lines[0]?.["id"] as string;
  expect(started).toEqual({ status: 0, lines: [{ id, status: "queued" }] });
  expect(id).toMatch(/^bg_[\da-f]{16}$/);

  const watched = await place.json("background", "watch", id);
  expect(watched.status).toBe(0);
  expect(watched.lines[0]).toEqual({ type: "header", schemaVersion: 1, id, sessionId: id });
  expect(watched.lines.filter(({ type }) => type === "status").map(({ status }) => status as string)).toEqual(
    ["queued", "running", "completed"],
  );
  const result = { id, status: "completed", ready: true, text: "Hello.", partialText: null, errorCode: null };
  expect(watched.lines.at(-1)).toMatchObject({ type: "result", ...result });

  const listed = await place.json("background", "list", "--status", "completed");
  const { lines } = await place.json("background", "status", id);
  expect(listed.lines[0]).toEqual({ runs: [lines[0]], total: 1 });
  expect(lines[0]).toMatchObject({ id, status: "completed", resultAvailable: true, attempt: 1, owner: null });
  expect((await place.json("background", "result", id)).lines[0]).toMatchObject(result);
  const cancelled = { status: 0, lines: [{ id, cancelled: false, status: "completed" }] };
  expect(await place.json("background", "cancel", id)).toEqual(cancelled);

  const human = await place.lemon("background", "result", id);
  expect(human).toMatchObject({ status: 0, stdout: "Hello.\n", stderr: "" });
  expect((await place.lemon("background", "watch", id)).stdout).toBe("Hello.\n");
  expect((await place.lemon("background", "list")).stdout).toMatch(new RegExp(`^${id}  completed  `));
  expect((await place.lemon("background", "status", id)).stdout).toContain("status    completed\n");
  // What was asked is shown by none of them.
  expect(JSON.stringify([listed, lines, human])).not.toContain("Say hello");
});

test("bad input is refused with its status, and makes nothing", async () => {
  const place = await backgroundPlace();
  const script = await place.script([{ text: "Hello." }]);
  const refused: readonly (readonly [number, string, readonly string[]])[] = [
    [2, "LEMON_EMPTY_PROMPT", ["start", "--script", script, " "]],
    [2, "LEMON_NO_MODEL", ["start", "Go"]],
    [2, "LEMON_INVALID_USAGE", ["start", "--script", script, "--timeout", "soon", "Go"]],
    [2, "LEMON_INVALID_USAGE", ["start", "--script", script, "--on-restart", "maybe", "Go"]],
    [2, "LEMON_INVALID_STATUS", ["list", "--status", "nope"]],
    [2, "LEMON_INVALID_LIMIT", ["list", "--limit", "5000"]],
    [2, "LEMON_EMPTY_PROMPT", ["start", "--script", script, "-"]],
    [3, "LEMON_NOT_FOUND", ["status", "bg_0123456789abcdef"]],
    [3, "LEMON_NOT_FOUND", ["result", "x"]],
    [3, "LEMON_NOT_FOUND", ["cancel", "bg_0123456789abcdef"]],
    [3, "LEMON_NOT_FOUND", ["watch", "bg_0123456789abcdef"]],
  ];
  const ends = await Promise.all(
    refused.map(async ([, , args]) => {
      const { status, lines } = await place.json("background", ...args);
      return [status, (lines[0]?.["error"] as { code?: string } | undefined)?.code, args];
    }),
  );
  expect(ends).toEqual(refused);
  expect(existsSync(place.home)).toBe(false);
});

test("the terminal that asked for a run is closed, and another process gets the answer", async () => {
  const place = await backgroundPlace();
  const script = await place.script(gatedTurns);
  // A shell in a group of its own, as a terminal has one: it and all in its group hear of the hangup.
  const command = `"${process.execPath}" "${main}" background start --home "${place.home}" --script "${script}" Go; sleep 60`;
  const terminal = spawn("/bin/sh", ["-c", command], {
    cwd: place.cwd,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const id = await new Promise<string>((resolve) =>
    terminal.stdout?.setEncoding("utf8").once("data", (text: string) => resolve(text.trim())),
  );
  await until(() => Promise.resolve(existsSync(path.join(place.cwd, work.begun))));
  process.kill(-(terminal.pid ?? 0), "SIGHUP");
  await new Promise((resolve) => terminal.once("exit", resolve));
  writeFileSync(path.join(place.cwd, work.gate), "");
  expect((await place.lemon("background", "watch", id)).status).toBe(0);
  const { status, stdout } = await place.lemon("background", "result", id);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "All done.\n" });
  expect(readFileSync(path.join(place.cwd, work.begun), "utf8")).toBe("begun\nended\n");
});

test("a run whose worker is killed is told as it is, and goes on once somebody looks", async () => {
  const place = await backgroundPlace();
  const script = await place.script(gatedTurns);
  const { lines } = await place.json("background", "start", "--script", script, "Go");
  const id = lines[0]?.["id"] as string;
  await until(() => Promise.resolve(existsSync(path.join(place.cwd, work.begun))));
  const before = await workerOf(place);
  await endWorker(place, "SIGKILL");

  const listed = (await place.json("background", "list")).lines[0] ?? {};
  expect(listed).toMatchObject({ total: 1 });
  const status = (listed["runs"] as readonly { status: string; owner: { pid: number } | null }[])[0];
  // Taken up again by then, or in line for a worker that is there.
  expect(["queued", "running"]).toContain(status?.status);
  expect(status?.owner?.pid).not.toBe(before);
  const watched = await place.json("background", "watch", id);
  expect(watched.lines.at(-1)).toMatchObject({ status: "completed", text: "All done." });
  expect((await place.json("background", "status", id)).lines[0]).toMatchObject({ attempt: 2 });
  // The call that had started was not run again.
  expect(readFileSync(path.join(place.cwd, work.begun), "utf8")).toBe("begun\n");
});

test("a run is cancelled, twice, and an interrupt of its watcher is not one of the run", async () => {
  const place = await backgroundPlace();
  const script = await place.script(gatedTurns);
  const { lines } = await place.json("background", "start", "--script", script, "Go");
  const id = lines[0]?.["id"] as string;
  const watcher = place.start(["background", "watch", id, "--json"]);
  await watcher.printed("tool_execution_start");
  watcher.process.kill("SIGINT");
  expect((await watcher.ended).status).toBe(130);
  expect((await place.json("background", "status", id)).lines[0]).toMatchObject({ status: "running" });
  expect((await place.lemon("background", "result", id)).status).toBe(1);

  const cancelled = { id, cancelled: true, status: "cancelled" };
  expect(await place.json("background", "cancel", id, "not now")).toEqual({ status: 0, lines: [cancelled] });
  expect(await place.json("background", "cancel", id)).toEqual({
    status: 0,
    lines: [{ ...cancelled, cancelled: false }],
  });
  const { status, lines: results } = await place.json("background", "result", id);
  expect(status).toBe(1);
  expect(results[0]).toMatchObject({ status: "cancelled", ready: false, errorCode: "BACKGROUND_CANCELLED" });
  expect(JSON.stringify(results)).not.toContain("not now");
});

test("over JSON-RPC a run is started, told of and cancelled, and the reason goes nowhere", async () => {
  const place = await backgroundPlace();
  const serve = place.start(["serve"], { pipe: true });
  const call = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
    serve.process.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await until(() => Promise.resolve(answer(id) !== undefined));
    return answer(id) ?? {};
  };
  const answer = (id: number): Record<string, unknown> | undefined =>
    parseLines(serve.stdout()).find((line) => line["id"] === id);
  const text = JSON.stringify({ turns: gatedTurns });
  const started = await call(1, "background.start", {
    prompt: "Go",
    script: { path: "s.json", text },
    sessionKey: "front:1",
  });
  const { id } = started["result"] as { id: string };
  await call(2, "facts.subscribe", { sessionId: id });
  expect(await call(3, "background.status", { id, parentSessionKey: "front:1" })).toMatchObject({
    result: { id, parentSessionKey: "front:1" },
  });
  expect(await call(4, "background.status", { id, parentSessionKey: "front:2" })).toMatchObject({
    error: { code: -32_003 },
  });
  expect(await call(5, "background.list", { status: "nope" })).toMatchObject({
    error: { code: -32_602, data: { reason: "invalid_status" } },
  });
  expect(await call(6, "background.start", { prompt: " " })).toMatchObject({
    error: { code: -32_602, data: { reason: "empty_prompt" } },
  });
  expect(await call(7, "background.cancel", { id, reason: "for a secret reason" })).toMatchObject({
    result: { id, cancelled: true, status: "cancelled" },
  });
  expect(await call(8, "background.result", { id })).toMatchObject({ result: { ready: false, text: null } });
  await serve.printed("background_run.cancelled");
  expect(serve.stdout()).not.toContain("for a secret reason");
  serve.process.stdin?.end();
  expect((await serve.ended).status).toBe(0);
});

test("a log in memory is no place for a run that outlives its command", async () => {
  const place = await backgroundPlace();
  const script = await place.script([{ text: "Hello." }]);
  const args = ["background", "start", "--log", ":memory:", "--script", script, "--json", "Go"];
  const { status, stdout } = await start([...args, "--home", place.home], { cwd: place.cwd }).ended;
  expect(status).toBe(2);
  expect(stdout).toContain("LEMON_INVALID_OPTIONS");
});

test("a call of a run that waits is listed, and answered through the process that works on the run", async () => {
  const place = await backgroundPlace();
  const script = await place.script([
    { toolCalls: [{ name: "bash", args: { command: "echo ran >> ran.txt" } }] },
    { text: "So be it." },
  ]);
  const { lines } = await place.json("background", "start", "--script", script, "--approve", "ask", "Go");
  const id = lines[0]?.["id"] as string;
  const watcher = place.start(["background", "watch", id, "--json"]);
  await watcher.printed("approval_requested");
  const [waiting] = (await place.json("approvals")).lines[0] as unknown as {
    id: string;
    sessionId: string;
  }[];
  expect(waiting?.sessionId).toBe(id);
  expect((await place.json("background", "status", id)).lines[0]).toMatchObject({ waitingForApproval: true });
  expect(await place.lemon("allow", waiting?.id ?? "")).toMatchObject({
    status: 0,
    stdout: "allowed bash echo ran >> ran.txt\n",
  });
  expect((await watcher.ended).status).toBe(0);
  expect(readFileSync(path.join(place.cwd, "ran.txt"), "utf8")).toBe("ran\n");
  expect((await place.lemon("allow", waiting?.id ?? "")).status).toBe(3);
});
