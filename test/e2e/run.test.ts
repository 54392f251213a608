import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const bash = (command: string): object => ({ toolCalls: [{ name: "bash", args: { command } }] });

test("a run writes what the model says on standard output and what it does on standard error", async () => {
  const place = await Place.make();
  const script = await place.script([
    { text: "Let me look.", ...bash("echo hi > a.txt; false") },
    { text: "Done." },
  ]);
  const { status, stdout, stderr } = await place.lemon("run", "--script", script, "--session", "s", "Look");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "Let me look.\nDone.\n" });
  expect(stderr).toMatch(/^session s\n→ bash echo hi/);
  expect(readFileSync(path.join(place.cwd, "a.txt"), "utf8")).toBe("hi\n");
});

test("a quiet run writes nothing but its result", async () => {
  const place = await Place.make();
  const script = await place.script([bash("true"), { text: "Done." }]);
  const { stdout, stderr } = await place.lemon("run", "-q", "--script", script, "Go");
  expect({ stdout, stderr }).toEqual({ stdout: "Done.\n", stderr: "" });
});

test("--json writes a header, the events of the session and last the outcome", async () => {
  const place = await Place.make();
  const script = await place.script([bash("echo hi"), { text: "Done." }]);
  const { status, lines } = await place.json("run", "--script", script, "Go");
  expect(status).toBe(0);
  const sessionId = lines[0]?.["sessionId"] as string;
  expect(lines[0]).toEqual({ type: "header", schemaVersion: 1, sessionId });
  expect(sessionId).toMatch(/^ses_[0-9a-f]{16}$/);
  const events = lines.slice(1, -1);
  expect(events.every((event) => event["sessionId"] === sessionId)).toBe(true);
  expect(events.map(({ type }) => type as string)).toEqual(
    expect.arrayContaining([
      "agent_start",
      "turn_start",
      "tool_execution_start",
      "tool_execution_end",
      "agent_end",
    ]),
  );
  const { type, status: how, text, stopReason, error, version } = lines.at(-1) ?? {};
  expect({ type, how, text, stopReason, error }).toEqual({
    type: "result",
    how: "completed",
    text: "Done.",
    stopReason: "end_turn",
    error: null,
  });
  expect(version).toBeGreaterThan(5);
});

test("a prompt comes from standard input when there is no argument", async () => {
  const place = await Place.make();
  const script = await place.script([{ text: "Read." }]);
  const run = place.start(["run", "--script", script, "--session", "s"], { stdin: "Fix it,\nplease ✓\n" });
  expect((await run.ended).status).toBe(0);
  const { lines } = await place.json("show", "s");
  expect(lines[0]?.["messages"][0].content).toEqual([{ type: "text", text: "Fix it,\nplease ✓\n" }]);
});

test("--session goes on with a session that exists, and --continue with the newest of the folder", async () => {
  const place = await Place.make();
  const script = await place.script([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await place.lemon("run", "--script", script, "--session", "s", "1");
  expect((await place.lemon("run", "--session", "s", "2")).stdout).toBe("Two.\n");
  const elsewhere = await place.lemon("run", "--continue", "--cwd", place.folder, "x");
  expect(elsewhere.status).toBe(3);
  expect(elsewhere.stderr).toContain(`no session has worked in ${place.folder}`);
  expect((await place.lemon("run", "--continue", "3")).stdout).toBe("Three.\n");
  expect((await place.json("sessions")).lines[0]).toHaveLength(1);
});

test("a failed run is status 1 and says why", async () => {
  const place = await Place.make();
  const script = await place.script([{ error: { status: 400 } }]);
  const { status, stdout, stderr } = await place.lemon("run", "--script", script, "Go");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/error: the run failed: .*HTTP status 400/);
  const json = await place.json("run", "--script", script, "Go");
  expect(json.status).toBe(1);
  expect(json.lines.at(-1)).toMatchObject({ type: "result", status: "failed", error: { status: 400 } });
});

test("an answer that broke off is not in the result twice", async () => {
  const place = await Place.make();
  const script = await place.script([{ text: "A long answer.", cutAfter: 6 }, { text: "A whole answer." }]);
  const { status, stdout } = await place.lemon("run", "--script", script, "Go");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "A whole answer.\n" });
});

test("off a terminal, a call that asks for approval is refused at once, and the flag is named", async () => {
  const place = await Place.make();
  const script = await place.script([bash("touch ran"), { text: "Refused." }]);
  const { status, stdout, stderr } = await place.lemon("run", "--approve", "ask", "--script", script, "Go");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "Refused.\n" });
  expect(stderr).toContain(
    "refused bash touch ran: it asks for approval and there is no terminal; --approve auto",
  );
  expect(existsSync(path.join(place.cwd, "ran"))).toBe(false);
  const denied = await place.lemon("run", "--approve", "deny", "--script", script, "Go");
  expect({ status: denied.status, ran: existsSync(path.join(place.cwd, "ran")) }).toEqual({
    status: 0,
    ran: false,
  });
});

test("colours are written when they are forced, and never against NO_COLOR or --no-color", async () => {
  const place = await Place.make();
  const escape = "\u001B[";
  const paint = { FORCE_COLOR: "1" };
  const coloured = await place.start(["show", "s"], { env: paint }).ended;
  expect(coloured.stderr).toContain(escape);
  expect((await place.start(["show", "s", "--no-color"], { env: paint }).ended).stderr).not.toContain(escape);
  expect((await place.start(["show", "s"], { env: { NO_COLOR: "1" } }).ended).stderr).not.toContain(escape);
});

test("a warning of the configuration is said once", async () => {
  const place = await Place.make();
  await mkdir(place.home);
  await writeFile(path.join(place.home, "config.toml"), '[runtime]\naproval = "ask"\n');
  const { status, stderr } = await place.lemon(
    "run",
    "--script",
    await place.script([{ text: "Yes." }]),
    "Go",
  );
  expect(status).toBe(0);
  expect(stderr.match(/did you mean/g)).toHaveLength(1);
});
