import { describe, expect, it } from "vitest";
import {
  conflictWarning,
  createRegistry,
  droppedExtraWarning,
  sourceLabel,
  wasmId,
  type RegistryOptions,
} from "../../src/tools/index.ts";
import { namedTool } from "./registry-tools.ts";

const builtIns = ["write", "read", "bash"].map(namedTool);
const wasmTools = [
  { path: "/plugins/z.wasm", tool: namedTool("sum") },
  { path: null, tool: namedTool("read") },
];
const extensionTools = [
  { module: "suite/lib/b", tool: namedTool("deploy") },
  { module: "git-guard", tool: namedTool("sum") },
  { module: "git-guard", tool: namedTool("deploy") },
];
const mcpTools = [
  { server: "files", tool: namedTool("mcp_files_stat") },
  { server: null, tool: namedTool("deploy") },
];

const namesWith = (options: RegistryOptions): string[] =>
  createRegistry(builtIns, extensionTools, { wasmTools, mcpTools, ...options }).tools.map(
    ({ tool }) => tool.name,
  );

describe("the list of tools", () => {
  it("has built-in tools as declared, then WASM, extension and MCP tools, each by name", () => {
    const { tools } = createRegistry(builtIns, extensionTools, { wasmTools, mcpTools });
    expect(tools.map(({ tool, source }) => [tool.name, source])).toEqual([
      ["write", "builtin"],
      ["read", "builtin"],
      ["bash", "builtin"],
      ["sum", { kind: "wasm", id: "/plugins/z.wasm" }],
      ["deploy", { kind: "extension", id: "git-guard" }],
      ["mcp_files_stat", { kind: "mcp", id: "files" }],
    ]);
  });

  it("names the losers in the order in which they lost", () => {
    expect(createRegistry(builtIns, extensionTools, { wasmTools, mcpTools }).shadowed).toEqual([
      { name: "read", winner: "built-in", loser: "wasm read" },
      { name: "deploy", winner: "extension git-guard", loser: "extension suite/lib/b" },
      { name: "sum", winner: "wasm /plugins/z.wasm", loser: "extension git-guard" },
      { name: "deploy", winner: "extension git-guard", loser: "mcp configured" },
    ]);
  });

  it("compares names exactly", () => {
    const { tools, shadowed } = createRegistry(builtIns, [{ module: "a", tool: namedTool("Read") }]);
    expect([tools.length, shadowed]).toEqual([4, []]);
  });

  it("keeps the first of two tools of one name that one extension lists", () => {
    const [first, second] = [namedTool("twice"), namedTool("twice")];
    const registry = createRegistry(
      [],
      [
        { module: "a", tool: first },
        { module: "a", tool: second },
      ],
    );
    expect(registry.find("twice")?.entry.tool).toBe(first);
    expect(registry.shadowed).toEqual([{ name: "twice", winner: "extension a", loser: "extension a" }]);
  });
});

describe("what a session leaves out", () => {
  it("goes by name, and what it shadowed does not come back", () => {
    expect(namesWith({ disabled: ["read", "deploy"] })).toEqual(["write", "bash", "sum", "mcp_files_stat"]);
  });

  it("is all but what is the only thing enabled, whatever is disabled", () => {
    expect(namesWith({ enabledOnly: ["sum", "read"], disabled: ["sum"] })).toEqual(["read", "sum"]);
    expect(namesWith({ enabledOnly: [] })).toEqual([]);
    expect(namesWith({ enabledOnly: null, disabled: ["sum"] })).not.toContain("sum");
  });

  it("is followed by what policy takes away", () => {
    expect(namesWith({ enabledOnly: ["sum", "read"], isRemoved: (name) => name === "read" })).toEqual([
      "sum",
    ]);
  });

  it("does not change who shadows whom", () => {
    const whole = createRegistry(builtIns, extensionTools, { wasmTools, mcpTools }).shadowed;
    const options = { wasmTools, mcpTools, disabled: ["read", "deploy", "sum"] };
    expect(createRegistry(builtIns, extensionTools, options).shadowed).toEqual(whole);
  });
});

describe("what a session brings", () => {
  it("takes the place of built-in, WASM and MCP tools, and shadows nothing", () => {
    const registry = createRegistry(builtIns, extensionTools, {
      wasmTools,
      mcpTools,
      customTools: [namedTool("sum"), namedTool("answer"), namedTool("answer")],
      extraTools: [namedTool("last")],
    });
    expect(registry.tools.map(({ tool, source }) => [tool.name, source])).toEqual([
      ["sum", "custom"],
      ["answer", "custom"],
      ["deploy", { kind: "extension", id: "git-guard" }],
      ["last", "extra"],
    ]);
    expect(registry.shadowed).toEqual([]);
  });

  it("follows at the end, out of reach of policy, unless its name is taken", () => {
    const registry = createRegistry(builtIns, [], {
      disabled: ["bash"],
      isRemoved: (name) => name !== "write",
      extraTools: ["zeta", "write", "bash", "zeta"].map(namedTool),
    });
    expect(registry.tools.map(({ tool }) => tool.name)).toEqual(["write", "zeta", "bash"]);
    expect(registry.droppedExtras).toEqual(["write", "zeta"]);
  });
});

describe("lines for people", () => {
  it("name the tool, the loser and the winner", () => {
    const loser = { kind: "extension" as const, id: "MyExtension" };
    expect(conflictWarning({ name: "read", winner: "builtin", loser })).toBe(
      "Tool name conflict: 'read' from extension MyExtension is shadowed by built-in",
    );
    expect(
      conflictWarning({
        name: "a",
        winner: { kind: "wasm", id: "/a.wasm" },
        loser: { kind: "mcp", id: "s" },
      }),
    ).toBe("Tool name conflict: 'a' from mcp s is shadowed by wasm /a.wasm");
    expect(droppedExtraWarning("a")).toBe("Extra tool 'a' is left out: another tool has its name");
  });

  it("call a WASM plugin by its path, else its name, else unknown", () => {
    expect([wasmId("/p", "n"), wasmId(null, "n"), wasmId(" ", null)]).toEqual(["/p", "n", "unknown"]);
    expect(sourceLabel({ kind: "wasm", id: wasmId(null, null) })).toBe("wasm unknown");
  });
});
