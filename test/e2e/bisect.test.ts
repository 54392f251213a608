import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Place } from "./support/command.ts";

let place: Place;
let work: string;
beforeEach(async () => {
  place = await Place.make();
  work = path.join(place.cwd, "..", `${path.basename(place.cwd)}-work`);
  await mkdir(work, { recursive: true });
  await writeFile(path.join(place.cwd, "sum"), "1 + 1\n");
  const write = (content: string): object => ({ name: "write", args: { path: "sum", content } });
  const script = await place.script([
    { toolCalls: [write("1 + 1 + 0\n")] },
    { toolCalls: [{ name: "bash", args: { command: "echo '1 + 2' > sum" } }] },
    { toolCalls: [write("1 + 2 + 0\n")] },
    { text: "done" },
  ]);
  const { status } = await place.lemon(
    "run",
    "--script",
    script,
    "--session",
    "s",
    "--approve",
    "auto",
    "Add it up",
  );
  expect(status).toBe(0);
});

test("the call that broke a check is named, for people and for programs", async () => {
  const check = "test $(( $(cat sum) )) = 2";
  const told = await place.lemon("bisect", "s", "--run", check, "--work-dir", work);
  expect(told.stdout).toMatch(
    /^Version \d+ is the first after which the check fails \(4 runs\)\.\nfact {5}tool_call\.returned, .*\ncall {5}bash echo '1 \+ 2' > sum\n.*\nprompt {3}Add it up \(version \d+\)\nchanged {2}sum\n$/,
  );
  expect(told.status).toBe(0);
  expect(told.stderr).toMatch(/version 1: good/);
  const { lines } = await place.json("bisect", "s", "--run", check, "--work-dir", work);
  expect(lines).toMatchObject([
    { runs: 4, fact: { type: "tool_call.returned" }, call: { tool: "bash", paths: ["sum"] } },
  ]);
  expect(lines[0]?.["version"]).toBe(Number(/^Version (\d+)/.exec(told.stdout)?.[1]));
  expect(await readdir(work)).toEqual([]);
});

test("an expression is asked of the state, and what can't be found has a status", async () => {
  const { lines } = await place.json("bisect", "s", "--when", "state.messages.length === 3");
  expect(lines[0]).toMatchObject({ fact: { version: lines[0]?.["version"] } });
  const statusOf = async (...args: string[]): Promise<number | null> =>
    (await place.lemon("bisect", ...args, "--work-dir", work)).status;
  expect(await statusOf("s", "--when", "state.")).toBe(2);
  expect(await statusOf("s", "--when", "false")).toBe(1);
  expect(await statusOf("s", "--run", "true")).toBe(1);
  expect(await statusOf("s")).toBe(2);
  expect(await statusOf("s", "--run", "true", "--when", "true")).toBe(2);
  expect(await statusOf("s", "--run", "true", "--from", "9999")).toBe(2);
  expect(await statusOf("nobody", "--run", "true")).toBe(3);
  const broken = await place.lemon("bisect", "s", "--run", "echo why; false", "--work-dir", work);
  expect(broken).toMatchObject({ status: 1, stderr: expect.stringContaining("why") as string });
  expect(await readdir(work)).toEqual([]);
});
