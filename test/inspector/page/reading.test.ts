/** What texts, trees and values are drawn as. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DecisionNode, FactRow } from "../../../src/inspector/api.ts";
import { sentenceOf } from "../../../src/inspector/page/model/announce.ts";
import { diffCounts, diffLines } from "../../../src/inspector/page/model/diff-lines.ts";
import { jsonRows, valueAt } from "../../../src/inspector/page/model/json-rows.ts";
import { blocksOf } from "../../../src/inspector/page/model/prose.ts";
import { readEvents, SSE_START, type SentEvent } from "../../../src/inspector/page/model/sse.ts";
import { decisionRows } from "../../../src/inspector/page/model/trees.ts";

const row = (version: number): FactRow => ({
  version,
  position: version,
  type: "tool_call.started",
  lane: "tool",
  at: 0,
  kind: "decision",
  actor: "",
  causation: null,
  summary: "bash ls",
  callId: null,
  tool: null,
  isError: false,
  isBlocked: false,
});
const node = (version: number, ...children: DecisionNode[]): DecisionNode => ({
  row: row(version),
  children,
});

describe("server-sent events", () => {
  const text =
    ': hello\n\nevent: facts\nid: 3\ndata: {"a":1}\n\nevent: ended\r\ndata: one\r\ndata: two\r\n\r\ndata: last\n\n';
  const events: SentEvent[] = [
    { event: "facts", data: '{"a":1}' },
    { event: "ended", data: "one\ntwo" },
    { event: "message", data: "last" },
  ];
  test("are the same however they are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        let rest = SSE_START;
        const read: SentEvent[] = [];
        places.slice(1).forEach((end, index) => {
          const step = readEvents(rest, text.slice(places[index], end));
          rest = step.rest;
          read.push(...step.events);
        });
        expect(read).toEqual(events);
        expect(rest.text).toBe("");
      }),
    );
  });
});

describe("prose", () => {
  test("is paragraphs, spans and code between fences", () => {
    expect(blocksOf("Look at `a` and **b**:\n```ts\nconst a = 1;\n```\nDone.")).toEqual([
      {
        is: "prose",
        spans: [
          { is: "text", text: "Look at " },
          { is: "code", text: "a" },
          { is: "text", text: " and " },
          { is: "strong", text: "b" },
          { is: "text", text: ":" },
        ],
      },
      { is: "code", language: "ts", text: "const a = 1;" },
      { is: "prose", spans: [{ is: "text", text: "Done." }] },
    ]);
  });
  test("a fence that is not closed lasts to the end", () => {
    expect(blocksOf("```\na\nb")).toEqual([{ is: "code", language: "", text: "a\nb" }]);
  });
});

describe("JSON", () => {
  test("each row's pointer leads to its value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        for (const { pointer, kind, text } of jsonRows(json, () => true)) {
          if (kind === "more") continue;
          const found = valueAt(json, pointer);
          if (kind === "object" || kind === "array") expect(typeof found).toBe("object");
          else expect(text).toBe(JSON.stringify(found));
        }
      }),
    );
  });
  test("what is closed is outlined, and of many members the rest is one row", () => {
    expect(jsonRows({ a: { b: 1 }, c: [1, 2] }, () => false).map(({ text }) => text)).toEqual([
      "{ b }",
      "[2]",
    ]);
    const rows = jsonRows({ list: Array.from({ length: 250 }, () => 0) }, () => true);
    expect(rows).toHaveLength(202);
    expect(rows.at(-1)?.text).toBe("50 more");
  });
  test("what is not there is undefined, also where an object's own prototype has it", () => {
    expect(valueAt({ a: { "b/c": [7] } }, "/a/b~1c/0")).toBe(7);
    expect(valueAt({}, "/constructor")).toBeUndefined();
  });
});

describe("the decision tree", () => {
  test("goes deeper only where several facts follow", () => {
    const rows = decisionRows(node(1, node(2, node(3, node(4), node(5))), node(6)));
    expect(rows.map(({ node: { version }, level }) => [version, level])).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 3],
      [5, 3],
      [6, 2],
    ]);
  });
});

describe("differences", () => {
  const hunks = [
    {
      oldStart: 4,
      oldLines: 2,
      newStart: 4,
      newLines: 3,
      lines: [" a", "-b", "+c", "+d", "\\ No newline at end of file"],
    },
  ];
  test("lines are numbered on both sides", () => {
    expect(diffLines(hunks).map(({ kind, oldLine, newLine }) => [kind, oldLine, newLine])).toEqual([
      ["hunk", null, null],
      ["same", 4, 4],
      ["removed", 5, null],
      ["added", null, 5],
      ["added", null, 6],
      ["note", null, null],
    ]);
    expect(diffCounts(hunks)).toEqual({ added: 2, removed: 1 });
  });
});

test("a fact is told in a sentence", () => {
  expect(sentenceOf(12, 40, { ...row(12), isError: true })).toBe(
    "Fact 12 of 40, tool call started: bash ls, failed",
  );
  expect(sentenceOf(12, 40, row(3))).toBe("Fact 12 of 40");
  expect(sentenceOf(0, 0, undefined)).toBe("");
});
