import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runExample } from "./run-example.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const examples = readdirSync(path.join(root, "examples/embedding"));
const pages = [
  "embed-the-runtime",
  "write-a-tool",
  "answer-approvals",
  "follow-facts",
  "work-in-the-background",
].map((page) => `docs/how-to/${page}.md`);

/** Programs of the how-to pages, each with what the page says it prints. */
const shown = pages.flatMap((page) =>
  [...read(page).matchAll(/^```ts\n([\s\S]*?)^```\n+```text\n([\s\S]*?)^```$/gm)].map(
    ([, source = "", output = ""]) => ({
      page,
      source,
      output,
      name: examples.find((name) => read(`examples/embedding/${name}`) === source),
    }),
  ),
);

describe("the examples of embedding", () => {
  test.each(shown)("$name prints what $page shows, and ends by itself", async ({ name, source, output }) => {
    expect(await runExample(path.basename(name ?? "unknown", ".ts"), source)).toBe(output);
  });

  test("the pages show each of them, and no other code", () => {
    const fences = pages.flatMap((page) => [...read(page).matchAll(/^```ts$/gm)]);
    const names = shown.map(({ name }) => name ?? "none of the examples");
    expect(names.toSorted()).toEqual(examples.toSorted());
    expect(fences).toHaveLength(examples.length);
  });

  test("each can be read at a glance", () => {
    const long = examples.filter((name) => read(`examples/embedding/${name}`).split("\n").length > 60);
    expect(long).toEqual([]);
  });
});

test("the program of the README is one that compiles, and says what it says", async () => {
  const [, source = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(read("README.md")) ?? [];
  expect(source).toBe(read("examples/readme.ts"));
  expect(await runExample("readme", source)).toBe("completed Hello.\n");
});
