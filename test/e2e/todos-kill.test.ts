/** A todo list when the process that leads its session is killed, and while another one leads it. */
import path from "node:path";
import { expect, test } from "vitest";
import { SessionBusyError } from "../../src/log/index.ts";
import { createRuntime } from "../../src/runtime/index.ts";
import { appeared, gated, Place } from "./support/command.ts";

test("a kill keeps the list, another process is told who leads it, and the session goes on with it", async () => {
  const place = await Place.make();
  const { command, begun } = gated("wait");
  const script = await place.script([
    {
      toolCalls: [
        { name: "todo", args: { action: "write", todos: [{ id: "a", content: "A" }] } },
        { name: "bash", args: { command } },
      ],
    },
    { toolCalls: [{ name: "todo", args: { action: "update", todo: { id: "a", status: "completed" } } }] },
    { text: "Done." },
  ]);
  const running = place.start(["run", "--script", script, "--session", "s", "Go"]);
  await appeared(path.join(place.cwd, begun), running);

  const beside = await createRuntime({ home: place.home, cwd: place.cwd });
  expect(await beside.todos.get("s")).toMatchObject([{ id: "a", status: "pending" }]);
  await expect(beside.todos.clear("s")).rejects.toBeInstanceOf(SessionBusyError);
  running.process.kill("SIGKILL");
  await running.ended;
  const changed = await beside.todos.updateStatus("s", "a", "in_progress");
  expect(changed).toMatchObject([{ id: "a", status: "in_progress" }]);
  await beside.close();

  expect((await place.lemon("resume", "s")).status).toBe(0);
  const { lines } = await place.json("todos", "s");
  expect(lines).toMatchObject([{ todos: [{ id: "a", status: "completed" }] }]);
  expect((await place.json("replay", "s")).lines).toMatchObject([{ divergences: [] }]);
});
