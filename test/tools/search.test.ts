import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findTool } from "../../src/tools/built-in/find.ts";
import { grepTool } from "../../src/tools/built-in/grep.ts";
import { lsTool } from "../../src/tools/built-in/ls.ts";
import { readTool } from "../../src/tools/built-in/read.ts";
import { textOf, workbench, type Workbench } from "./context.ts";

function files(contents: Record<string, string | Uint8Array>): Workbench {
  const bench = workbench();
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(bench.cwd, name)), { recursive: true });
    writeFileSync(join(bench.cwd, name), content);
  }
  return bench;
}

describe("a directory with brackets in its name", () => {
  it("is taken literally by every tool", async () => {
    const bench = files({ "app/[id]/page.tsx": "inside brackets\n", "app/i/page.tsx": "inside i\n" });
    expect(textOf(await bench.run(findTool, { path: "app/[id]", pattern: "*.tsx" }))).toBe(
      "app/[id]/page.tsx",
    );
    const grep = await bench.run(grepTool, { path: "app/[id]", pattern: "inside" });
    expect(textOf(grep)).toBe("app/[id]/page.tsx:1:inside brackets");
    expect(grep.details).toMatchObject({ matches: 1, files: 1 });
    expect(textOf(await bench.run(lsTool, { path: "app/[id]" }))).toBe("page.tsx");
    expect(textOf(await bench.run(readTool, { path: "app/[id]/page.tsx" }))).toBe("inside brackets");
  });
});

describe("grep", () => {
  it("says that a pattern is invalid instead of finding nothing", async () => {
    const bench = files({ "a.js": "// call\nfoo(1)\n" });
    const result = await bench.run(grepTool, { pattern: "foo(" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/Invalid pattern "foo\(".*unclosed group/s);
    expect(textOf(await bench.run(grepTool, { pattern: "foo(", literal: true }))).toBe("a.js:2:foo(1)");
  });

  it("respects ignore files outside of git, nested and negated ones too", async () => {
    const bench = files({
      ".gitignore": "*.log\nbuild/\n",
      "a.log": "hit",
      "build/x.txt": "hit",
      "sub/.gitignore": "!keep.log\nlocal.txt\n",
      "sub/keep.log": "hit",
      "sub/local.txt": "hit",
      "local.txt": "hit",
      ".env": "hit",
      ".git/config": "hit",
    });
    expect(textOf(await bench.run(grepTool, { pattern: "hit" }))).toBe(
      ".env:1:hit\nlocal.txt:1:hit\nsub/keep.log:1:hit",
    );
    expect(textOf(await bench.run(grepTool, { pattern: "hit", glob: "*.log" }))).toBe("sub/keep.log:1:hit");
    expect(textOf(await bench.run(grepTool, { pattern: "hit", path: "a.log" }))).toBe("a.log:1:hit");
    expect(textOf(await bench.run(grepTool, { pattern: "hit", path: "build" }))).toBe("build/x.txt:1:hit");
  });

  it("does not read standard input, a configuration or the name of a file as an option", async () => {
    const bench = files({ "-v": "hit\nmiss\n", rc: "--invert-match\n" });
    expect(textOf(await bench.run(grepTool, { pattern: "hit", path: "-v" }))).toBe("-v:1:hit");
    expect(textOf(await bench.run(grepTool, { pattern: "-h" }))).toContain("No matches");
  });

  it("shows bytes that are not UTF-8 as such", async () => {
    const bench = files({ "latin.txt": Buffer.from("caf\u{e9} x\r\n", "latin1") });
    expect(textOf(await bench.run(grepTool, { pattern: "x$" }))).toBe("latin.txt:1:caf\u{FFFD} x");
  });

  it("names binary files and shows nothing of them", async () => {
    const bench = files({ "a.bin": Buffer.from("hit\nhit\n\0\0hit\n"), "b.txt": "hit\n" });
    expect(textOf(await bench.run(grepTool, { pattern: "hit" }))).toMatch(
      /^b\.txt:1:hit(\n\n\[Binary files match: a\.bin\])?$/,
    );
    expect(textOf(await bench.run(grepTool, { pattern: "hit", path: "a.bin" }))).not.toContain("a.bin:1");
  });

  it("stops at its limit and says so", async () => {
    const bench = files({ "a.txt": "x\n".repeat(50), "b.txt": "x\n" });
    const result = await bench.run(grepTool, { pattern: "x", limit: 3 });
    expect(textOf(result)).toBe(
      "a.txt:1:x\na.txt:2:x\na.txt:3:x\n\n[Only the first 3 matching lines are shown: narrow the search, or raise limit.]",
    );
    expect(result.details).toEqual({ matches: 3, files: 1, truncated: true });
    expect(textOf(await bench.run(grepTool, { pattern: "x", limit: 51 }))).not.toContain("Only the first");
  });

  it("cuts long lines around the match", async () => {
    const bench = files({ "min.js": `${"é".repeat(3_000)}needle${"😀".repeat(3_000)}\n` });
    const text = textOf(await bench.run(grepTool, { pattern: "needle" }));
    expect(text).toContain("needle");
    expect([...text].length).toBeLessThanOrEqual("min.js:1:".length + 500);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  it("takes case, lookaround and patterns over lines as asked", async () => {
    const bench = files({ "a.txt": "Foo\nbar\nfoobar\n" });
    expect(textOf(await bench.run(grepTool, { pattern: "foo" }))).toBe("a.txt:3:foobar");
    expect(textOf(await bench.run(grepTool, { pattern: "foo", ignoreCase: true }))).toBe(
      "a.txt:1:Foo\na.txt:3:foobar",
    );
    expect(textOf(await bench.run(grepTool, { pattern: "foo(?=bar)" }))).toBe("a.txt:3:foobar");
    expect(textOf(await bench.run(grepTool, { pattern: "Foo\nbar", literal: true }))).toBe(
      "a.txt:1:Foo\na.txt:2:bar",
    );
  });

  it("says that there is nothing, or no such place", async () => {
    const bench = files({ "a.txt": "x" });
    const result = await bench.run(grepTool, { pattern: "zzz" });
    expect([textOf(result), result.isError]).toEqual(['No matches for "zzz" in .', undefined]);
    await expect(bench.run(grepTool, { pattern: "x", path: "b" })).rejects.toThrow("b does not exist");
  });

  it("stops on abort", async () => {
    const bench = files({ "a.txt": "x" });
    await expect(bench.run(grepTool, { pattern: "x" }, { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

describe("find", () => {
  it("matches names at any depth, and paths from the start", async () => {
    const bench = files({
      "a.ts": "",
      "src/b.ts": "",
      "src/deep/c.ts": "",
      "src/c.js": "",
      ".github/d.ts": "",
      ".git/e.ts": "",
    });
    expect(textOf(await bench.run(findTool, { pattern: "*.ts" }))).toBe(
      ".github/d.ts\na.ts\nsrc/b.ts\nsrc/deep/c.ts",
    );
    expect(textOf(await bench.run(findTool, { pattern: "src/*.{ts,js}" }))).toBe("src/b.ts\nsrc/c.js");
    expect(textOf(await bench.run(findTool, { pattern: "**/c.*", path: "src" }))).toBe(
      "src/c.js\nsrc/deep/c.ts",
    );
    expect(textOf(await bench.run(findTool, { pattern: "deep/" }))).toBe("src/deep/");
    expect(textOf(await bench.run(findTool, { pattern: "*.py" }))).toBe("No files match *.py in .");
  });

  it("leaves ignored files out although the pattern names them", async () => {
    const bench = files({ ".gitignore": "*.log\n", "a.log": "", "b.txt": "" });
    expect(textOf(await bench.run(findTool, { pattern: "*.log" }))).toContain("No files");
  });

  it("finds odd names", async () => {
    const bench = files({
      "a b.txt": "",
      "line\nfeed.txt": "",
      "[x].txt": "",
      "e\u{301}.txt": "",
      "😀.txt": "",
    });
    expect(textOf(await bench.run(findTool, { pattern: "*.txt" }))).toBe(
      '[x].txt\na b.txt\ne\u{301}.txt\n"line\\nfeed.txt"\n😀.txt',
    );
    expect(textOf(await bench.run(findTool, { pattern: "\u{e9}.txt" }))).toBe("e\u{301}.txt");
  });

  it("stops at its limit", async () => {
    const bench = files(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, ""])));
    const result = await bench.run(findTool, { pattern: "*.txt", limit: 2 });
    expect(textOf(result)).toBe(
      "0.txt\n1.txt\n\n[Only the first 2 are shown: narrow the pattern, or raise limit.]",
    );
  });

  it("wants a directory", async () => {
    await expect(files({ a: "" }).run(findTool, { pattern: "*", path: "a" })).rejects.toThrow(
      "not a directory",
    );
  });
});
