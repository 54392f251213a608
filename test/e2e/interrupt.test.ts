import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { appeared, gated, parseLines, Place, type Running } from "./support/command.ts";

const work = gated("work");

/** A run in the middle of a command of the shell. */
async function inTheMiddle(place: Place, ...flags: readonly string[]): Promise<Running> {
  const turn = { text: "Working.", toolCalls: [{ name: "bash", args: { command: work.command } }] };
  const script = await place.script([turn, { text: "Done." }]);
  const run = place.start(["run", "--script", script, "--session", "s", ...flags, "Go"]);
  await appeared(path.join(place.cwd, work.begun), run);
  return run;
}

async function factsOf(place: Place): Promise<string[]> {
  return (await place.json("facts", "s")).lines.map(({ type }) => type as string);
}

test.for(["SIGINT", "SIGTERM"] as const)(
  "%s once aborts the run, records it and ends with 130",
  async (signal) => {
    const place = await Place.make();
    const run = await inTheMiddle(place, "--json");
    run.process.kill(signal);
    const { status, stdout } = await run.ended;
    expect(status).toBe(130);
    expect(parseLines(stdout).at(-1)).toMatchObject({
      type: "result",
      status: "aborted",
      stopReason: "aborted",
    });
    expect(await factsOf(place)).toEqual(
      expect.arrayContaining(["abort.requested", "agent.ended", "session.shut_down"]),
    );
    expect(readFileSync(path.join(place.cwd, work.begun), "utf8")).toBe("begun\n");
    // Nobody interrupts it now, and the run did not do what it should.
    const again = await place.lemon("resume", "s");
    expect(again.status).toBe(1);
  },
);

test("a second Ctrl-C ends at once and leaves the run open for resume", async () => {
  const place = await Place.make();
  const turn = { toolCalls: [{ name: "bash", args: { command: work.command } }] };
  const script = await place.script([turn, { text: "Done." }]);
  const run = place.start(["run", "--script", script, "--session", "s", "Go"]);
  await appeared(path.join(place.cwd, work.begun), run);
  run.process.kill("SIGINT");
  run.process.kill("SIGTERM");
  const { status } = await run.ended;
  expect(status).toBe(130);
  const resumed = await place.lemon("resume", "s");
  expect([0, 1]).toContain(resumed.status);
  expect((await place.lemon("replay", "s")).status).toBe(0);
});

test("a reader that goes away ends a listing quietly with 0", async () => {
  const place = await Place.make();
  const script = await place.script(
    Array.from({ length: 40 }, () => ({ toolCalls: [{ name: "ls", args: {} }], text: "x".repeat(2_000) })),
  );
  await place.lemon("run", "-q", "--script", script, "--session", "s", "Go");
  const reader = place.start(["facts", "s", "--json"]);
  reader.process.stdout?.destroy();
  const { status, signal, stderr } = await reader.ended;
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: "" });
});

test("a reader that goes away in the middle of a run aborts the run", async () => {
  const place = await Place.make();
  const run = await inTheMiddle(place, "--json");
  run.process.stdout?.destroy();
  writeFileSync(path.join(place.cwd, work.gate), "");
  expect((await run.ended).status).toBe(0);
  expect(await factsOf(place)).toEqual(expect.arrayContaining(["agent.ended", "session.shut_down"]));
});

test("facts --follow sees the facts of another process as they come, and Ctrl-C ends it quietly with 130", async () => {
  const place = await Place.make();
  const run = await inTheMiddle(place);
  const follower = place.start([
    "facts",
    "s",
    "--follow",
    "--type",
    "tool_call.returned",
    "--type",
    "agent.ended",
    "--json",
  ]);
  const types = place.start(["facts", "s", "--follow", "--from", "3", "--json"]);
  await types.printed("tool_call.started");
  writeFileSync(path.join(place.cwd, work.gate), "");
  await follower.printed("agent.ended");
  await types.printed("session.shut_down");
  expect((await run.ended).stdout).toBe("Working.\nDone.\n");
  for (const each of [follower, types]) each.process.kill("SIGINT");
  const { status, stdout, stderr } = await follower.ended;
  expect({ status, stderr }).toEqual({ status: 130, stderr: "" });
  expect(parseLines(stdout).map(({ type }) => type as string)).toEqual(["tool_call.returned", "agent.ended"]);
  const versions = parseLines((await types.ended).stdout).map(({ version }) => version as number);
  expect(versions).toEqual(versions.map((_, index) => index + 3));
});
