/** Plan mode's own tools: what they may write to, whatever links lie in the way. */
import fc from "fast-check";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isPlanTool, PLAN_READERS, PLAN_WRITERS } from "../../src/actors/session/plan.ts";
import { builtInTools, createRegistry, planRegistry, ToolFailure } from "../../src/tools/index.ts";
import { planTools } from "../../src/tools/plan/tools.ts";
import type { BuiltInTool } from "../../src/tools/tool.ts";
import { textOf, workbench, type Workbench } from "./context.ts";

const all = createRegistry(builtInTools, []);

function tool(name: string): BuiltInTool {
  const found = planTools.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

/** What a write to a path comes to: its text, or the refusal. */
async function write(bench: Workbench, name: string): Promise<string> {
  try {
    return textOf(await bench.run(tool("write"), { path: name, content: "x" }));
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    expect(error.result.details).toEqual({ errorType: "plan_boundary" });
    return error.message;
  }
}

const outside = (name: string): string => `${name} is outside .lemon/plans/`;

test("the deciders and the registry know the same tools, in the same order", () => {
  const registry = planRegistry(all, () => false);
  expect(registry.tools.map(({ tool: { name } }) => name)).toEqual([...PLAN_READERS, ...PLAN_WRITERS]);
  expect(planTools.map(({ name }) => name)).toEqual(PLAN_WRITERS);
  expect(registry.tools.every(({ tool: { name } }) => isPlanTool(name))).toBe(true);
});

test("a reader that is no built-in tool is not there, and what is left out stays out", () => {
  const read = { ...tool("propose_plan"), name: "read" };
  const custom = createRegistry(builtInTools, [], { customTools: [read] });
  const registry = planRegistry(custom, (name) => name === "edit");
  expect(registry.tools.map(({ tool: { name } }) => name)).toEqual(["write", "propose_plan"]);
});

test("the folder is made at the first use, and files and folders in it can be written and edited", async () => {
  const bench = workbench();
  expect(await write(bench, ".lemon/plans/deep/a.md")).toContain("Created");
  expect(await write(bench, path.join(bench.cwd, ".lemon/plans/b.md"))).toContain("Created");
  await bench.run(tool("edit"), { path: ".lemon/plans/b.md", oldText: "x", newText: "y" });
  expect(readFileSync(path.join(bench.cwd, ".lemon/plans/b.md"), "utf8")).toBe("y");
});

test.each([
  "a.md",
  "./.lemon/a.md",
  ".lemon/plans",
  ".lemon/plans-b/a.md",
  ".lemon/plans/../a.md",
  ".lemon/plans/../../../a.md",
  "~/a.md",
  "/tmp/lemon-plan-escape.md",
])("%s is outside, and nothing is written", async (name) => {
  const bench = workbench();
  // The folder itself lies in no folder of plans; as a file it can't be written either way.
  const said = await write(bench, name).catch((error: unknown) => String(error));
  if (name === ".lemon/plans") expect(said).toMatch(/directory/);
  else expect(said).toBe(outside(name));
  expect(readdirSync(bench.cwd)).toEqual([".lemon"]);
  expect(readdirSync(path.join(bench.cwd, ".lemon"))).toEqual(["plans"]);
  expect(existsSync("/tmp/lemon-plan-escape.md")).toBe(false);
});

/** A place outside of the working directory. */
function elsewhere(bench: Workbench): string {
  const folder = `${bench.cwd}-elsewhere`;
  mkdirSync(folder);
  return folder;
}

test("a folder of plans that is a link out of the working directory takes nothing", async () => {
  const bench = workbench();
  const there = elsewhere(bench);
  mkdirSync(path.join(bench.cwd, ".lemon"));
  symlinkSync(there, path.join(bench.cwd, ".lemon/plans"));
  expect(await write(bench, ".lemon/plans/a.md")).toBe(outside(".lemon/plans/a.md"));
  expect(readdirSync(there)).toEqual([]);
});

test("nothing is made on the far side when .lemon itself is a link", async () => {
  const bench = workbench();
  const there = elsewhere(bench);
  symlinkSync(there, path.join(bench.cwd, ".lemon"));
  expect(await write(bench, ".lemon/plans/a.md")).toBe(outside(".lemon/plans/a.md"));
  expect(readdirSync(there)).toEqual([]);
});

test("a folder of plans that is a link within the working directory is followed", async () => {
  const bench = workbench();
  mkdirSync(path.join(bench.cwd, ".lemon"));
  mkdirSync(path.join(bench.cwd, "docs"));
  symlinkSync("../docs", path.join(bench.cwd, ".lemon/plans"));
  expect(await write(bench, ".lemon/plans/a.md")).toContain("Created");
  expect(await write(bench, "docs/b.md")).toContain("Created");
  expect(await write(bench, "c.md")).toBe(outside("c.md"));
});

test("links below the folder are followed to their end: to a file, a folder, nowhere and in a circle", async () => {
  const bench = workbench();
  const there = elsewhere(bench);
  const plans = path.join(bench.cwd, ".lemon/plans");
  mkdirSync(plans, { recursive: true });
  writeFileSync(path.join(there, "real.md"), "kept");
  symlinkSync(path.join(there, "real.md"), path.join(plans, "file.md"));
  symlinkSync(there, path.join(plans, "folder"));
  symlinkSync(path.join(there, "new.md"), path.join(plans, "dangling.md"));
  symlinkSync("loop.md", path.join(plans, "loop.md"));
  for (const name of ["file.md", "folder/a.md", "folder/deep/a.md", "dangling.md", "loop.md"]) {
    expect(await write(bench, `.lemon/plans/${name}`)).toBe(outside(`.lemon/plans/${name}`));
  }
  expect(readdirSync(there)).toEqual(["real.md"]);
  expect(readFileSync(path.join(there, "real.md"), "utf8")).toBe("kept");
});

test("a link outside that leads into the folder may be written to", async () => {
  const bench = workbench();
  await write(bench, ".lemon/plans/a.md");
  symlinkSync(path.join(bench.cwd, ".lemon/plans"), path.join(bench.cwd, "here"));
  expect(await write(bench, "here/b.md")).toContain("Created");
});

test("no path leaves a trace outside of the folder", async () => {
  const bench = workbench();
  const there = elsewhere(bench);
  const plans = path.join(bench.cwd, ".lemon/plans");
  mkdirSync(path.join(plans, "in"), { recursive: true });
  symlinkSync(there, path.join(plans, "out"));
  symlinkSync("..", path.join(plans, "up"));
  symlinkSync("in", path.join(plans, "into"));
  const step = fc.constantFrom("..", ".", "in", "out", "up", "into", "plans", ".lemon", "new", "a.md");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const name = `.lemon/plans/${steps.join("/")}`;
      await write(bench, name).catch(() => "refused by the tool itself");
      expect(readdirSync(there)).toEqual([]);
      expect(readdirSync(bench.cwd)).toEqual([".lemon"]);
      expect(readdirSync(path.join(bench.cwd, ".lemon"))).toEqual(["plans"]);
    }),
    { numRuns: 150 },
  );
});

test("a replacement by a hook that holds no path is an error, not a file", async () => {
  const bench = workbench();
  const run = tool("write").execute(
    "c",
    { content: "x" },
    new AbortController().signal,
    () => undefined,
    bench.context,
  );
  await expect(run).rejects.toThrow("path must be a text");
});
