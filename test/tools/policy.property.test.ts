import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approvalModeOf, isRemoved, openPolicy, type ToolPolicy } from "../../src/tools/policy.ts";
import type { RegisteredTool } from "../../src/tools/index.ts";

const mode = fc.constantFrom("auto" as const, "ask" as const, "deny" as const);
const name = fc.stringMatching(/^[a-c]{1,3}$/);
const key = fc.oneof(
  name,
  name.map((text) => `${text}*`),
  fc.constant("*"),
);
const policy: fc.Arbitrary<ToolPolicy> = fc.record({
  allow: fc.oneof(fc.constant("all" as const), fc.array(name)),
  deny: fc.array(name),
  blockedTools: fc.array(name),
  requireApproval: fc.array(name),
  approvals: fc.dictionary(key, mode, { maxKeys: 5 }),
});

function tool(toolName: string, readOnly: boolean): RegisteredTool {
  const rest = { label: "", description: "", parameters: {}, parallelSafe: false, idempotent: false };
  const execute = (): Promise<never> => Promise.reject(new Error("never called"));
  return {
    source: { kind: "extension", id: "m" },
    tool: { name: toolName, readOnly, timeoutMs: 1, execute, ...rest },
  };
}

describe("the approval mode of a call", () => {
  test("is that of the exact name, else of the longest beginning, else of the lists, else the session's", () => {
    fc.assert(
      fc.property(policy, name, fc.boolean(), mode, (given, toolName, readOnly, session) => {
        const exact = Object.hasOwn(given.approvals, toolName) ? given.approvals[toolName] : undefined;
        let longest: string | undefined;
        for (const candidate of Object.keys(given.approvals)) {
          if (!candidate.endsWith("*") || !toolName.startsWith(candidate.slice(0, -1))) continue;
          if (longest === undefined || candidate.length > longest.length) longest = candidate;
        }
        const beginning = longest === undefined ? undefined : given.approvals[longest];
        const strict = session === "deny" ? "deny" : "ask";
        const listed = given.requireApproval.includes(toolName) ? strict : undefined;
        const expected = exact ?? beginning ?? listed ?? (readOnly ? "auto" : session);
        expect(approvalModeOf(tool(toolName, readOnly), null, given, session)).toBe(expected);
      }),
    );
  });

  test("of a reload of extensions is the session's, of their status auto", () => {
    const status = tool("extensions_status", true);
    expect(approvalModeOf(status, { action: "reload" }, openPolicy, "ask")).toBe("ask");
    expect(approvalModeOf(status, { action: "status" }, openPolicy, "ask")).toBe("auto");
    expect(approvalModeOf(status, null, openPolicy, "deny")).toBe("auto");
  });
});

test("a tool is offered only if it is allowed and neither denied nor blocked", () => {
  fc.assert(
    fc.property(policy, name, (given, toolName) => {
      const allowed = given.allow === "all" || given.allow.includes(toolName);
      const refused = [...given.deny, ...given.blockedTools].includes(toolName);
      expect(isRemoved(given, toolName)).toBe(!allowed || refused);
    }),
  );
});
