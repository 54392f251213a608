import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createRuntime, type Runtime } from "../../src/runtime/index.ts";
import { Place } from "./support/command.ts";

/** A session that waits for an answer, and the runtime that leads it. */
async function waiting(
  place: Place,
): Promise<{ runtime: Runtime; callId: string; release: () => Promise<void> }> {
  const file = await place.script([
    { toolCalls: [{ name: "bash", args: { command: "echo ran >> ran.txt" } }] },
    { text: "So be it." },
  ]);
  const runtime = await createRuntime({ home: place.home, cwd: place.cwd });
  const script = { path: file, text: await readFile(file, "utf8") };
  let asked = (_callId: string): void => undefined;
  const callId = new Promise<string>((resolve) => (asked = resolve));
  const session = await runtime.sessions.start({
    sessionId: "s",
    approval: "ask",
    script,
    onEvent: (event) => event.type === "approval_requested" && asked(event.id),
  });
  const run = session.prompt("Go").catch(() => undefined);
  return {
    runtime,
    callId: await callId,
    release: async () => {
      await session.release();
      await runtime.close();
      await run;
    },
  };
}

test("a call that waits is listed, is not answered by resume, runs once it is allowed, and the run goes on after", async () => {
  const place = await Place.make();
  const { callId, release } = await waiting(place);
  await release();
  const ran = path.join(place.cwd, "ran.txt");

  const { lines } = await place.json("approvals");
  expect(lines[0]).toMatchObject([
    {
      id: callId,
      sessionId: "s",
      toolCallId: callId,
      tool: "bash",
      args: { command: "echo ran >> ran.txt" },
      expiresAt: null,
    },
  ]);
  expect((await place.lemon("approvals")).stdout).toBe(`${callId}  s  bash echo ran >> ran.txt\n`);

  const resumed = await place.lemon("resume", "s", "--json");
  expect(resumed.status).toBe(1);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ error: { code: "LEMON_APPROVAL_PENDING" } });
  expect((await place.json("approvals")).lines[0]).toHaveLength(1);

  const allowed = await place.json("allow", callId);
  expect(allowed).toEqual({
    status: 0,
    lines: [{ id: callId, sessionId: "s", tool: "bash", verdict: "allow" }],
  });
  expect(readFileSync(ran, "utf8")).toBe("ran\n");
  expect((await place.json("sessions")).lines[0]?.[0]).toMatchObject({ status: "running" });

  const { status, stdout } = await place.lemon("resume", "s");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "So be it.\n" });
  expect(readFileSync(ran, "utf8")).toBe("ran\n");
  expect((await place.lemon("replay", "s")).status).toBe(0);
  expect((await place.lemon("allow", callId)).status).toBe(3);
});

test("a call that waits can be denied with a reason for the model", async () => {
  const place = await Place.make();
  const { callId, release } = await waiting(place);
  await release();
  const { status, stdout } = await place.lemon("deny", callId, "not on a Friday");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "denied bash echo ran >> ran.txt\n" });
  expect((await place.lemon("resume", "s")).stdout).toBe("So be it.\n");
  expect((await place.lemon("show", "s")).stdout).toContain("not on a Friday");
  expect(existsSync(path.join(place.cwd, "ran.txt"))).toBe(false);
});

test("resume with --approve answers what waits", async () => {
  const place = await Place.make();
  await (await waiting(place)).release();
  expect((await place.lemon("resume", "s", "--approve", "auto")).stdout).toBe("So be it.\n");
  expect(readFileSync(path.join(place.cwd, "ran.txt"), "utf8")).toBe("ran\n");
});

test("a session that another process leads is not answered from here, and the process is named", async () => {
  const place = await Place.make();
  const { callId, release } = await waiting(place);
  const { status, stderr } = await place.lemon("allow", callId);
  await release();
  expect(status).toBe(1);
  expect(stderr).toContain(`is held by process ${process.pid} on`);
});
