/** The examples of examples/supervision, compiled and run as a user would, print what they promise. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltPackage, buildPackage } from "../supervision/support/built-package.ts";

const root = path.resolve(import.meta.dirname, "../..");
let built: BuiltPackage;
beforeAll(() => {
  built = buildPackage();
});
afterAll(() => built.remove());

async function linesOf(example: string): Promise<string[]> {
  const { status, stdout, stderr } = await built.run(built.add(`examples/supervision/${example}.ts`));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trim().split("\n");
}

test("first-supervisor: an actor that throws is started again, calls are answered, the end is orderly", async () => {
  expect(await linesOf("first-supervisor")).toEqual([
    "child.started app/counter",
    "child.started app/heartbeat",
    "count 2",
    "child.exited app/counter (crash)",
    "child.restarted app/counter",
    "count 0",
    "counter: running, instance 3, restarts 1",
    "heartbeat: running, instance 2, restarts 0",
    "child.exited app/heartbeat (shutdown)",
    "child.exited app/counter (shutdown)",
  ]);
});

test("every code block of the how-to is part of an example", () => {
  const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
  const examples = readdirSync(path.join(root, "examples/supervision")).map((name) =>
    read(`examples/supervision/${name}`),
  );
  const page = read("docs/how-to/supervise-your-own-actors.md");
  const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, block = ""]) => block.trimEnd());
  expect(blocks.length).toBeGreaterThan(4);
  expect(blocks.filter((block) => !examples.some((example) => example.includes(block)))).toEqual([]);
});

test("pipeline: a stage that crashes restarts those after it, and those before keep their state", async () => {
  expect(await linesOf("pipeline")).toEqual([
    "child.started source",
    "child.started parser",
    "child.started sink",
    "source 2, parser 2, sink 3",
    "child.exited parser (crash)",
    "child.exited sink (shutdown)",
    "child.restarted parser",
    "child.restarted sink",
    "source 4, parser 1, sink 4",
    "child.exited sink (shutdown)",
    "child.exited parser (shutdown)",
    "child.exited source (shutdown)",
  ]);
});

test("worker-pool: a job that crashes or loops for ever costs its own thread only", async () => {
  const lines = await linesOf("worker-pool");
  expect(lines).toContain("answers 55 6765 75025");
  expect(lines.filter((line) => line.startsWith("job failed: CallError"))).toHaveLength(2);
  expect(lines.filter((line) => line === "child.restarted")).toHaveLength(2);
  expect(lines).toContain("still right 832040");
  const started = lines.filter((line) => line === "child.started").length;
  expect(lines.filter((line) => line === "child.exited")).toHaveLength(started + 2);
});

test("tcp-echo: a connection that breaks takes nobody along, and all are closed at the end", async () => {
  const lines = await linesOf("tcp-echo");
  expect(lines).toEqual([
    "child.started echo/connections",
    "child.started echo/listener",
    "child.started echo/connections/#1",
    "echo one, echo two",
    "child.started echo/connections/#2",
    "child.exited echo/connections/#2 (crash)",
    "the other connection goes on",
    "echo three",
    "child.exited echo/listener (shutdown)",
    "child.exited echo/connections/#1 (shutdown)",
    "child.exited echo/connections (shutdown)",
  ]);
});
