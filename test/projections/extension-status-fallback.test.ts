import { describe, expect, it } from "vitest";
import {
  fallbackDetails,
  fallbackMarkdown,
  fallbackReloadRefusal,
  fallbackTitle,
  type FallbackStatus,
} from "../../src/projections/index.ts";
import { extension, loadError, tools } from "./status-reports.ts";

const calm: FallbackStatus = {
  extensions: [extension("b"), extension("a", { capabilities: ["tools"] })],
  loadErrors: [],
  loadedAt: 1_706_715_000_000,
  toolConflicts: tools(),
};
const troubled: FallbackStatus = {
  ...calm,
  loadErrors: [loadError("/bad.ts")],
  toolConflicts: tools({ shadowedCount: 1 }),
};

describe("without a session", () => {
  it("the text has extensions, tools and load errors", () => {
    expect(fallbackMarkdown(troubled, "no session context"))
      .toBe(`# Extension Status Report (no session context)

- **Extensions loaded:** 2
- **Load errors:** 1
- **Total tools:** 17
- **Last load:** 2024-01-31 15:30:00 UTC

## Loaded Extensions
- **a** v1.0.0 (tools)
- **b** v1.0.0

## Tool Registry
- **Total tools:** 17
- **Built-in:** 16
- **From WASM:** 0
- **From extensions:** 1
- **Shadowed:** 1

## Load Errors
- \`/bad.ts\`
  - Syntax error at line 1: no`);
  });

  it("with details it tells modules and sources", () => {
    expect(fallbackMarkdown(calm, "session not found", { includeDetails: true })).toContain(
      "- **b** v1.0.0\n  - Source: /ext/b.ts\n  - Module: b",
    );
  });

  it("before any load there is no time of it", () => {
    const nothing = { extensions: [], loadErrors: [], loadedAt: null, toolConflicts: null };
    expect(fallbackMarkdown(nothing, "session not found")).toBe(`# Extension Status Report (session not found)

- **Extensions loaded:** 0
- **Load errors:** 0
- **Total tools:** 0`);
  });

  it("the title names all that is wrong, and why there is no session", () => {
    expect(fallbackTitle(calm, "no session context")).toBe("2 extensions loaded (no session context)");
    expect(fallbackTitle({ ...troubled, toolConflicts: tools() }, "no session context")).toBe(
      "2 loaded, 1 errors (no session context)",
    );
    expect(fallbackTitle({ ...troubled, loadErrors: [] }, "session not found")).toBe(
      "2 loaded, 1 conflicts (session not found)",
    );
    expect(fallbackTitle(troubled, "no session context")).toBe(
      "2 loaded, 1 errors, 1 conflicts (no session context)",
    );
  });

  it("the details are what is known, and the title", () => {
    expect(fallbackDetails(troubled, "no session context")).toEqual({
      title: "2 loaded, 1 errors, 1 conflicts (no session context)",
      ...troubled,
    });
  });

  it("there is nothing to reload", () => {
    expect(fallbackReloadRefusal("no session context")).toBe("Cannot reload extensions: no session context");
    expect(fallbackReloadRefusal("session not found")).toBe("Cannot reload extensions: session not found");
  });
});
