/** A process loses its lease in the middle of a run, and another one takes that over. docs/reference/background-runs.md */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Fact } from "../../../src/events/index.ts";
import { WORKER_LEASE } from "../../../src/harness/index.ts";
import { openEventLog, type EventLog } from "../../../src/log/index.ts";
import type { Runtime } from "../../../src/runtime/index.ts";
import type { Clock } from "../../../src/ports.ts";
import { systemClock } from "../../../src/supervision/index.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../../support/runtimes.ts";

/** A tool that tells of itself in files: when it begins, when it is stopped, and what it did if it was not. */
const SLOW = `
import { appendFileSync } from "node:fs";
export default {
  name: "slow",
  version: "1.0.0",
  tools: [{
    name: "slow",
    description: "takes as long as it is let",
    parameters: { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] },
    execute: async (_id, { folder }, signal) => {
      appendFileSync(folder + "/began", "x");
      await new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", resolve, { once: true });
      });
      appendFileSync(folder + "/stopped", "x");
      return { content: [{ type: "text", text: "it came late" }] };
    },
  }],
};
`;

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("the old owner stops its tool and writes nothing more; the new one goes on, and the answer is there once", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "log.db");
  const extension = path.join(folder, "slow.mjs");
  writeFileSync(extension, SLOW);
  mkdirSync(path.join(folder, "home"));
  let skipped = 0;
  const now = (): number => Date.now() + skipped;
  const open = (): Promise<EventLog> => openEventLog(file, { now });
  const logs = [await open(), await open()] as const;
  const home = path.join(folder, "home");
  let isBeating = true;
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    setTimer: (ms, fire, isBackground) => systemClock.setTimer(ms, () => isBeating && fire(), isBackground),
  };
  const role = "worker" as const;
  const first = await scriptedRuntime(logs[0], [], {
    home,
    clock,
    background: { role, leaseKey: WORKER_LEASE },
  });
  const turns = [{ toolCalls: [{ name: "slow", args: { folder } }] }, { text: "Done." }];
  const { id } = await first.background.start("Do it", {
    script: { path: "script.json", text: JSON.stringify({ turns }) },
    extensions: [extension],
    approval: "auto",
    worker: "detached",
  });
  await until(() => existsSync(path.join(folder, "began")));
  isBeating = false;
  skipped = 60_000;
  const second = await scriptedRuntime(logs[1], [], { home, background: { role, leaseKey: "the-next" } });
  const result = async ({ background }: Runtime): Promise<string> => (await background.status(id)).status;
  await until(async () => (await result(second)) === "completed");
  await until(() => existsSync(path.join(folder, "stopped")));
  // It was begun once, although nobody knows how far it came.
  expect(readFileSync(path.join(folder, "began"), "utf8")).toBe("x");
  expect(await second.background.status(id)).toMatchObject({ status: "completed", attempt: 2 });
  expect(await second.background.result(id)).toMatchObject({ text: "Done.", ready: true });
  await first.close();
  const facts = await factsOf(logs[1], `session-${id}`);
  const types = facts.map(({ type }: Fact) => type);
  const count = (type: string): number => types.filter((each) => each === type).length;
  expect({
    prompts: count("prompt.submitted"),
    started: count("tool_call.started"),
    interrupted: count("tool_call.interrupted"),
    returned: count("tool_call.returned"),
    answers: count("model.responded"),
    ends: count("agent.ended"),
  }).toEqual({ prompts: 1, started: 1, interrupted: 1, returned: 0, answers: 2, ends: 1 });
  expect(JSON.stringify(facts)).not.toContain("it came late");
  const told = (await factsOf(logs[1], `background-${id}`)).map(({ type }) => type.slice(15));
  expect(told).toEqual(["queued", "started", "requeued", "started", "completed"]);
  expect((await second.replay.verify(id)).divergences).toEqual([]);
  expect(await logs[1].jobs("background")).toEqual([]);
  await second.close();
  for (const log of logs) await log.close();
});
