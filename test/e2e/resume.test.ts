import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { appeared, gated, Place } from "./support/command.ts";

const work = gated("work");

async function killedInTheMiddle(): Promise<Place> {
  const place = await Place.make();
  const turn = { text: "Working.", toolCalls: [{ name: "bash", args: { command: work.command } }] };
  const script = await place.script([turn, { text: "It was cut off." }, { text: "And more." }]);
  const run = place.start(["run", "--script", script, "--session", "s", "Go"]);
  await appeared(path.join(place.cwd, work.begun), run);
  run.process.kill("SIGKILL");
  expect((await run.ended).signal).toBe("SIGKILL");
  return place;
}

test("a run that was killed in the middle of a call goes on to its end, and the call does not run twice", async () => {
  const place = await killedInTheMiddle();
  expect((await place.json("sessions")).lines[0]?.[0]).toMatchObject({ sessionId: "s", status: "running" });
  const { status, lines } = await place.json("resume", "s");
  expect(status).toBe(0);
  expect(lines[0]).toEqual({ type: "header", schemaVersion: 1, sessionId: "s" });
  expect(lines.find(({ type }) => type === "tool_execution_end")).toMatchObject({
    toolName: "bash",
    isError: true,
  });
  expect(lines.at(-1)).toMatchObject({ type: "result", status: "completed", text: "It was cut off." });
  writeFileSync(path.join(place.cwd, work.gate), "");
  expect(readFileSync(path.join(place.cwd, work.begun), "utf8")).toBe("begun\n");
  const again = await place.lemon("resume", "s");
  expect({ status: again.status, stdout: again.stdout }).toEqual({ status: 0, stdout: "It was cut off.\n" });
  const repeated = await place.json("resume", "s");
  expect(repeated.lines.map(({ type }) => type as string)).toEqual(["header", "result"]);
  expect(repeated.lines[1]).toEqual(lines.at(-1));
  expect((await place.json("replay", "s")).lines[0]).toMatchObject({ divergences: [] });
  expect((await place.lemon("verify")).status).toBe(0);
});

test("a write that was killed before its rename leaves nothing beside the file once the run has gone on", async () => {
  const place = await Place.make();
  const turn = { toolCalls: [{ name: "write", args: { file_path: "notes.txt", content: "new" } }] };
  const script = await place.script([turn, { text: "It was cut off." }]);
  const killer = path.join(place.folder, "killer.mjs");
  writeFileSync(
    killer,
    `import { open } from "node:fs/promises";
    const handle = await open(${JSON.stringify(killer)});
    Object.getPrototypeOf(handle).sync = () => process.kill(process.pid, "SIGKILL");
    await handle.close();`,
  );
  const env = { NODE_OPTIONS: `--import ${killer}` };
  const run = place.start(["run", "--script", script, "--session", "s", "Go"], { env });
  expect((await run.ended).signal).toBe("SIGKILL");
  expect(readdirSync(place.cwd)).toEqual([expect.stringMatching(/^\.lemon-[0-9a-f]{16}\.tmp$/)]);
  expect((await place.lemon("resume", "s")).stdout).toBe("It was cut off.\n");
  expect(readdirSync(place.cwd)).toEqual([]);
});

test("a run that is still open takes a prompt when it would end", async () => {
  const place = await killedInTheMiddle();
  const { status, stdout } = await place.lemon("run", "--session", "s", "And then?");
  expect({ status, stdout }).toEqual({ status: 0, stdout: "It was cut off.\nAnd more.\n" });
  const { lines } = await place.json("facts", "s", "--type", "message.appended");
  expect(lines).toHaveLength(1);
  expect(lines[0]?.["data"]).toMatchObject({ source: "follow_up" });
});

test("two processes can't lead one session, and the second is told who does", async () => {
  const place = await Place.make();
  const turn = { toolCalls: [{ name: "bash", args: { command: work.command } }] };
  const script = await place.script([turn, { text: "Done." }]);
  const first = place.start(["run", "--script", script, "--session", "s", "Go"]);
  await appeared(path.join(place.cwd, work.begun), first);
  const second = await place.lemon("resume", "s", "--json");
  expect(second.status).toBe(1);
  expect(JSON.parse(second.stdout)).toMatchObject({
    error: { code: "LEMON_SESSION_BUSY", reason: "session_busy" },
  });
  expect(second.stderr).toContain(`process ${first.process.pid}`);
  writeFileSync(path.join(place.cwd, work.gate), "");
  expect((await first.ended).stdout).toBe("Done.\n");
  expect(existsSync(place.log)).toBe(true);
});
