/** A mock server of another's making, so that the protocols are not only what this project believes them to be. */
import { LLMock } from "@copilotkit/aimock";
import type { Fixture } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { protocols } from "./protocols.ts";
import { ask, contextOf, textOf } from "./support.ts";

const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
beforeEach(() => {
  mock.clearFixtures();
  mock.clearChaos();
});

function reply(response: Fixture["response"], options: Omit<Fixture, "match" | "response"> = {}): void {
  mock.addFixture({ match: {}, response, ...options });
}

describe.each(protocols)("$name", ({ model: modelAt }) => {
  test("a text", async () => {
    reply({ content: "Hello \u4f60\u597d \ud83c\udf0d, how are you?" }, { chunkSize: 3 });
    const { answer, deltas } = await ask(modelAt(mock.url));

    expect(textOf(answer)).toBe("Hello \u4f60\u597d \ud83c\udf0d, how are you?");
    expect(answer).toMatchObject({ type: "answered", calls: [], finishReason: "stop" });
    expect(deltas.length).toBeGreaterThan(1);
  });

  test("tool calls", async () => {
    reply({
      toolCalls: [
        { id: "call_a", name: "bash", arguments: '{"command":"ls"}' },
        { id: "call_b", name: "bash", arguments: '{"command":"pwd"}' },
      ],
    });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({
      type: "answered",
      finishReason: "tool_calls",
      calls: [
        { providerCallId: "call_a", name: "bash", argumentsText: '{"command":"ls"}' },
        { providerCallId: "call_b", name: "bash", argumentsText: '{"command":"pwd"}' },
      ],
    });
  });

  test("a rate limit, with the delay that the server asks for", async () => {
    reply({ error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 3 });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "rate_limited", status: 429, retryable: true, retryAfterMs: 3_000 },
    });
  });

  test("chaos: a rate limit", async () => {
    reply({ content: "never said" });
    mock.setChaos({ rateLimitRate: 1 });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({ type: "failed", failure: { class: "rate_limited", status: 429 } });
  });

  test("chaos: a dropped request", async () => {
    reply({ content: "never said" });
    mock.setChaos({ dropRate: 1 });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "server_error", status: 500, retryable: true },
    });
  });

  test("chaos: a connection that is cut before the answer", async () => {
    reply({ content: "never said" });
    mock.setChaos({ disconnectRate: 1 });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({ type: "failed", failure: { class: "connection", retryable: true } });
  });

  test("chaos: a body that is no event stream", async () => {
    reply({ content: "never said" });
    mock.setChaos({ malformedRate: 1 });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({ type: "failed", failure: { retryable: true } });
  });

  test("a stream that is cut off", async () => {
    // Without latency this mock server cuts the connection before the first byte.
    reply({ content: "one two three four five six" }, { chunkSize: 4, latency: 1, truncateAfterChunks: 4 });
    const { answer } = await ask(modelAt(mock.url));

    expect(answer).toMatchObject({
      type: "failed",
      failure: {
        class: expect.stringMatching(/^(connection|incomplete_stream)$/) as string,
        retryable: true,
      },
    });
  });

  test("the next turn of a conversation", async () => {
    mock.onToolResult("call_0000000000000001", { content: "It is clean." });
    const context = contextOf();
    const { answer } = await ask(
      modelAt(mock.url),
      {},
      {
        ...context,
        messages: [
          ...context.messages,
          {
            role: "assistant",
            content: [
              { type: "text", text: "Looking." },
              { type: "tool_call", callId: "call_0000000000000001", name: "bash", args: { command: "ls" } },
            ],
          },
          {
            role: "tool",
            results: [
              {
                callId: "call_0000000000000001",
                name: "bash",
                content: [{ type: "text", text: "" }],
                isError: false,
              },
            ],
          },
        ],
      },
    );

    expect(textOf(answer)).toBe("It is clean.");
  });
});
