import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { appeared, gated, Place } from "./support/command.ts";

const work = gated("work");
const own = gated("own");

const writes = (content: string): object => ({
  toolCalls: [{ name: "write", args: { path: "a.txt", content } }],
});

async function worked(): Promise<Place> {
  const place = await Place.make();
  const script = await place.script([writes("one"), writes("two"), { text: "done" }, { text: "and more" }]);
  expect((await place.lemon("run", "--script", script, "--session", "p", "Go")).status).toBe(0);
  return place;
}

async function factsOf(place: Place, id: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await place.json("facts", id)).lines;
}

test("a fork goes on from a version, with the files as they were or in the folder as it is", async () => {
  const place = await worked();
  const before = await factsOf(place, "p");
  const at = before.find(({ type }) => type === "tool_call.completed")?.["version"];
  const made = await place.json("fork", "p", "--at", String(at));
  expect(made.status).toBe(0);
  const { sessionId: shared } = made.lines[0] as { sessionId: string };
  expect(made.lines[0]).toMatchObject({ from: "p", at, status: "running", sessionKey: `session:${shared}` });
  expect(readFileSync(path.join(place.cwd, "a.txt"), "utf8")).toBe("two");
  const [first] = await factsOf(place, shared);
  expect(first).toMatchObject({ version: 1, type: "session.forked", data: { from: "p", at } });

  const folder = path.join(place.folder, "other");
  const { stdout, status } = await place.lemon("fork", "p", "--at", String(at), "--into", folder);
  expect(status).toBe(0);
  const separate = stdout.trim();
  expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe("one");
  expect((await place.lemon("resume", separate)).stdout).toBe("done\n");
  expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe("two");
  expect((await place.lemon("run", "--session", separate, "More")).stdout).toBe("and more\n");
  expect((await place.lemon("replay", separate)).status).toBe(0);

  expect((await place.lemon("sessions")).stdout).toContain(`fork of p at ${String(at)}`);
  expect((await place.lemon("show", separate)).stdout).toContain(`from p at version ${String(at)}`);
  expect(await factsOf(place, "p")).toEqual(before);
  expect((await place.lemon("verify")).status).toBe(0);
});

test("what can't be forked is refused with its status, and makes nothing", async () => {
  const place = await worked();
  const folder = path.join(place.folder, "other");
  expect((await place.lemon("fork", "nobody", "--at", "1", "--into", folder)).status).toBe(3);
  expect((await place.lemon("fork", "p", "--at", "999", "--into", folder)).status).toBe(2);
  expect((await place.lemon("fork", "p", "--at", "0")).status).toBe(2);
  expect((await place.lemon("fork", "p")).status).toBe(2);
  expect(existsSync(folder)).toBe(false);
  expect((await place.lemon("fork", "p", "--at", "3", "--into", place.cwd)).status).toBe(2);
  expect((await place.json("sessions")).lines[0]).toHaveLength(1);
});

test("a session is forked while its call runs; the fork is killed in one of its own, and goes on", async () => {
  const place = await Place.make();
  const calling = ({ command }: typeof work): object => ({
    toolCalls: [{ name: "bash", args: { command } }],
  });
  const script = await place.script([calling(work), calling(own), { text: "It is done." }]);
  const parent = place.start(["run", "--script", script, "--session", "p", "Go"]);
  await appeared(path.join(place.cwd, work.begun), parent);
  const version = (await factsOf(place, "p")).length;
  const fork = (await place.lemon("fork", "p", "--at", String(version))).stdout.trim();
  const ends = async (): Promise<unknown[]> =>
    (await factsOf(place, fork))
      .filter(({ type }) => type === "tool_call.interrupted")
      .map(({ data }) => (data as { reason: string }).reason);
  expect(await ends()).toEqual(["forked"]);
  const run = place.start(["resume", fork]);
  await appeared(path.join(place.cwd, own.begun), run);
  run.process.kill("SIGKILL");
  await run.ended;
  expect((await place.lemon("resume", fork)).stdout).toBe("It is done.\n");
  expect(await ends()).toEqual(["forked", "process_died"]);
  expect(readFileSync(path.join(place.cwd, own.begun), "utf8")).toBe("begun\n");
  for (const { gate } of [work, own]) writeFileSync(path.join(place.cwd, gate), "");
  expect((await parent.ended).status).toBe(0);
  for (const id of ["p", fork])
    expect((await place.json("replay", id)).lines[0]).toMatchObject({ divergences: [] });
});
