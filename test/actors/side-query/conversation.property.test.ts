import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationOf, fitConversation } from "../../../src/actors/side-query/conversation.ts";
import { tokensOfMessage } from "../../../src/actors/session/tokens.ts";
import { noUsage, type Fact, type FactType } from "../../../src/events/index.ts";
import {
  messagesOf,
  project,
  transcript,
  type Transcript,
  type TranscriptMessage,
} from "../../../src/projections/index.ts";
import { rounds } from "../../support/soak.ts";

/** A transcript out of facts, as a session writes them. */
function written(facts: readonly (readonly [FactType, object])[]): Transcript {
  return facts.reduce((view, [type, data], index) => {
    const fact = { type, data, version: index + 1, stream: "session-s" } as unknown as Fact;
    return project(transcript, view, fact);
  }, transcript.initial);
}

const words = fc.string({ maxLength: 60 });
const callsIn = (run: number, turn: number, names: readonly string[]) =>
  names.map((name, index) => ({
    callId: `call_${run}_${turn}_${index}`,
    name,
    args: { secret: `argument-${run}-${turn}` },
    argumentsText: null,
    providerMetadata: null,
  }));

interface Turn {
  readonly said: string;
  readonly calls: readonly string[];
}

const turn: fc.Arbitrary<Turn> = fc.record({
  said: words,
  calls: fc.array(fc.constantFrom("bash", "read"), { maxLength: 2 }),
});

/** Runs of a session; the last may be cut off with calls that have no result, and the oldest may be compacted. */
const session = fc.record({
  runs: fc.array(fc.record({ prompt: words, turns: fc.array(turn, { maxLength: 3 }), answer: words }), {
    maxLength: 8,
  }),
  open: fc.option(turn),
  compactAfter: fc.nat(8),
});

function factsOf({ runs, open, compactAfter }: typeof session extends fc.Arbitrary<infer S> ? S : never) {
  const facts: (readonly [FactType, object])[] = [];
  const answer = (said: string, calls: ReturnType<typeof callsIn>): void =>
    void facts.push([
      "model.responded",
      { content: [{ type: "text", text: said, providerMetadata: null }], calls, usage: noUsage },
    ]);
  runs.forEach(({ prompt, turns, answer: last }, run) => {
    facts.push(["prompt.submitted", { content: [{ type: "text", text: prompt }] }]);
    turns.forEach(({ said, calls }, index) => {
      if (calls.length === 0) return;
      const asked = callsIn(run, index, calls);
      answer(said, asked);
      for (const { callId } of asked) {
        facts.push([
          "tool_call.returned",
          { callId, content: [{ type: "text", text: `result ${callId}` }], isError: false },
        ]);
        facts.push(["tool_call.completed", { callId, content: null, isError: false }]);
      }
    });
    answer(last, []);
    if (run + 1 === compactAfter) {
      const messages = messagesOf(written(facts)).length;
      facts.push(["session.compacted", { summary: "the summary", messages, kept: [] }]);
    }
  });
  if (open !== null && open.calls.length > 0 && runs.length > 0) {
    facts.push(["prompt.submitted", { content: [{ type: "text", text: "open" }] }]);
    answer(open.said, callsIn(99, 0, open.calls));
  }
  return facts;
}

const tokensOf = (message: Parameters<typeof tokensOfMessage>[0]): number =>
  tokensOfMessage(message, JSON.stringify(message));

describe("what fits of a conversation", () => {
  test("is its newest part, within its room; nothing is lost without being counted; results stand with their calls", () => {
    fc.assert(
      fc.property(
        session,
        fc.integer({ min: 0, max: 600 }),
        fc.option(fc.integer({ min: 1, max: 10 })),
        (made, room, limit) => {
          const view = written(factsOf(made));
          const source = conversationOf("", view, limit);
          const fitted = fitConversation(source, room);
          const { unfinished, complete } = parted(source.messages);
          expect(fitted.shown + fitted.leftOut).toBe(complete.length + source.leftOut);
          const shown = complete.slice(complete.length - fitted.shown);
          expect(shown[0]?.role).not.toBe("tool");
          // Within the room, the line that counts what is missing aside.
          const own = fitted.messages.slice(fitted.leftOut > 0 ? 1 : 0);
          expect(own.reduce((sum, message) => sum + tokensOf(message), 0)).toBeLessThanOrEqual(room);
          if (fitted.leftOut > 0)
            expect(JSON.stringify(fitted.messages[0])).toContain(`left out here: ${fitted.leftOut}`);
          else expect(JSON.stringify(fitted.messages)).not.toContain("left out here");
          const text = JSON.stringify(fitted.messages);
          if (unfinished) expect(text).not.toContain("argument-99-0");
          for (const message of fitted.messages) expect(["user", "assistant"]).toContain(message.role);
        },
      ),
      { numRuns: rounds(150, 2_000, 20_000) },
    );
  });

  test("of the last runs is what all of them give, begun later", () => {
    fc.assert(
      fc.property(session, fc.integer({ min: 1, max: 10 }), (made, limit) => {
        const view = written(factsOf(made));
        const all = conversationOf("", view, null).messages;
        const some = conversationOf("", view, limit).messages;
        expect(all.slice(all.length - some.length)).toEqual(some);
        const prompts = some.filter((message) => message.role === "user" && message.source === "prompt");
        expect(prompts.length).toBeLessThanOrEqual(limit);
        const allPrompts = all.filter((message) => message.role === "user" && message.source === "prompt");
        expect(prompts.length).toBe(Math.min(limit, allPrompts.length));
      }),
      { numRuns: rounds(150, 2_000, 20_000) },
    );
  });
});

/** The messages before calls that have no results. */
function parted(messages: readonly TranscriptMessage[]): {
  readonly complete: readonly TranscriptMessage[];
  readonly unfinished: boolean;
} {
  const last = messages.at(-1);
  const unfinished = last?.role === "assistant" && last.calls.length > 0;
  return { complete: unfinished ? messages.slice(0, -1) : messages, unfinished };
}

describe("a compacted conversation", () => {
  const compacted = written([
    ["prompt.submitted", { content: [{ type: "text", text: "one" }] }],
    [
      "model.responded",
      { content: [{ type: "text", text: "1", providerMetadata: null }], calls: [], usage: noUsage },
    ],
    ["session.compacted", { summary: "it said one", messages: 2, kept: [0] }],
    ["prompt.submitted", { content: [{ type: "text", text: "two" }] }],
    [
      "model.responded",
      { content: [{ type: "text", text: "2", providerMetadata: null }], calls: [], usage: noUsage },
    ],
  ]);
  const roles = (messages: readonly TranscriptMessage[]): string[] => messages.map(({ role }) => role);

  test("is told by its summary, and what is kept word for word", () => {
    const { messages, leftOut } = conversationOf("", compacted, null);
    expect([roles(messages), leftOut]).toEqual([["summary", "user", "user", "assistant"], 0]);
    expect(
      JSON.stringify(fitConversation({ systemPrompt: "", messages, leftOut }, 1_000).messages[0]),
    ).toContain("it said one");
  });

  test("loses a summary that tells of older runs alone", () => {
    const { messages, leftOut } = conversationOf("", compacted, 1);
    expect([roles(messages), leftOut]).toEqual([["user", "assistant"], 2]);
  });
});

test("of calls that have some results the whole answer counts as unfinished", () => {
  const call = (callId: string) => ({
    callId,
    name: callId,
    args: {},
    argumentsText: null,
    providerMetadata: null,
  });
  const messages: TranscriptMessage[] = [
    { role: "user", version: 1, source: "prompt", content: [{ type: "text", text: "go" }] },
    { role: "assistant", version: 2, content: [], calls: [call("a"), call("b")] },
    {
      role: "tool",
      version: 3,
      results: [{ callId: "a", name: "a", content: [{ type: "text", text: "hush" }], isError: false }],
    },
  ];
  const { messages: told } = fitConversation({ systemPrompt: "", messages, leftOut: 0 }, 1_000);
  expect(told).toHaveLength(2);
  expect(JSON.stringify(told)).toContain("[called: a, b]");
  expect(JSON.stringify(told)).not.toContain("hush");
  expect(JSON.stringify(told)).not.toContain("> ");
});
