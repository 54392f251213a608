/** Logs that other versions wrote: old shapes are read as new ones, unknown types are carried, newer ones are refused. */
import { copyFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { NewFact } from "../../src/events/index.ts";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import { stateAt, verifyReplay } from "../../src/replay/index.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";
import { promptsIn, recorded } from "./session.ts";

const stream = "session-prompt-v1";
const turns = [{}, {}, { text: "Hello again." }];

/** A copy of the fixture, open. */
async function oldLog(): Promise<EventLog> {
  const copy = path.join(temporaryFolder(), "log.db");
  copyFileSync(path.resolve(import.meta.dirname, "../fixtures/logs/prompt-v1.db"), copy);
  const log = await openEventLog(copy);
  onTestFinished(() => log.close());
  return log;
}

/** A fact as some other version would write it. */
function foreign(type: string, schemaVersion: number, data: object): NewFact {
  const text = JSON.stringify(data);
  return {
    type,
    schemaVersion,
    data,
    text,
    kind: "input",
    actor: "caller",
    causation: null,
    correlation: null,
  };
}

test("a prompt of schema version 1 replays, is shown, and its session goes on", async () => {
  const log = await oldLog();
  const before = await factsOf(log, stream);
  expect(before.find(({ type }) => type === "prompt.submitted")).toMatchObject({
    schemaVersion: 1,
    data: { text: "Say hello" },
  });
  expect(await verifyReplay(log, "prompt-v1")).toMatchObject({ facts: before.length, divergences: [] });
  const { messages } = await stateAt(log, stream);
  expect(messages[0]).toMatchObject({ role: "user", content: [{ type: "text", text: "Say hello" }] });

  const { model, requests } = recorded(turns);
  const runtime = await scriptedRuntime(log, [], { models: { s: model } });
  const session = await runtime.sessions.resume("prompt-v1");
  expect(await session.outcome()).toMatchObject({ status: "completed", text: "It says hello." });
  expect(await session.prompt("And again")).toMatchObject({ status: "completed", text: "Hello again." });
  await runtime.close();
  expect(promptsIn(requests[0])).toEqual(["Say hello", "And again"]);
  expect((await verifyReplay(log, "prompt-v1")).divergences).toEqual([]);
  expect((await factsOf(log, stream)).slice(0, before.length)).toEqual(before);
});

test("a fact of an unknown type in a session is carried, shown and passed over", async () => {
  const log = await oldLog();
  await log.append(stream, "any", [foreign("weather.observed", 3, { sky: "clear" })]);
  const { divergences, facts } = await verifyReplay(log, "prompt-v1");
  expect(divergences).toEqual([]);
  expect((await stateAt(log, stream)).version).toBe(facts);

  const { model } = recorded(turns);
  const runtime = await scriptedRuntime(log, [], { models: { s: model } });
  const session = await runtime.sessions.resume("prompt-v1");
  expect(await session.prompt("And again")).toMatchObject({ status: "completed" });
  await runtime.close();
  expect((await verifyReplay(log, "prompt-v1")).divergences).toEqual([]);
  expect(await factsOf(log, stream)).toContainEqual(
    expect.objectContaining({ type: "weather.observed", schemaVersion: 3, data: { sky: "clear" } }),
  );
});

test("a known fact of a newer schema version is refused, with both versions named", async () => {
  const log = await oldLog();
  await log.append(stream, "any", [foreign("prompt.submitted", 9, { thought: "of tomorrow" })]);
  const refusal = {
    code: "LEMON_SCHEMA_NEWER",
    message: expect.stringMatching(/version 9.* knows 2/) as string,
  };
  await expect(verifyReplay(log, "prompt-v1")).rejects.toMatchObject(refusal);
  await expect(stateAt(log, stream)).rejects.toMatchObject(refusal);
  const runtime = await scriptedRuntime(log, turns);
  await expect(runtime.sessions.resume("prompt-v1")).rejects.toMatchObject(refusal);
  await runtime.close();
});
