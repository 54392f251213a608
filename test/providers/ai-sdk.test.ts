/** What goes out to real providers: each request as a server gets it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Model, ModelContext } from "../../src/providers/index.ts";
import { promptOf } from "../../src/providers/models/ai-sdk-prompt.ts";
import { anthropicProtocol, compatibleProtocol, responsesProtocol } from "./protocols.ts";
import { ask, contextOf, startRawServer, streaming } from "./support.ts";
import type { RawServer } from "./support.ts";
import { messages, responses } from "./wire.ts";

let server: RawServer;
beforeAll(async () => {
  server = await startRawServer();
});
beforeEach(() => {
  server.bodies.length = 0;
});
afterAll(() => server.close());

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const conversation: ModelContext = {
  ...contextOf("Look at a.png"),
  messages: [
    { role: "user", content: [{ type: "text", text: "Look at a.png" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "" },
        { type: "tool_call", callId: "call_00000000000000a1", name: "read", args: { path: "a.png" } },
        {
          type: "tool_call",
          callId: "call_00000000000000a2",
          name: "read",
          args: null,
          argumentsText: '{"pa',
        },
      ],
    },
    {
      role: "tool",
      results: [
        {
          callId: "call_00000000000000a1",
          name: "read",
          content: [
            { type: "text", text: "a.png" },
            { type: "image", data: PIXEL, mimeType: "image/png" },
          ],
          isError: false,
        },
        {
          callId: "call_00000000000000a2",
          name: "read",
          content: [{ type: "text", text: "Tool arguments were incomplete" }],
          isError: true,
        },
      ],
    },
    { role: "assistant", content: [] },
    { role: "user", content: [{ type: "text", text: "" }] },
    { role: "user", content: [{ type: "text", text: "And?" }] },
  ],
};

async function bodyOf(
  model: Model,
  answer: string,
  context = conversation,
): Promise<Record<string, unknown>> {
  server.handle = streaming([answer]);
  const { answer: got } = await ask(model, { maxOutputTokens: 100, temperature: 0.5 }, context);
  expect(got.type).toBe("answered");
  return server.bodies.at(-1) as Record<string, unknown>;
}

describe("a conversation as a server gets it", () => {
  test("Anthropic: results hold their image, errors are marked, the prompt is marked for the cache", async () => {
    const body = await bodyOf(
      anthropicProtocol.model(server.url),
      messages.answer({ text: ["ok"], finish: "end_turn" }),
    );

    expect(body).toMatchObject({
      model: "wire-1",
      max_tokens: 100,
      system: [{ type: "text", text: "You are a test.", cache_control: { type: "ephemeral" } }],
      tools: [{ name: "bash", description: "Runs a command", input_schema: { required: ["command"] } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Look at a.png" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "call_00000000000000a1", name: "read", input: { path: "a.png" } },
            { type: "tool_use", id: "call_00000000000000a2", name: "read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_00000000000000a1",
              content: [
                { type: "text", text: "a.png" },
                { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
              ],
            },
            {
              type: "tool_result",
              tool_use_id: "call_00000000000000a2",
              content: "Tool arguments were incomplete",
              is_error: true,
            },
            { type: "text", text: "And?", cache_control: { type: "ephemeral" } },
          ],
        },
      ],
    });
  });

  test("chat: the images of results follow in a message of the user's", async () => {
    const body = await bodyOf(
      compatibleProtocol.model(server.url),
      compatibleProtocol.answer({ text: ["ok"], finish: "stop" }),
    );

    expect(body).toMatchObject({
      model: "wire-1",
      max_tokens: 100,
      temperature: 0.5,
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: "function", function: { name: "bash" } }],
      messages: [
        { role: "system", content: "You are a test." },
        { role: "user", content: "Look at a.png" },
        {
          role: "assistant",
          tool_calls: [
            { id: "call_00000000000000a1", function: { name: "read", arguments: '{"path":"a.png"}' } },
            { id: "call_00000000000000a2", function: { name: "read", arguments: "{}" } },
          ],
        },
        {
          role: "tool",
          tool_call_id: "call_00000000000000a1",
          content: "a.png\n[image: see the next message]",
        },
        { role: "tool", tool_call_id: "call_00000000000000a2", content: "Tool arguments were incomplete" },
        {
          role: "user",
          content: [
            { type: "text", text: "Images from read (call_00000000000000a1):" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        { role: "user", content: "And?" },
      ],
    });
  });

  test("Responses: the server is asked to keep nothing", async () => {
    const body = await bodyOf(
      responsesProtocol.model(server.url),
      responses.answer({ text: ["ok"], finish: "completed" }),
    );

    expect(body).toMatchObject({
      store: false,
      max_output_tokens: 100,
      input: [
        { role: "system", content: "You are a test." },
        { role: "user" },
        { type: "function_call", call_id: "call_00000000000000a1", arguments: '{"path":"a.png"}' },
        { type: "function_call", call_id: "call_00000000000000a2", arguments: "{}" },
        { type: "function_call_output", call_id: "call_00000000000000a1" },
        { type: "function_call_output", call_id: "call_00000000000000a2" },
        { role: "user" },
      ],
    });
  });

  test("no tools and no system prompt are left out", async () => {
    const bare = { systemPrompt: "", messages: contextOf().messages, tools: [] };
    const body = await bodyOf(
      compatibleProtocol.model(server.url),
      compatibleProtocol.answer({ text: ["ok"], finish: "stop" }),
      bare,
    );

    expect(body).not.toHaveProperty("tools");
    expect(body).toMatchObject({ messages: [{ role: "user" }] });
  });
});

describe("what a provider wants to see again", () => {
  const thinking = [
    { type: "message_start", message: { id: "m", model: "wire-1", usage: { input_tokens: 1 }, content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "cmVk" } },
    { type: "content_block_stop", index: 1 },
    { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "Yes." } },
    { type: "content_block_stop", index: 2 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];

  test("Anthropic's thinking survives the log, signature and all", async () => {
    const model = anthropicProtocol.model(server.url);
    server.handle = streaming(
      thinking.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
    const { answer } = await ask(model);
    if (answer.type !== "answered") expect.fail(JSON.stringify(answer));
    expect(answer.content).toEqual([
      { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "c2ln" } } },
      { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "cmVk" } } },
      { type: "text", text: "Yes." },
    ]);

    const recorded = JSON.parse(JSON.stringify(answer.content)) as typeof answer.content;
    const body = await bodyOf(model, messages.answer({ text: ["ok"], finish: "end_turn" }), {
      ...contextOf(),
      messages: [
        ...contextOf().messages,
        { role: "assistant", content: recorded },
        { role: "user", content: [{ type: "text", text: "Sure?" }] },
      ],
    });
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "redacted_thinking", data: "cmVk" },
          { type: "text", text: "Yes." },
        ],
      },
      { role: "user" },
    ]);
  });

  test("thinking without metadata is not sent back", () => {
    const prompt = promptOf(
      {
        systemPrompt: "",
        messages: [{ role: "assistant", content: [{ type: "reasoning", text: "Hm." }] }],
        tools: [],
      },
      { imagesInResults: false },
    );
    expect(prompt).toEqual([]);
  });
});
