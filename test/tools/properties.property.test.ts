import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkArguments, parseArguments } from "../../src/tools/arguments.ts";
import { cutText } from "../../src/tools/cut.ts";
import { HeadAndTail } from "../../src/tools/head-and-tail.ts";
import { copyJson } from "../../src/tools/json-copy.ts";
import { jsonTextKind } from "../../src/tools/json-text.ts";
import { TerminalText } from "../../src/tools/terminal-text.ts";
import { splice } from "../../src/workspace/splice.ts";
import { applyHunks, byteText, type HunkLine } from "../../src/workspace/hunks.ts";

/** A schema with a value that fits it. */
const fitting: fc.Arbitrary<{ schema: Record<string, unknown>; value: unknown }> = fc.letrec<{
  any: { schema: Record<string, unknown>; value: unknown };
}>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc
      .oneof(fc.string(), fc.constantFrom("1", "true", "null", "[1]", '{"a":1}', ""))
      .map((value) => ({ schema: { type: "string" }, value: value as unknown })),
    fc.integer().map((value) => ({ schema: { type: "integer" }, value })),
    fc.boolean().map((value) => ({ schema: { type: ["boolean", "null"] }, value })),
    fc.constant({ schema: { type: ["string", "null"] }, value: null }),
    fc
      .constantFrom("5", 5)
      .map((value) => ({ schema: { anyOf: [{ type: "number" }, { type: "string" }] }, value })),
    fc.array(tie("any"), { maxLength: 3 }).map((items) => ({
      schema: { type: "array", items: items.length === 0 ? {} : { anyOf: items.map((item) => item.schema) } },
      value: items.map((item) => item.value),
    })),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie("any"), { maxKeys: 3, noNullPrototype: true })
      .map((members) => ({
        schema: {
          type: "object",
          properties: Object.fromEntries(Object.entries(members).map(([key, { schema }]) => [key, schema])),
        },
        value: Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])),
      })),
  ),
})).any;

describe("coercion", () => {
  it("never changes a value that fits", async () => {
    await fc.assert(
      fc.asyncProperty(fitting, async ({ schema, value }) => {
        const args = { value };
        const outcome = await checkArguments(
          { parameters: { type: "object", properties: { value: schema } } },
          args,
        );
        expect(outcome).toEqual({ ok: true, args });
        if (outcome.ok) expect(outcome.args).toBe(args);
      }),
      { numRuns: 150 },
    );
  });

  it("never changes a member that fits while it mends another", async () => {
    await fc.assert(
      fc.asyncProperty(fitting, fc.integer(), async ({ schema, value }, count) => {
        const parameters = { type: "object", properties: { value: schema, count: { type: "integer" } } };
        const outcome = await checkArguments({ parameters }, { value, count: String(count) });
        expect(outcome).toEqual({ ok: true, args: { value, count: Object.is(count, -0) ? 0 : count } });
      }),
      { numRuns: 100 },
    );
  });
});

describe("argument text", () => {
  it("that is JSON is complete, and each beginning of it incomplete or a value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(jsonTextKind(text)).toBe("complete");
        const start = text.slice(0, cut % text.length);
        expect(jsonTextKind(start)).not.toBe("invalid");
      }),
    );
  });

  it("never throws, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u0e+-.1 tn')) }),
        (text) => void parseArguments(text),
      ),
    );
  });

  it("is called complete exactly when JSON.parse takes it", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:1-e. ')) }), (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        expect(jsonTextKind(text) === "complete").toBe(parses);
      }),
      { numRuns: 2_000 },
    );
  });
});

const bytes = fc
  .array(fc.constantFrom(0x61, 0x62, 0x0a, 0x20, 0xe9, 0xc3, 0xa9, 0xef), { maxLength: 60 })
  .map((all) => Buffer.from(all));

describe("splice", () => {
  it("of a file without CRLF equals the naive replacement of bytes", () => {
    fc.assert(
      fc.property(
        bytes,
        fc.stringMatching(/^[ab\n é]{1,3}$/),
        fc.stringMatching(/^[ab\n é]{0,4}$/),
        (file, oldText, newText) => {
          fc.pre(oldText !== newText);
          const outcome = splice(file, { oldText, newText, replaceAll: true });
          const naive = file.toString("latin1").replaceAll(byteText(oldText), () => byteText(newText));
          if (outcome.ok) expect(outcome.bytes.toString("latin1")).toBe(naive);
          else expect(outcome.reason).toBe("absent");
        },
      ),
      { numRuns: 500 },
    );
  });

  it("of a CRLF file is the same as of its LF form, line ends aside", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab\n]{1,40}$/),
        fc.stringMatching(/^[ab\n]{1,3}$/),
        fc.stringMatching(/^[ab\n]{0,4}$/),
        (text, oldText, newText) => {
          fc.pre(oldText !== newText && text.includes("\n"));
          const crlf = splice(Buffer.from(text.replaceAll("\n", "\r\n")), {
            oldText,
            newText,
            replaceAll: true,
          });
          const lf = splice(Buffer.from(text), { oldText, newText, replaceAll: true });
          expect(crlf.ok).toBe(lf.ok);
          if (crlf.ok && lf.ok)
            expect(crlf.bytes.toString()).toBe(lf.bytes.toString().replaceAll("\n", "\r\n"));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("of mixed line ends changes nothing but what differs", () => {
    const file = Buffer.from("a\r\nb\nc\r\nd\n");
    const outcome = splice(file, { oldText: "a\nb\nc\nd", newText: "a\nb\nX\nd", replaceAll: false });
    expect(outcome.ok && outcome.bytes.toString()).toBe("a\r\nb\nX\r\nd\n");
  });
});

describe("hunks", () => {
  it("made from two texts turn the one into the other", () => {
    const text = fc.array(fc.stringMatching(/^[abc]{0,3}$/), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, text, fc.nat(), fc.nat(), fc.boolean(), (before, after, from, size, crlf) => {
        const start = from % before.length;
        const count = size % (before.length - start + 1);
        const join = (all: readonly string[]): string =>
          all.map((line) => line + (crlf ? "\r\n" : "\n")).join("");
        const line =
          (op: " " | "-" | "+") =>
          (each: string): HunkLine => ({ op, text: each, noEol: false });
        const lines = [
          ...before.slice(0, start).map(line(" ")),
          ...before.slice(start, start + count).map(line("-")),
          ...after.map(line("+")),
          ...before.slice(start + count).map(line(" ")),
        ];
        const outcome = applyHunks(Buffer.from(join(before)), [
          { lines, expectedLine: 1, anchors: [], atEnd: false },
        ]);
        const wanted = join([...before.slice(0, start), ...after, ...before.slice(start + count)]);
        expect(outcome.ok && outcome.bytes.toString()).toBe(wanted);
      }),
    );
  });
});

describe("texts", () => {
  it("are cut to their cap in code points, whole characters only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, cap) => {
        const cut = cutText(text, cap);
        expect([...cut].length).toBeLessThanOrEqual(cap);
        expect(cut).toBe([...text].length <= cap ? text : `${[...text].slice(0, cap - 1).join("")}…`);
      }),
    );
  });

  it("keep head and tail within their caps, and all where it fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "\n", "😀") }), { maxLength: 30 }),
        (pieces) => {
          const kept = new HeadAndTail({ characters: 40, lines: 8 });
          for (const piece of pieces) kept.push(piece);
          const { text, truncated } = kept.end();
          const all = pieces.join("");
          if (!truncated) expect(text).toBe(all);
          if (all.length <= 20 && all.split("\n").length <= 4) expect(truncated).toBe(false);
          expect(text.length).toBeLessThanOrEqual(40 + 80);
          expect(text).not.toMatch(/\p{Surrogate}/u);
          const [head = "", tail = ""] = text.split(/\n?\[… \d+ characters in \d+ lines left out …\]\n/);
          expect(all.startsWith(head) && all.endsWith(tail)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("of a terminal are the same however they are cut, and hold no control character", () => {
    const piece = fc.constantFrom(
      "a",
      "bc",
      "\n",
      "\r",
      "\r\n",
      "\u{1b}[31m",
      "\u{1b}]0;title\u{07}",
      "\u{1b}]8;;x\u{1b}\\",
      "\b",
      "\u{0}",
      "\u{1b}(B",
      "\t",
      "\u{9b}1m",
      "\u{1b}",
      "[",
      "😀",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat()), (pieces, cuts) => {
        const all = pieces.join("");
        const whole = new TerminalText();
        const wanted = whole.push(all) + whole.end();
        const inParts = new TerminalText();
        let text = "";
        let at = 0;
        for (const cut of cuts.map((value) => value % (all.length + 1)).toSorted((a, b) => a - b)) {
          text += inParts.push(all.slice(at, cut));
          at = cut;
        }
        text += inParts.push(all.slice(at)) + inParts.end();
        expect(text).toBe(wanted);
        expect(text.replaceAll(/[\t\n]/g, "")).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a JSON copy", () => {
  it("equals the value but for members called __proto__, and is another one", () => {
    const withoutPrototypes = (value: unknown): string =>
      JSON.stringify(
        JSON.parse(JSON.stringify(value), (key, member: unknown) =>
          key === "__proto__" ? undefined : member,
        ),
      );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value, "value");
        expect(copy.ok && JSON.stringify(copy.value)).toBe(withoutPrototypes(value));
      }),
    );
  });
});
