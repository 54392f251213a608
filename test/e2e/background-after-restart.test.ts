import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { backgroundPlace, endWorker, until, workerOf } from "./support/background.ts";
import { gated } from "./support/command.ts";

test("a run whose host is killed is listed once, told truly, and cancelled twice without an error", async () => {
  const place = await backgroundPlace();
  const work = gated("work");
  const script = await place.script([
    { toolCalls: [{ name: "bash", args: { command: work.command } }] },
    { text: "Never said.", delayMs: 600_000 },
  ]);
  const { lines } = await place.json("background", "start", "--script", script, "Go");
  const id = lines[0]?.["id"] as string;
  await until(() => Promise.resolve(existsSync(path.join(place.cwd, work.begun))));
  const host = await workerOf(place);
  await endWorker(place, "SIGKILL");

  const [listed] = (await place.json("background", "list")).lines;
  expect(listed).toMatchObject({ total: 1, runs: [{ id }] });
  // Another worker has really taken it up: it moves on to the next turn.
  const told = async (): Promise<Record<string, unknown>> =>
    (await place.json("background", "status", id)).lines[0] ?? {};
  await until(async () => (await told())["status"] === "running");
  expect(await told()).toMatchObject({ attempt: 2, errorCode: null });
  expect((await told())["owner"]).not.toMatchObject({ pid: host });
  const { status, lines: results } = await place.json("background", "result", id);
  expect({ status, ready: results[0]?.["ready"] }).toEqual({ status: 1, ready: false });

  const cancel = async (): Promise<unknown> => place.json("background", "cancel", id);
  const cancelled = { id, cancelled: true, status: "cancelled" };
  expect(await cancel()).toEqual({ status: 0, lines: [cancelled] });
  expect(await cancel()).toEqual({ status: 0, lines: [{ ...cancelled, cancelled: false }] });
  const after = await told();
  expect(after).toMatchObject({ status: "cancelled", errorCode: "BACKGROUND_CANCELLED", owner: null });
  expect(after["elapsedMs"]).toBeLessThan(600_000);
  expect((await told())["elapsedMs"]).toBe(after["elapsedMs"]);
});
