import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contextLimits, type ContextLimits } from "../../../src/actors/session/context-limits.ts";
import { cutOff, planCut } from "../../../src/actors/session/cut.ts";
import { requestDigest, tokensIn, tokensOf } from "../../../src/actors/session/request.ts";
import { roomFor, summaryRequest } from "../../../src/actors/session/summary-request.ts";
import { tokensOfText } from "../../../src/actors/session/tokens.ts";
import {
  PAGE_SIZE,
  sentMessages,
  type SentMessage,
  type Transcript,
  type TranscriptMessage,
} from "../../../src/projections/index.ts";
import { rounds } from "../../support/soak.ts";
import { textsOf } from "./support.ts";

const RUNS = rounds(60, 1_000, 10_000);

/** What a conversation is made of: said by somebody, or calls with their results, each of some length. */
type Step =
  | { readonly kind: "prompt" | "steer" | "context" | "answer"; readonly size: number }
  | { readonly kind: "calls"; readonly sizes: readonly number[] };

const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 1, arbitrary: fc.integer({ min: 400, max: 8_000 }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("prompt", "steer", "context", "answer"), size }),
  fc.record({ kind: fc.constant("calls"), sizes: fc.array(size, { minLength: 1, maxLength: 3 }) }),
);
const limits: fc.Arbitrary<ContextLimits> = fc
  .record({
    window: fc.integer({ min: 1, max: 6_000 }),
    reserveTokens: fc.integer({ min: 1, max: 2_000 }),
    keepTokens: fc.integer({ min: 1, max: 2_000 }),
  })
  .map(({ window, ...settings }) => contextLimits(window, settings));

/** Each message names itself, so that it is found again in a text. */
const said = (name: string, size: number): string => `<${name}>${"x".repeat(size)}`;

class Builder {
  readonly #messages: TranscriptMessage[] = [];
  summary: Transcript["summary"] = null;

  add(step: Step): void {
    const version = this.#messages.length + 1;
    const content = (size: number): { type: "text"; text: string }[] => [
      { type: "text", text: said(`m${version}`, size) },
    ];
    switch (step.kind) {
      case "prompt":
      case "steer":
        this.#messages.push({ role: "user", version, source: step.kind, content: content(step.size) });
        return;
      case "context": {
        const custom = { role: "custom", customType: "hook_context", display: false } as const;
        this.#messages.push({ ...custom, version, content: content(step.size) });
        return;
      }
      case "answer":
        this.#messages.push({
          role: "assistant",
          version,
          content: content(step.size).map((part) => ({ ...part, providerMetadata: null })),
          calls: [],
        });
        return;
      case "calls": {
        const calls = step.sizes.map((_size, index) => `c${version}-${index}`);
        this.#messages.push({
          role: "assistant",
          version,
          content: [],
          calls: calls.map((callId) => ({
            callId,
            name: said(callId, 0),
            args: {},
            argumentsText: null,
            providerMetadata: null,
          })),
        });
        this.#messages.push({
          role: "tool",
          version: version + 1,
          results: calls.map((callId, index) => ({
            callId,
            name: "t",
            content: [{ type: "text", text: said(`r${version}-${index}`, step.sizes[index] ?? 0) }],
            isError: false,
          })),
        });
      }
    }
  }

  compact(cut: { readonly messages: number; readonly kept: readonly number[] }, text: string): void {
    this.summary = { role: "summary", version: this.#messages.length + 1, text, ...cut };
    this.#messages.push(this.summary);
  }

  view(): Transcript {
    const pages = [];
    let at = 0;
    for (; at + PAGE_SIZE <= this.#messages.length; at += PAGE_SIZE)
      pages.push({ messages: this.#messages.slice(at, at + PAGE_SIZE) });
    return { pages, tail: this.#messages.slice(at), batch: null, summary: this.summary, counted: null };
  }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/<([mcrs][\d-]+)>/g)].map(([, name = ""]) => name);
}

function namesOf(messages: readonly SentMessage[]): string[] {
  return messages.flatMap(({ message }) => namesIn(JSON.stringify(message)));
}

/** Some steps, compacted now and then on the way as a session would, and what stands at the end. */
function conversation(steps: readonly Step[], every: number, limits: ContextLimits): Transcript {
  const builder = new Builder();
  let summaries = 0;
  for (const [index, each] of steps.entries()) {
    builder.add(each);
    const cut = (index + 1) % every === 0 ? planCut(builder.view(), limits) : null;
    if (cut !== null) builder.compact(cut, `<s${(summaries += 1)}>`);
  }
  return builder.view();
}

const arbitrary = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 40 }),
  every: fc.integer({ min: 3, max: 60 }),
  limits,
});

/** Checks a law for conversations in which there is something to compact. */
function forCuts(
  law: (parts: {
    readonly view: Transcript;
    readonly limits: ContextLimits;
    readonly cut: NonNullable<ReturnType<typeof planCut>>;
    readonly off: SentMessage[];
    readonly after: SentMessage[];
  }) => void,
): void {
  let cuts = 0;
  fc.assert(
    fc.property(arbitrary, ({ steps, every, limits: found }) => {
      const view = conversation(steps, every, found);
      const cut = planCut(view, found);
      if (cut === null) return;
      cuts += 1;
      const summary = { role: "summary", version: 0, text: "<s0>", ...cut } as const;
      const after = sentMessages({ ...view, summary });
      law({ view, limits: found, cut, off: cutOff(view, cut), after });
    }),
    { numRuns: RUNS },
  );
  expect(cuts).toBeGreaterThan(RUNS / 10);
}

describe("a cut", () => {
  test("parts no call from its result, and what is kept never begins with a result", () => {
    forCuts(({ after }) => {
      for (const [index, { message }] of after.entries()) {
        if (message.role !== "tool") continue;
        const before = after[index - 1]?.message;
        const called = before?.role === "assistant" ? before.calls.map(({ callId }) => callId) : null;
        expect(called).toEqual(message.results.map(({ callId }) => callId));
      }
      for (const [index, { message }] of after.entries()) {
        if (message.role !== "assistant" || message.calls.length === 0) continue;
        expect(after[index + 1]?.message.role).toBe("tool");
      }
    });
  });

  test("loses nothing and doubles nothing: each message is taken out or is still sent, in its order", () => {
    forCuts(({ view, off, after }) => {
      const before = sentMessages(view);
      const still = after.filter(({ place }) => place >= 0);
      expect([...off, ...still].map(({ place }) => place).sort((a, b) => a - b)).toEqual(
        before.map(({ place }) => place).sort((a, b) => a - b),
      );
      const places = after.map(({ place }) => place);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(after[0]?.message.role).toBe("summary");
    });
  });

  test("keeps as many of the newest messages as fit, and more only where one is larger by itself", () => {
    forCuts(({ view, limits: found, cut, after }) => {
      const newest = after.filter(({ place }) => place >= cut.messages);
      const starts = newest.findLastIndex(({ message }) => message.role !== "tool");
      if (tokensIn(newest) > found.keepTokens) {
        // One message of the user's, or one batch of calls that has room.
        expect(starts).toBe(0);
        if (newest[0]?.message.role === "assistant")
          expect(tokensIn(newest)).toBeLessThanOrEqual((found.window - found.reserveTokens) / 2);
        return;
      }
      const sent = sentMessages(view).filter(({ place }) => place >= 0);
      const first = sent.findIndex(({ place }) => place >= cut.messages);
      const end = first < 0 ? sent.length : first;
      const unit = sent.slice(
        sent.slice(0, end).findLastIndex(({ message }) => message.role !== "tool"),
        end,
      );
      const isNewest = end === sent.length;
      expect(tokensIn([...unit, ...newest])).toBeGreaterThan(found.keepTokens);
      if (isNewest) expect(unit[0]?.message.role).toBe("assistant");
    });
  });

  test("keeps the newest prompt, or has it in the request for the summary, or in an earlier summary", () => {
    forCuts(({ view, limits: found, off, after }) => {
      const isPrompt = ({ message }: SentMessage): boolean =>
        message.role === "user" && message.source === "prompt";
      const newest = sentMessages(view).findLast(isPrompt);
      if (newest === undefined) return;
      const places = [...off, ...after].map(({ place }) => place);
      expect(places).toContain(newest.place);
      if (tokensOf(newest.message) <= found.keepTokens / 4) expect(after).toContainEqual(newest);
    });
  });

  test("keeps little more than it says from before the cut, and gains at least as much", () => {
    forCuts(({ limits: found, cut, off, after }) => {
      const kept = after.filter(({ place }) => place >= 0 && place < cut.messages);
      expect(tokensIn(kept)).toBeLessThanOrEqual(found.keepTokens / 4);
      expect(tokensIn(off.filter(({ place }) => place >= 0))).toBeGreaterThanOrEqual(found.keepTokens / 4);
    });
  });
});

describe("a request for a summary", () => {
  test("has everything that is taken out exactly once and in order, or says how much is left out", () => {
    forCuts(({ view, cut, off }) => {
      const all = summaryRequest(view, cut, 1_000_000);
      expect(all.leftOut).toBe(0);
      expect(namesIn(textsOf(all.context).join())).toEqual(namesOf(off));
    });
  });

  test("cut to a room it has the newest of it, and fits", () => {
    forCuts(({ view, limits: found, cut, off }) => {
      const room = roomFor(found);
      const { context, leftOut } = summaryRequest(view, cut, room);
      const text = textsOf(context).join();
      const messages = off.filter(({ message }) => message.role !== "summary");
      const told = namesIn(text).filter((name) => !name.startsWith("s"));
      const newest = namesOf(messages.slice(leftOut));
      // Of the one that was shortened, results at its end may be missing.
      expect(newest.filter((name) => told.includes(name))).toEqual(told);
      const whole = namesOf(messages.slice(leftOut + 1));
      expect(whole.filter((name) => !told.includes(name))).toEqual([]);
      expect(text.includes(`[older messages that did not fit in here: ${leftOut}]`)).toBe(leftOut > 0);
      const former = off.flatMap(({ message }) => (message.role === "summary" ? [message.text] : []));
      for (const summary of former) {
        const isMissing = text.includes("[a summary of still earlier messages did not fit in here]");
        expect(text.includes(summary)).toBe(!isMissing);
      }
      // Signs between the messages are not counted.
      expect(tokensOfText(text)).toBeLessThanOrEqual(room + 40 + messages.length);
    });
  });

  test("asks with nothing but text, and has the digest that its parts have", () => {
    forCuts(({ view, cut }) => {
      const { context, requestSha256 } = summaryRequest(view, cut, 500);
      expect(context.tools).toEqual([]);
      expect(context.messages.map(({ role }) => role)).toEqual(["user"]);
      // Messages that come later are behind the cut, so replay finds the same.
      const later: TranscriptMessage = {
        role: "user",
        version: 10_000,
        source: "steer",
        content: [{ type: "text", text: "<m10000>" }],
      };
      const grown = { ...view, tail: [...view.tail, later] };
      expect(summaryRequest(grown, cut, 500).requestSha256).toBe(requestSha256);
    });
  });
});

test("the digest of a request is that of its messages one after the other, with pages and summaries or without", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 300 }),
      limits,
      (steps, times, found) => {
        const many = Array.from({ length: times }, () => steps).flat();
        const view = conversation(many, 50, found);
        // The same messages as a conversation of their own, in which nothing was ever cut.
        const sent = sentMessages(view).map(({ message }) => message);
        const plain: Transcript = { pages: [], tail: sent, batch: null, summary: null, counted: null };
        const isWhole = sent.every(({ role }) => role !== "summary");
        if (isWhole) expect(requestDigest("p", view)).toBe(requestDigest("p", plain));
        else {
          const [summary, ...rest] = sent;
          if (summary?.role !== "summary") throw new Error("a summary comes first");
          const alone = { ...summary, messages: 0, kept: [] };
          expect(requestDigest("p", view)).toBe(requestDigest("p", { ...plain, tail: rest, summary: alone }));
        }
      },
    ),
    { numRuns: RUNS / 10 },
  );
});

test("small windows shrink the reserve and what is kept, so that a compaction gains something", () => {
  expect(contextLimits(200_000, { reserveTokens: 16_384, keepTokens: 20_000 })).toEqual({
    window: 200_000,
    reserveTokens: 16_384,
    keepTokens: 20_000,
  });
  expect(contextLimits(8_192, { reserveTokens: 16_384, keepTokens: 20_000 })).toEqual({
    window: 8_192,
    reserveTokens: 4_096,
    keepTokens: 2_048,
  });
});
