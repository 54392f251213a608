/** What mock servers can't do, done by hand over a real socket, for each protocol and provider. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compatibleProtocol, protocols } from "./protocols.ts";
import { ask, cutAt, startRawServer, streaming, textOf, utf8 } from "./support.ts";
import type { RawServer } from "./support.ts";

let server: RawServer;
beforeAll(async () => {
  server = await startRawServer();
});
afterAll(() => server.close());

const SPLIT_CASE_TEXT = "h\u00e9llo \u4f60\u597d \ud83c\udf0d";

describe.each(protocols)("$name", ({ name, answer: wire, model: modelAt, words }) => {
  const whole = wire({
    text: ["h\u00e9llo ", "\u4f60\u597d", " \ud83c\udf0d"],
    calls: [{ id: "call_1", name: "bash", args: ['{"command"', ':"echo \u4f60"}'] }],
    finish: words.calls,
  });
  const bytes = utf8.encode(whole);

  test("a whole stream is an answer", async () => {
    server.handle = streaming([whole]);
    const { answer, deltas } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({
      type: "answered",
      calls: [{ providerCallId: "call_1", name: "bash", argumentsText: '{"command":"echo \u4f60"}' }],
      finishReason: "tool_calls",
      usage: { inputTokens: 11, outputTokens: 7, cachedInputTokens: 0, reasoningTokens: 0 },
      modelId: "wire-1",
    });
    expect(textOf(answer)).toBe(SPLIT_CASE_TEXT);
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
    expect(deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join("")).toBe(SPLIT_CASE_TEXT);
    expect(deltas).toContainEqual({ type: "tool_call", name: "bash" });
  });

  test("a stream that arrives byte by byte gives the same answer", async () => {
    server.handle = streaming([whole]);
    const { answer: expected } = await ask(modelAt(server.url));
    server.handle = streaming(cutAt(bytes, [...bytes.keys()]));
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toEqual(expected);
  });

  test("any cutting of the stream into pieces gives the same answer", async () => {
    server.handle = streaming([whole]);
    const { answer: expected } = await ask(modelAt(server.url));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        server.handle = streaming(cutAt(bytes, cuts));
        const { answer } = await ask(modelAt(server.url));
        expect(answer).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  test("a stream that ends early at any byte is a failure to be tried again, never an answer", async () => {
    // Enough bytes from the end to be before the finish, whatever the protocol says after it.
    const lastPiece = bytes.length - utf8.encode(wire({ finish: words.calls })).length;
    const step = Math.max(1, Math.floor(lastPiece / 40));
    for (let end = 0; end < lastPiece; end += step) {
      server.handle = streaming([bytes.subarray(0, end)]);
      const { answer } = await ask(modelAt(server.url));
      expect(answer, `cut at ${String(end)}`).toMatchObject({
        type: "failed",
        failure: {
          class: expect.stringMatching(/^(incomplete|malformed)_stream$/) as string,
          retryable: true,
        },
      });
    }
  });

  test("a call is not handed out when the stream ends before its finish", async () => {
    const early = wire({
      text: ["Cleaning up."],
      calls: [{ id: "call_1", name: "bash", args: ['{"command":"rm -rf build'] }],
    });
    server.handle = streaming([early]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toEqual({
      type: "failed",
      failure: { class: "incomplete_stream", status: null, retryable: true, retryAfterMs: null },
      partialText: "Cleaning up.",
      usage: expect.anything() as object,
    });
  });

  test("the length limit inside the arguments is an answer whose call is cut off", async () => {
    const cut = '{"path":"notes.txt","content":"line one\\nline t';
    server.handle = streaming([
      wire({ calls: [{ id: "call_1", name: "write", args: [cut] }], finish: words.length }),
    ]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({
      type: "answered",
      finishReason: "length",
      calls: [{ name: "write", argumentsText: cut }],
    });
  });

  test("a call that the length limit cut off before its arguments can't be taken for one without arguments", async () => {
    server.handle = streaming([
      wire({ calls: [{ id: "call_1", name: "write", args: [] }], finish: words.length }),
    ]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "answered", calls: [{ name: "write", argumentsText: "{" }] });
  });

  test("a call without arguments in a good answer has none", async () => {
    server.handle = streaming([
      wire({ calls: [{ id: "call_1", name: "ls", args: [] }], finish: words.calls }),
    ]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({
      type: "answered",
      calls: [{ name: "ls", argumentsText: expect.stringMatching(/^(\{\})?$/) as string }],
    });
  });

  test("arguments that are no JSON are passed on as they are", async () => {
    server.handle = streaming([
      wire({ calls: [{ id: "call_1", name: "bash", args: ["{command: ls}"] }], finish: words.calls }),
    ]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "answered", calls: [{ argumentsText: "{command: ls}" }] });
  });

  test("an unknown tool and a known one are both handed out, in order", async () => {
    const calls = ["reed", "read"].map((name, index) => ({
      id: `call_${String(index + 1)}`,
      name,
      args: ['{"path":"a.txt"}'],
    }));
    server.handle = streaming([wire({ calls, finish: words.calls })]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "answered", calls: [{ name: "reed" }, { name: "read" }] });
  });

  test("two calls with the same id are two calls", async () => {
    const calls = ["a.txt", "b.txt"].map((path) => ({
      id: "call_1",
      name: "read",
      args: [`{"path":"${path}"}`],
    }));
    server.handle = streaming([wire({ calls, finish: words.calls })]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({
      type: "answered",
      calls: [
        { name: "read", argumentsText: '{"path":"a.txt"}' },
        { name: "read", argumentsText: '{"path":"b.txt"}' },
      ],
    });
  });

  // Only chat servers leave the id out; for the other protocols it is not a valid event.
  test.each(name.endsWith("chat") ? ["", null] : [""])("a call with the id %j is not lost", async (id) => {
    server.handle = streaming([wire({ calls: [{ id, name: "ls", args: ["{}"] }], finish: words.calls })]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "answered", calls: [{ name: "ls", argumentsText: "{}" }] });
  });

  test("a good finish without content is a valid empty answer", async () => {
    server.handle = streaming([wire({ finish: words.stop })]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "answered", content: [], calls: [], finishReason: "stop" });
  });

  test("a filtered answer is an answer that says so", async () => {
    server.handle = streaming([wire({ text: ["I can"], finish: words.filter })]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "answered", finishReason: "content_filter" });
  });

  test("a malformed line makes the answer a failure although the stream finishes well", async () => {
    const good = wire({ text: ["one", "two"], finish: words.stop });
    const middle = good.indexOf("\n\n", good.indexOf("one")) + 2;
    server.handle = streaming([`${good.slice(0, middle)}data: {"half": \n\n${good.slice(middle)}`]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "malformed_stream", retryable: true, status: null },
      partialText: "one",
    });
  });

  test("a malformed first line is a failure to be tried again", async () => {
    const good = wire({ text: ["one"], finish: words.stop });
    server.handle = streaming([`data: {"half": \n\n${good}`]);
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({ type: "failed", failure: { class: "malformed_stream", retryable: true } });
  });

  test.each([
    ["an empty body", ""],
    ["a page of HTML", "<!doctype html><html><body>Welcome to the proxy</body></html>"],
    ["only a comment", ": keep-alive\n\n"],
  ])("%s with status 200 is a failure to be tried again", async (_kind, body) => {
    server.handle = (response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(body);
    };
    const { answer } = await ask(modelAt(server.url));

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "incomplete_stream", retryable: true, status: null },
      partialText: "",
    });
  });

  test("a connection that is reset in mid-stream is a failure of the connection", async () => {
    const early = wire({ text: ["half an "] });
    server.handle = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(early);
      // Reset only once the reader has the text, so that there is something to lose.
      reset = () => response.socket?.resetAndDestroy();
    };
    let reset: () => void = () => undefined;
    const { answer } = await ask(modelAt(server.url), { onDelta: () => reset() });

    expect(answer).toMatchObject({
      type: "failed",
      failure: { class: "connection", retryable: true, status: null },
      partialText: "half an ",
    });
  });

  test("a server that is not there is a failure of the connection", async () => {
    const gone = await startRawServer();
    await gone.close();
    const { answer } = await ask(modelAt(gone.url));

    expect(answer).toMatchObject({ type: "failed", failure: { class: "connection", retryable: true } });
  });

  test.each([undefined, new Error("why")])(
    "an abort in mid-stream is an abort (reason: %s)",
    async (reason) => {
      const controller = new AbortController();
      const early = wire({ text: ["half an "] });
      server.handle = (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(early); // and never ends
      };
      const { answer } = await ask(modelAt(server.url), {
        signal: controller.signal,
        onDelta: () => controller.abort(reason),
      });

      expect(answer).toEqual({ type: "aborted", partialText: "half an " });
    },
  );

  test("an abort before the server answers is an abort", async () => {
    const controller = new AbortController();
    server.handle = () => controller.abort(new Error("why"));
    const { answer } = await ask(modelAt(server.url), { signal: controller.signal });

    expect(answer).toEqual({ type: "aborted", partialText: "" });
  });

  test.each([
    [400, "bad_request", false],
    [401, "auth", false],
    [403, "auth", false],
    [404, "not_found", false],
    [408, "timeout", true],
    [409, "conflict", true],
    [413, "context_too_long", false],
    [429, "rate_limited", true],
    [500, "server_error", true],
    [502, "server_error", true],
    [503, "overloaded", true],
    [504, "timeout", true],
    [529, "overloaded", true],
  ])(
    "status %i is %s, retryable: %s, and nothing of the body gets out",
    async (status, failureClass, retryable) => {
      server.handle = (response) => {
        response.writeHead(status, { "content-type": "application/json", "retry-after": "7" });
        response.end(JSON.stringify({ type: "error", error: { type: "x", message: "secret-in-the-body" } }));
      };
      const { answer } = await ask(modelAt(server.url));

      expect(answer).toEqual({
        type: "failed",
        failure: { class: failureClass, status, retryable, retryAfterMs: 7_000 },
        partialText: "",
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
      });
      expect(server.bodies).not.toHaveLength(0);
    },
  );
});

describe("the stream that is split inside a character", () => {
  const body = readFileSync(new URL("../fixtures/cases/event-stream.bin", import.meta.url));
  const { text } = JSON.parse(body.toString().split("\n")[0]?.replace("data: ", "") ?? "") as {
    text: string;
  };
  const event = body.subarray(0, body.indexOf("\n\n"));

  /** The case's own event, byte for byte, where the protocol has its delta. */
  function wrapped(): { bytes: Uint8Array; at: number } {
    const whole = utf8.encode(compatibleProtocol.answer({ text: [text], finish: "stop" }));
    const inner = event.subarray(event.indexOf('"h'), event.lastIndexOf("}"));
    const at = Buffer.from(whole).indexOf(inner) - event.indexOf('"h');
    return { bytes: whole, at };
  }

  test.each([
    ["whole", []],
    ["at the offsets of the case", [3, 18, 25, 31, 49]],
    ["one byte at a time", [...event.keys()]],
  ])("arriving %s, it gives one text without replacement characters", async (_name, cuts) => {
    const { bytes, at } = wrapped();
    server.handle = streaming(
      cutAt(
        bytes,
        cuts.map((cut) => at + cut),
      ),
    );
    const { answer } = await ask(compatibleProtocol.model(server.url));

    expect(textOf(answer)).toBe(SPLIT_CASE_TEXT);
    expect(textOf(answer)).not.toContain("\uFFFD");
  });
});
