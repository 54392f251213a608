/** A side query beside a turn that streams, over real sockets. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import type { Runtime, Session } from "../../src/runtime/index.ts";
import { factsOf, scriptedRuntime } from "../support/runtimes.ts";

const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());

const LONG = "All of the story, told a word at a time. ".repeat(20);

function isAsking({ messages }: { messages: readonly { content?: unknown }[] }): boolean {
  return JSON.stringify(messages.at(-1)).includes("What are you at?");
}

/** The story takes 40 pieces of 15 ms; the answer to a question comes at once. */
function tellTheStory(): void {
  mock.clearFixtures();
  mock.clearRequests();
  mock.addFixture({
    match: { predicate: isAsking },
    response: { content: "Telling a story." },
    chunkSize: 100,
  });
  mock.addFixture({
    match: { predicate: (request) => !isAsking(request) },
    response: { content: LONG },
    chunkSize: Math.ceil(LONG.length / 40),
    latency: 15,
  });
}

async function opened(): Promise<{ readonly runtime: Runtime; readonly session: Session }> {
  const env = {
    OPENAI_BASE_URL: `${mock.url}/v1`,
    OPENAI_API_KEY: "key-of-a-test",
    LEMON_CHECKPOINTS_EXPORT: "false",
  };
  const runtime = await scriptedRuntime(":memory:", [], { env });
  const session = await runtime.sessions.start({ sessionId: "s", model: "openai/mock-1" });
  return { runtime, session };
}

/** What a fact says apart from when, which and how large. */
const shapes = (facts: readonly Fact[]): string[] =>
  facts.map(({ version, type, kind, causation }) => JSON.stringify([version, type, kind, causation]));

test(
  "is answered while the turn goes on, which ends as if nobody had asked",
  { timeout: 60_000 },
  async () => {
    tellTheStory();
    const alone = await opened();
    expect((await alone.session.prompt("Tell it")).text).toBe(LONG);
    const expected = shapes(await factsOf(alone.runtime.log, "session-s"));
    await alone.runtime.close();

    tellTheStory();
    const { runtime, session } = await opened();
    const streaming = new Promise<void>((resolve) => {
      session.subscribe(({ type }) => {
        if (type === "message_update") resolve();
      });
    });
    const events: string[] = [];
    session.subscribe(({ type }) => void events.push(type));
    const turn = session.prompt("Tell it");
    await streaming;
    const before = session.state().version;
    const seen = events.length;
    const answer = await runtime.sideQuery.ask(session, "What are you at?", { timeoutMs: 10_000 });
    expect(answer).toMatchObject({ text: "Telling a story.", sourceVersion: before, model: "openai/mock-1" });
    // The turn was still at it: it has told more since, and recorded nothing.
    expect(session.state()).toMatchObject({ status: "running", version: before });
    expect(await factsOf(runtime.log, "session-s")).toHaveLength(before);
    expect((await turn).text).toBe(LONG);
    expect(events.slice(seen)).not.toContain("message_discarded");
    expect(shapes(await factsOf(runtime.log, "session-s"))).toEqual(expected);

    const asked = mock.getRequests().find(({ body }) => body !== null && isAsking(body as never))
      ?.body as unknown as Record<string, unknown>;
    expect(asked).not.toHaveProperty("tools");
    expect(asked["messages"]).toMatchObject([
      { role: "system" },
      { role: "user", content: "Tell it" },
      { role: "user", content: "What are you at?" },
    ]);
    await runtime.close();
  },
);

test("whose own answer takes too long ends in time, and the turn goes on", { timeout: 60_000 }, async () => {
  mock.clearFixtures();
  mock.addFixture({
    match: { predicate: () => true },
    response: { content: LONG },
    chunkSize: Math.ceil(LONG.length / 40),
    latency: 15,
  });
  const { runtime, session } = await opened();
  const turn = session.prompt("Tell it");
  await expect(runtime.sideQuery.ask(session, "What are you at?", { timeoutMs: 100 })).rejects.toMatchObject({
    code: "LEMON_TIMEOUT",
  });
  expect(session.state().status).toBe("running");
  expect((await turn).text).toBe(LONG);
  await runtime.close();
});
