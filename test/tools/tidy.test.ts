import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtInTools } from "../../src/tools/index.ts";
import { workbench } from "./context.ts";

/** What a call that was killed while it wrote leaves beside its target. */
function siblingOf(callId: string): string {
  return `.lemon-${createHash("sha256").update(callId).digest("hex").slice(0, 16)}.tmp`;
}

it.each([
  ["write", { path: "sub/f", content: "new" }],
  ["edit", { path: "sub/f", oldText: "old", newText: "new" }],
  ["patch", { patch: "*** Begin Patch\n*** Add File: g\n+x\n*** Delete File: sub/f\n*** End Patch" }],
])("%s removes what its own killed call left beside its files, and nothing else", async (name, args) => {
  const { cwd, context } = workbench();
  mkdirSync(join(cwd, "sub"));
  for (const file of ["f", siblingOf("call_1"), siblingOf("call_2")])
    writeFileSync(join(cwd, "sub", file), "old");
  const tool = builtInTools.find((each) => each.name === name);
  await tool?.tidy?.("call_1", args, context);
  expect(readdirSync(join(cwd, "sub")).toSorted()).toEqual([siblingOf("call_2"), "f"]);
  expect(readdirSync(cwd)).toEqual(["sub"]);
});

it("only tools that write files tidy", () => {
  const names = builtInTools.filter(({ tidy }) => tidy !== undefined).map(({ name }) => name);
  expect(names).toEqual(["write", "edit", "patch"]);
});
