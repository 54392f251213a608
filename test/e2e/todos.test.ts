/** `lemon todos` and `lemon progress`. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { Place } from "./support/command.ts";

let place: Place;
const todo = (args: object): object => ({ name: "todo", args });

beforeAll(async () => {
  place = await Place.make();
  const todos = [
    { id: "parse", content: "Write the parser", priority: "high", status: "in_progress" },
    { id: "test", content: "Test\u001B[31m it", dependencies: ["parse", "gone"] },
  ];
  const script = await place.script([
    { toolCalls: [todo({ action: "write", todos })] },
    { toolCalls: [todo({ action: "update", todo: { id: "parse", status: "completed" } })] },
    { text: "Done." },
  ]);
  expect(
    (await place.lemon("run", "--script", script, "--session", "s", "--approve", "ask", "Go")).status,
  ).toBe(0);
});

test("todos shows the list with marks, and warns of what can't be met", async () => {
  const { status, stdout, stderr } = await place.lemon("todos", "s");
  expect(status).toBe(0);
  expect(stdout).toBe(
    [
      "[x]  parse  high    Write the parser",
      "[ ]  test   medium  Test\u001B[31m it  ← parse, gone",
      "1 of 2 completed (50 %)\n",
    ].join("\n"),
  );
  expect(stderr).toBe(
    "warning: Some todos can't become actionable as things are:\n- test depends on gone, which is not in the list\n",
  );
  const { lines } = await place.json("todos", "session:s");
  expect(lines).toMatchObject([
    {
      sessionId: "s",
      version: expect.any(Number),
      todos: [{ id: "parse", status: "completed" }, { id: "test" }],
      progress: { total: 2, completed: 1, percentage: 50 },
      actionable: [],
      dependencyProblems: [{ id: "test", kind: "missing", dependency: "gone" }],
    },
  ]);
});

test("todos and progress show an earlier version", async () => {
  const facts = (await place.json("facts", "s", "--type", "todos.written")).lines;
  const [first = 0, second = 0] = facts.map(({ version }) => version as number);
  const completed = async (command: string, at: number): Promise<unknown> => {
    const { lines } = await place.json(command, "s", "--at", String(at));
    return command === "todos" ? lines[0]?.["progress"]["completed"] : lines[0]?.["todos"]["completed"];
  };
  for (const command of ["todos", "progress"])
    expect([await completed(command, first), await completed(command, second)]).toEqual([0, 1]);
  expect((await place.lemon("todos", "s", "--at", "1")).stdout).toBe("no todos\n");
});

test("progress shows a line an area, without bars where no terminal is, and what can be begun", async () => {
  await writeFile(
    path.join(place.cwd, "FEATURE_REQUIREMENTS.json"),
    JSON.stringify({ features: [{ id: "f", description: "Fly" }] }),
  );
  const { status, stdout, stderr } = await place.lemon("progress", "s");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    "all           33 %",
    "todos         50 %  1 of 2, 0 in progress",
    "features       0 %  0 of 1, 0 in progress",
    "checkpoints      0",
    "",
    "next:",
    "feature  f  Fly",
    "",
  ]);
  const { lines } = await place.json("progress", "s");
  expect(lines).toMatchObject([
    { sessionId: "s", cwd: place.cwd, overallPercentage: 33, features: { total: 1 }, featuresError: null },
  ]);
  const elsewhere = (await place.json("progress", "s", "--cwd", place.folder)).lines;
  expect(elsewhere).toMatchObject([{ cwd: place.folder, features: null, overallPercentage: 50 }]);
});

test("a features file that can't be read is a warning", async () => {
  const folder = path.join(place.folder, "script.json");
  await writeFile(path.join(place.folder, "FEATURE_REQUIREMENTS.json"), "{");
  const { status, stderr } = await place.lemon("progress", "s", "--cwd", path.dirname(folder));
  expect(status).toBe(0);
  expect(stderr).toContain("can't be read: json_decode");
});

test("what is not there is status 3, what makes no sense is 2, and nothing is changed", async () => {
  for (const command of ["todos", "progress"]) {
    const unknown = await place.lemon(command, "nope");
    expect([unknown.status, unknown.stdout]).toEqual([3, ""]);
    expect(unknown.stderr).toContain("there is no session");
    expect((await place.lemon(command, " s")).status).toBe(2);
    expect((await place.lemon(command, "s", "--at", "999")).status).toBe(2);
    const { status, lines } = await place.json(command, "nope");
    expect([status, lines[0]?.["error"]["reason"]]).toEqual([3, "session_not_found"]);
    const empty = await Place.make();
    expect((await empty.lemon(command, "s")).status).toBe(3);
  }
});

test("a session that has todos and was never started is shown", async () => {
  const log = await openEventLog(place.log);
  await log.append("session-early", "none", [
    {
      type: "todos.written",
      data: { action: "put", todos: [], callId: null },
      kind: "input",
      actor: "caller",
      causation: null,
      correlation: null,
    },
  ]);
  await log.close();
  expect(await place.lemon("todos", "early")).toMatchObject({ status: 0, stdout: "no todos\n" });
  expect((await place.json("progress", "early")).lines).toMatchObject([{ todos: { total: 0 } }]);
});

test("introspection of the run stands in the log, without content", async () => {
  const log = await openEventLog(place.log, { readOnly: true });
  const streams = await log.streams("introspection-");
  const types: unknown[] = [];
  for (const { stream } of streams)
    for await (const { data } of log.read(stream)) types.push((data as { eventType: string }).eventType);
  await log.close();
  expect(types).toEqual(["session_started", "tool_dispatched", "tool_dispatched", "session_ended"]);
});
