/** Every way in which something goes wrong, and what of it may be recorded. */
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failureFrom, NoApiKeyError } from "../../src/providers/models/failure.ts";
import { anthropicProtocol, compatibleProtocol, responsesProtocol } from "./protocols.ts";
import { ask, ManualClock, startRawServer, streaming } from "./support.ts";
import type { RawServer } from "./support.ts";
import { chat, messages, responses } from "./wire.ts";

const clock = new ManualClock();

function apiError(options: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({
    message: "the prompt was: hunter2",
    url: "http://x/?key=hunter2",
    requestBodyValues: { key: "hunter2" },
    responseBody: '{"error":{"message":"hunter2"}}',
    ...options,
  });
}

function withCode(code: string): Error {
  return Object.assign(new Error("hunter2"), { code });
}

describe("an error", () => {
  test.each([
    [apiError({ statusCode: 429, responseHeaders: { "retry-after": "2" } }), "rate_limited", 429, 2_000],
    [apiError({ statusCode: 400 }), "bad_request", 400, null],
    [apiError({ cause: withCode("ECONNREFUSED"), isRetryable: true }), "connection", null, null],
    [
      apiError({ statusCode: 200, cause: withCode("ECONNRESET"), isRetryable: true }),
      "connection",
      null,
      null,
    ],
    [apiError({ statusCode: 200, isRetryable: true }), "connection", null, null],
    [new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }), "connection", null, null],
    [new TypeError("fetch failed", { cause: withCode("UND_ERR_HEADERS_TIMEOUT") }), "timeout", null, null],
    [withCode("ETIMEDOUT"), "timeout", null, null],
    [new EmptyResponseBodyError(), "incomplete_stream", null, null],
    [new InvalidResponseDataError({ data: undefined }), "incomplete_stream", null, null],
    [new InvalidResponseDataError({ data: { id: null } }), "malformed_stream", null, null],
    [new JSONParseError({ text: "hunter2", cause: null }), "malformed_stream", null, null],
    [new TypeValidationError({ value: "hunter2", cause: null }), "malformed_stream", null, null],
    [new UnsupportedFunctionalityError({ functionality: "hunter2" }), "bad_request", null, null],
    [{ type: "overloaded_error", message: "hunter2" }, "overloaded", null, null],
    [{ type: "rate_limit_error" }, "rate_limited", null, null],
    [{ type: "api_error" }, "server_error", null, null],
    [{ type: "authentication_error" }, "auth", null, null],
    [{ type: "invalid_request_error" }, "bad_request", null, null],
    [{ type: "error", error: { type: "overloaded_error" } }, "overloaded", null, null],
    [{ code: 503 }, "overloaded", 503, null],
    [{ code: "429" }, "rate_limited", 429, null],
    [{ error: { code: 500 } }, "server_error", 500, null],
    [{ code: "context_length_exceeded", type: "invalid_request_error" }, "context_too_long", null, null],
  ])("%o in a stream", (error, failureClass, status, retryAfterMs) => {
    const failure = failureFrom(error, "stream", clock);

    expect(failure).toMatchObject({ class: failureClass, status, retryAfterMs });
    expect(JSON.stringify(failure)).not.toContain("hunter2");
  });

  test.each([new Error("odd"), "odd", null, undefined, 7, {}, { message: "odd" }])(
    "%o that says nothing is a broken stream when the answer had begun, and else unknown",
    (error) => {
      expect(failureFrom(error, "stream", clock).class).toBe("incomplete_stream");
      expect(failureFrom(error, "request", clock).class).toBe("unknown");
    },
  );

  test.each([
    [
      "Anthropic",
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 215000 tokens > 200000 maximum",
        },
      },
    ],
    [
      "Anthropic, with its answer",
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        },
      },
    ],
    ["OpenAI", { error: { code: "context_length_exceeded", type: "invalid_request_error", message: "m" } }],
    [
      "a server of vLLM",
      {
        object: "error",
        type: "BadRequestError",
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      },
    ],
    [
      "llama.cpp",
      {
        error: { code: 400, type: "exceed_context_size_error", message: "the request exceeds the available" },
      },
    ],
    [
      "Google",
      {
        error: {
          code: 400,
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
        },
      },
    ],
    [
      "xAI",
      { error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens." },
    ],
  ])("of a request that is too long is known by what is said of it: %s", (_who, body) => {
    const refused = apiError({ statusCode: 400, responseBody: JSON.stringify(body) });
    expect(failureFrom(refused, "request", clock)).toEqual({
      class: "context_too_long",
      status: 400,
      retryable: false,
      retryAfterMs: null,
    });
    const inStream = failureFrom(body, "stream", clock);
    if ("error" in body && typeof body.error === "object") expect(inStream.class).toBe("context_too_long");
  });

  test("that speaks of length and is something else stays what it is", () => {
    const said = JSON.stringify({ error: { message: "prompt is too long" } });
    expect(failureFrom(apiError({ statusCode: 429, responseBody: said }), "request", clock).class).toBe(
      "rate_limited",
    );
    const other = JSON.stringify({ error: { message: "max_tokens is too large" } });
    expect(failureFrom(apiError({ statusCode: 400, responseBody: other }), "request", clock).class).toBe(
      "bad_request",
    );
  });

  test("of a key that is missing names the variable", () => {
    expect(failureFrom(new NoApiKeyError("openai/x", "OPENAI_API_KEY"), "request", clock)).toEqual({
      class: "no_api_key",
      status: null,
      retryable: false,
      retryAfterMs: null,
      apiKeyEnv: "OPENAI_API_KEY",
    });
  });

  test("with causes in a circle is looked at once", () => {
    const error = new Error("a");
    error.cause = new Error("b", { cause: error });
    expect(failureFrom(error, "request", clock).class).toBe("unknown");
  });

  test("of any shape becomes a failure of few words", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom("request" as const, "stream" as const), (error, phase) => {
        const failure = failureFrom(error, phase, clock);
        expect(Object.keys(failure).toSorted()).toEqual(["class", "retryAfterMs", "retryable", "status"]);
        expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
      }),
    );
  });
});

describe("an error in a good response", () => {
  let server: RawServer;
  beforeAll(async () => {
    server = await startRawServer();
  });
  afterAll(() => server.close());

  const begun = { text: ["half "] };
  test.each([
    [
      "Anthropic, overloaded, first",
      anthropicProtocol,
      "",
      messages.error({ type: "overloaded_error", message: "m" }),
      "overloaded",
    ],
    [
      "Anthropic, bad, first",
      anthropicProtocol,
      "",
      messages.error({ type: "invalid_request_error", message: "m" }),
      "bad_request",
    ],
    [
      "Anthropic, server's, first",
      anthropicProtocol,
      "",
      messages.error({ type: "api_error", message: "m" }),
      "server_error",
    ],
    [
      "Anthropic, overloaded, later",
      anthropicProtocol,
      messages.answer(begun),
      messages.error({ type: "overloaded_error", message: "m" }),
      "overloaded",
    ],
    ["chat, a number, first", compatibleProtocol, "", chat.error({ message: "m", code: 503 }), "overloaded"],
    [
      "chat, a number, later",
      compatibleProtocol,
      chat.answer(begun),
      chat.error({ message: "m", code: 429 }),
      "rate_limited",
    ],
    [
      "chat, a word, later",
      compatibleProtocol,
      chat.answer(begun),
      chat.error({ message: "m", type: "server_error", code: null }),
      "server_error",
    ],
    [
      "Responses, first",
      responsesProtocol,
      "",
      responses.error({ type: "server_error", code: "server_error", message: "m" }),
      "server_error",
    ],
    [
      "Responses, later",
      responsesProtocol,
      responses.answer(begun),
      responses.error({ type: "rate_limit", code: "rate_limit_exceeded", message: "m" }),
      "rate_limited",
    ],
  ] as const)("%s", async (_name, protocol, before, error, failureClass) => {
    server.handle = streaming([
      before,
      error,
      protocol.answer({ text: ["rest"], finish: protocol.words.stop }),
    ]);
    const { answer } = await ask(protocol.model(server.url));

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: failureClass },
      partialText: before === "" ? "" : "half ",
    });
  });
});
