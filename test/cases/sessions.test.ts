/** Kills, clocks and parallel edits. Each test is named by the situation that it plays through. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EventLog } from "../../src/log/index.ts";
import { systemClock } from "../../src/supervision/index.ts";
import { countingIds } from "../support/ids.ts";
import { memoryLog, tampered, type Tampering } from "../support/log-doubles.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";
import { idsIn, promptsIn, recorded, resultsIn, startCase } from "./session.ts";

/** The log of a process that dies the moment a fact of this type is durable. Resolves `died` then. */
function dyingAt(log: EventLog, type: string): { readonly log: EventLog; readonly died: Promise<void> } {
  const tampering: Tampering = {};
  let die = (): void => undefined;
  const died = new Promise<void>((resolve) => (die = resolve));
  const append: EventLog["append"] = async (...args) => {
    const facts = await log.append(...args);
    if (facts.some((fact) => fact.type === type)) {
      tampering.killed = true;
      die();
    }
    return facts;
  };
  const watched = new Proxy(log, {
    get(target, name) {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return { log: tampered(watched, tampering), died };
}

test("resume-after-kill-mid-tool: the call is told as interrupted and does not run again", async () => {
  let now = Date.now();
  const log = await memoryLog(() => now);
  const cwd = temporaryFolder();
  const turns = [
    { toolCalls: [{ name: "bash", args: { command: "touch ran-again" }, id: "call_9" }] },
    { text: "I see." },
    { text: "Going on." },
  ];
  const first = dyingAt(log, "tool_call.process_started");
  const killed = await scriptedRuntime(first.log, [], { cwd, models: { s: recorded(turns).model } });
  const { id } = await killed.sessions.start({ model: "s/m" });
  void (await killed.sessions.get(id))?.prompt("begin");
  await first.died;
  const before = await factsOf(log, `session-${id}`);

  now += 60_000; // its lease is over
  const ids = countingIds();
  const { model, requests } = recorded(turns);
  const runtime = await scriptedRuntime(log, [], {
    cwd,
    models: { s: model },
    ids: (prefix) => `${ids(prefix)}b`,
  });
  const session = await runtime.sessions.resume(id);
  expect(await session.outcome()).toMatchObject({ status: "completed", text: "I see." });
  expect(await session.prompt("go on")).toMatchObject({ status: "completed", text: "Going on." });

  const { calls, results } = idsIn(requests.at(-1));
  expect(results).toEqual(calls);
  expect(resultsIn(requests.at(-1))).toMatchObject([
    { isError: true, text: expect.stringContaining("interrupted") as string },
  ]);
  expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
  expect(promptsIn(requests.at(-1))).toEqual(["begin", "go on"]);
  expect((await factsOf(log, `session-${id}`)).slice(0, before.length)).toEqual(before);
  expect(existsSync(path.join(cwd, "ran-again"))).toBe(false);
  await runtime.close();
  await log.close();
});

test("clock-goes-backwards: prompts keep the order in which they were added", async () => {
  const times = [1_000, 2_000, 1_500, 1_500, 1_500, 900];
  const names = times.map((_time, index) => `p${index + 1}`);
  let now = 0;
  const { session, requests, runtime, facts, close } = await startCase(
    names.map((name) => ({ text: `answer to ${name}` })),
    { clock: { ...systemClock, now: () => now } },
  );
  onTestFinished(close);

  for (const [index, name] of names.entries()) {
    now = times[index] ?? 0;
    expect(await session.prompt(name)).toMatchObject({ status: "completed", text: `answer to ${name}` });
  }
  const prompts = (await facts()).filter(({ type }) => type === "prompt.submitted");
  expect(prompts.map(({ at }) => at)).toEqual(times);
  expect(promptsIn(requests.at(-1))).toEqual(names);
  expect((await runtime.replay.verify(session.id)).divergences).toEqual([]);
});

test("parallel-edits-same-file: both changes are in the file, twenty times out of twenty", async () => {
  const files = Array.from({ length: 20 }, (_, index) => `numbers-${index}.txt`);
  const numbers = Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join("");
  const edit = (file: string, oldText: string, newText: string): { name: string; args: object } => ({
    name: "edit",
    args: { path: file, oldText, newText },
  });
  const turns = files.map((file) => ({
    toolCalls: [edit(file, "50", "FIFTY"), edit(file, "75", "SEVENTY-FIVE")],
  }));
  const { cwd, session, requests, close } = await startCase([...turns, { text: "ok" }], {
    files: Object.fromEntries(files.map((file) => [file, numbers])),
  });
  onTestFinished(close);

  expect(await session.prompt("go")).toMatchObject({ status: "completed" });
  for (const [index, file] of files.entries()) {
    expect(resultsIn(requests[index + 1])).toMatchObject([{ isError: false }, { isError: false }]);
    const bytes = readFileSync(path.join(cwd, file));
    expect(bytes.length).toBe(305);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(
      "98d45a2efec6c30fcd896a5d7fc425033fdf1f16729b86b449ff21b97583efa8",
    );
  }
});
