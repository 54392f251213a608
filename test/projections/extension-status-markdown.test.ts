import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  noReport,
  reportDetails,
  reportMarkdown,
  reportTitle,
  type ReportedWasm,
} from "../../src/projections/index.ts";
import { utcTime } from "../../src/projections/utc-time.ts";
import { disclosure, extension, loadError, report, tools } from "./status-reports.ts";

const example = report({
  extensions: [
    extension("suite/my-extension", {
      name: "my-extension",
      capabilities: ["tools", "hooks"],
      configSchema: { type: "object" },
    }),
    extension("zz/another-ext", { name: "another-ext", version: "2.0.0", sourcePath: null }),
  ],
  loadErrors: [loadError("/path/to/bad_extension.ex", "Compile error: unexpected token at line 15")],
  toolConflicts: tools(),
  toolDisclosure: disclosure(),
});

const wasm: ReportedWasm = {
  enabled: true,
  running: false,
  helloOk: true,
  runtimePath: null,
  toolCount: 2,
  toolNames: ["a", "b"],
  discoverWarnings: [],
  discoverErrors: [],
  build: null,
  policy: null,
  fuel: "not_enforced",
  reason: null,
};

/** The lines of one section. */
function sectionOf(markdown: string, heading: string): string | undefined {
  return markdown.split("\n\n").find((part) => part.startsWith(`## ${heading}\n`));
}

describe("the report as Markdown", () => {
  it("is a summary and a section for each thing that there is", () => {
    expect(reportMarkdown(example)).toBe(`# Extension Status Report

- **Extensions loaded:** 2
- **Load errors:** 1
- **Loaded at:** 2024-01-31 15:30:00 UTC

## Loaded Extensions
- **my-extension** v1.0.0 (tools, hooks)
- **another-ext** v2.0.0

## Load Errors
- \`/path/to/bad_extension.ex\`
  - Compile error: unexpected token at line 15

## Tool Registry
- **Total tools:** 17
- **Built-in:** 16
- **From WASM:** 0
- **From extensions:** 1
- **Shadowed:** 0

## Tool Disclosure
- **Active:** false (inactive)
- **Estimated schema tokens:** 12000 (budget 40000)`);
  });

  it("after a reload has another heading and another word for the time", () => {
    expect(reportMarkdown(report(), { reloaded: true })).toBe(`# Extensions Reloaded

- **Extensions loaded:** 0
- **Load errors:** 0
- **Reloaded at:** 2024-01-31 15:30:00 UTC`);
  });

  it("before any load has no time", () => {
    expect(reportMarkdown(report({ loadedAt: null }))).toContain("- **Loaded at:** unknown");
  });

  it("with details tells where each extension is and whether it has settings", () => {
    expect(sectionOf(reportMarkdown(example, { includeDetails: true }), "Loaded Extensions")).toBe(
      `## Loaded Extensions
- **my-extension** v1.0.0 (tools, hooks)
  - Source: /ext/suite/my-extension.ts
  - Module: suite/my-extension
  - Config schema: yes
- **another-ext** v2.0.0
  - Module: zz/another-ext`,
    );
  });

  it("has the sections in one order, those without content left out", () => {
    const full = reportMarkdown(
      report({
        extensions: [extension("a")],
        loadErrors: [loadError("/x.ts")],
        validationErrors: [{ module: "c", sourcePath: "/c.ts", errors: ["missing required field: name"] }],
        overridden: [{ module: "a", sourcePath: "/old/a.js", keptSourcePath: "/ext/a.ts" }],
        quarantined: [{ module: "a", reason: "exit", since: 0, restarts: 4 }],
        toolConflicts: tools({
          shadowedCount: 1,
          conflicts: [{ toolName: "x", winner: "builtin", shadowed: [{ kind: "mcp", id: "s" }] }],
        }),
        wasm,
        toolDisclosure: disclosure(),
      }),
    );
    expect(full.match(/^#.*$/gm)).toEqual([
      "# Extension Status Report",
      "## Loaded Extensions",
      "## Load Errors",
      "## Validation Errors",
      "## Overridden",
      "## Quarantined",
      "## Tool Registry",
      "### Conflicts",
      "## WASM Runtime",
      "## Tool Disclosure",
    ]);
    expect(reportMarkdown(report()).match(/^#.*$/gm)).toEqual(["# Extension Status Report"]);
  });

  it("shows validation errors, and counts them when there are any", () => {
    const markdown = reportMarkdown(
      report({
        validationErrors: [
          {
            module: "d",
            sourcePath: "/d.ts",
            errors: ["missing required field: name", "hooks must be an object, got null"],
          },
          { module: "object", sourcePath: null, errors: ["version must be a string, got number"] },
        ],
      }),
    );
    expect(markdown).toBe(`# Extension Status Report

- **Extensions loaded:** 0
- **Load errors:** 0
- **Validation errors:** 2
- **Loaded at:** 2024-01-31 15:30:00 UTC

## Validation Errors
- \`object\`
  - version must be a string, got number
- \`/d.ts\`
  - missing required field: name
  - hooks must be an object, got null`);
  });

  it("shows what was overridden and what is in quarantine", () => {
    const markdown = reportMarkdown(
      report({
        overridden: [
          { module: "a", sourcePath: "/old/a.js", keptSourcePath: "/new/a.ts" },
          { module: "b", sourcePath: "/old/b.js", keptSourcePath: null },
        ],
        quarantined: [{ module: "a", reason: "exit code 1", since: 1_706_715_000_999, restarts: 4 }],
      }),
    );
    expect(sectionOf(markdown, "Overridden")).toBe(`## Overridden
- **a**: \`/old/a.js\` (kept: \`/new/a.ts\`)
- **b**: \`/old/b.js\` (kept: an object of the program)`);
    expect(sectionOf(markdown, "Quarantined")).toBe(`## Quarantined
- **a**: exit code 1 (since 2024-01-31 15:30:00 UTC, restarts: 4)`);
  });

  it("lists who lost a tool's name, and MCP tools when there are any", () => {
    const markdown = reportMarkdown(
      report({
        toolConflicts: tools({
          mcpCount: 3,
          shadowedCount: 4,
          conflicts: [
            {
              toolName: "read",
              winner: "builtin",
              shadowed: [
                { kind: "wasm", id: "/p/read.wasm" },
                { kind: "extension", id: "a" },
                { kind: "mcp", id: "files" },
              ],
            },
            {
              toolName: "sum",
              winner: { kind: "wasm", id: "/p/sum.wasm" },
              shadowed: [{ kind: "extension", id: "b" }],
            },
          ],
        }),
      }),
    );
    expect(markdown.slice(markdown.indexOf("## Tool Registry"))).toBe(`## Tool Registry
- **Total tools:** 17
- **Built-in:** 16
- **From WASM:** 0
- **From extensions:** 1
- **From MCP:** 3
- **Shadowed:** 4

### Conflicts
- **read**: built-in (shadowed: wasm:/p/read.wasm, extension:a, mcp:files)
- **sum**: wasm:/p/sum.wasm (shadowed: extension:b)`);
  });

  it("shows the WASM plugins, with what went wrong", () => {
    expect(sectionOf(reportMarkdown(report({ wasm })), "WASM Runtime")).toBe(`## WASM Runtime
- **Enabled:** true
- **Running:** false
- **Discovered tools:** 2`);
    const troubled = { ...wasm, runtimePath: "/r", discoverWarnings: ["a", "b"], discoverErrors: ["c\nd"] };
    expect(sectionOf(reportMarkdown(report({ wasm: troubled })), "WASM Runtime")).toBe(`## WASM Runtime
- **Enabled:** true
- **Running:** false
- **Discovered tools:** 2
- **Runtime path:** /r
- **Warnings:** a | b
- **Errors:** c d`);
  });

  it("counts tools that are searched for, and with details names them", () => {
    const toolDisclosure = disclosure({
      active: true,
      reason: null,
      catalogTier: "inline",
      disclosedCount: 2,
      hiddenCount: 1,
      disclosedNames: ["bash", "read"],
      hiddenNames: ["deploy"],
      shadowedByBridge: ["tool_search"],
    });
    const counted = `## Tool Disclosure
- **Active:** true (inline)
- **Estimated schema tokens:** 12000 (budget 40000)
- **Disclosed:** 2
- **Hidden:** 1
- **Catalog tier:** inline`;
    const dropped = "\n- **Dropped for a bridge tool:** tool_search";
    expect(sectionOf(reportMarkdown(report({ toolDisclosure })), "Tool Disclosure")).toBe(counted + dropped);
    expect(sectionOf(reportMarkdown(report({ toolDisclosure }), { includeDetails: true }), "Tool Disclosure"))
      .toBe(`${counted}
- **Disclosed tools:** bash, read
- **Hidden tools:** deploy${dropped}`);
  });

  it("keeps what an author wrote on its line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const words = `x${text}\n## Fake\r\n# Fake`;
        const markdown = reportMarkdown(
          report({
            extensions: [extension(words, { version: words, capabilities: [words], sourcePath: words })],
            loadErrors: [loadError(words, words)],
            validationErrors: [{ module: words, sourcePath: words, errors: [words] }],
            overridden: [{ module: words, sourcePath: words, keptSourcePath: words }],
            quarantined: [{ module: words, reason: words, since: 0, restarts: 1 }],
          }),
          { includeDetails: true },
        );
        expect(markdown.match(/^#.*/gm)).toHaveLength(6);
      }),
    );
  });
});

describe("the title", () => {
  const two = [extension("a"), extension("b")];
  it.each([
    [
      "of a load without trouble",
      report({ extensions: two }),
      "2 extensions loaded",
      "Reloaded: 2 extensions",
    ],
    [
      "names errors before conflicts",
      report({ extensions: two, loadErrors: [loadError("/x")], toolConflicts: tools({ shadowedCount: 3 }) }),
      "2 loaded, 1 errors",
      "Reloaded: 2 loaded, 1 errors",
    ],
    [
      "counts losers",
      report({ extensions: two, toolConflicts: tools({ shadowedCount: 3 }) }),
      "2 loaded, 3 conflicts",
      "Reloaded: 2 loaded, 3 conflicts",
    ],
  ])("%s", (_case, given, title, afterReload) => {
    expect(reportTitle(given)).toBe(title);
    expect(reportTitle(given, { reloaded: true })).toBe(afterReload);
  });

  it("goes into the details with the counts", () => {
    const { toolConflicts, toolDisclosure } = example;
    const details = {
      title: "2 loaded, 1 errors",
      totalLoaded: 2,
      totalErrors: 1,
      totalValidationErrors: 0,
      toolConflicts,
      wasm: null,
      toolDisclosure,
    };
    expect(reportDetails(example)).toEqual(details);
    expect(reportDetails(example, { reloaded: true })).toEqual({
      ...details,
      title: "Reloaded: 2 loaded, 1 errors",
      action: "reload",
    });
  });

  it("says so where there is no report", () => {
    expect(noReport).toEqual({ text: "No extension status report available.", title: "No report" });
  });
});

describe("a time", () => {
  it("is that of the system's calendar, floored to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (at) => {
        const seconds = Math.floor(at / 1_000) * 1_000;
        expect(utcTime(at)).toBe(new Date(seconds).toISOString().replace("T", " ").replace(".000Z", " UTC"));
      }),
    );
    expect(utcTime(1_709_164_799_999)).toBe("2024-02-28 23:59:59 UTC");
    expect(utcTime(1_709_164_800_000)).toBe("2024-02-29 00:00:00 UTC");
    expect(utcTime(-1)).toBe("1969-12-31 23:59:59 UTC");
  });

  it("that is none is unknown", () => {
    expect([null, NaN, Infinity, 8.64e15 + 1].map(utcTime)).toEqual(Array(4).fill("unknown"));
  });
});
