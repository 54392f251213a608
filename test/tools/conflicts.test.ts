import { describe, expect, it } from "vitest";
import { findDuplicateTools, toolConflictReport, type ToolCandidate } from "../../src/tools/index.ts";

const builtIn = (name: string): ToolCandidate => ({ name, source: "builtin" });
const from = (kind: "wasm" | "extension" | "mcp", id: string, name: string): ToolCandidate => ({
  name,
  source: { kind, id },
});

describe("the conflict report", () => {
  it("counts what is left, and the losers", () => {
    const loadErrors = [{ sourcePath: "/x.ts", errorMessage: "Syntax error at line 1: …" }];
    const report = toolConflictReport(
      [
        from("mcp", "files", "read"),
        from("extension", "b", "custom_tool"),
        from("extension", "b", "read"),
        from("extension", "a", "custom_tool"),
        from("wasm", "/s.wasm", "sum"),
        from("mcp", "files", "stat"),
        builtIn("read"),
        builtIn("bash"),
      ],
      { loadErrors, wasm: { running: true } },
    );
    expect(report).toEqual({
      conflicts: [
        {
          toolName: "custom_tool",
          winner: { kind: "extension", id: "a" },
          shadowed: [{ kind: "extension", id: "b" }],
        },
        {
          toolName: "read",
          winner: "builtin",
          shadowed: [
            { kind: "extension", id: "b" },
            { kind: "mcp", id: "files" },
          ],
        },
      ],
      totalTools: 5,
      builtinCount: 2,
      wasmCount: 1,
      extensionCount: 1,
      mcpCount: 1,
      shadowedCount: 3,
      loadErrors,
      wasm: { running: true },
    });
  });

  it("has an MCP tool win and lose, and an extension lose to itself", () => {
    const { conflicts } = toolConflictReport([
      from("mcp", "b", "x"),
      from("mcp", "a", "x"),
      from("extension", "e", "y"),
      from("extension", "e", "y"),
    ]);
    expect(conflicts).toEqual([
      { toolName: "x", winner: { kind: "mcp", id: "a" }, shadowed: [{ kind: "mcp", id: "b" }] },
      { toolName: "y", winner: { kind: "extension", id: "e" }, shadowed: [{ kind: "extension", id: "e" }] },
    ]);
  });

  it("of nothing is all zeros", () => {
    expect(toolConflictReport([])).toMatchObject({
      totalTools: 0,
      shadowedCount: 0,
      conflicts: [],
      wasm: null,
    });
  });
});

describe("the search for duplicates", () => {
  it("tells the modules of each name that is provided more than once", () => {
    const duplicates = findDuplicateTools([
      { module: "b", name: "two" },
      { module: "a", name: "one" },
      { module: "Z", name: "two" },
      { module: "c", name: "again" },
      { module: "c", name: "again" },
    ]);
    expect(Object.entries(duplicates)).toEqual([
      ["again", ["c", "c"]],
      ["two", ["Z", "b"]],
    ]);
  });

  it("takes any name, also one that objects inherit", () => {
    const twice = (name: string) => ["b", "a"].map((module) => ({ module, name }));
    const duplicates = findDuplicateTools([...twice("__proto__"), ...twice("toString")]);
    expect(Object.entries(duplicates)).toEqual([
      ["__proto__", ["a", "b"]],
      ["toString", ["a", "b"]],
    ]);
  });
});
