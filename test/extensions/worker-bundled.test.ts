/** From a TypeScript file to a running extension: bundle and worker together. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { workerHost } from "../../src/extensions/host/worker-host.ts";
import type { Collection } from "../../src/extensions/port.ts";
import { callTool, type TestWorld, testWorld, textOf } from "./worker-support.ts";

async function openFiles(t: TestWorld, files: Record<string, string>): Promise<Collection> {
  const folder = path.join(t.folder, "extension files");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const bundle = await bundleExtension(path.join(folder, "index.ts"), { cacheDir: t.world.cacheDir });
  const host = await workerHost(t.world, bundle, { module: "sample", generation: 1 });
  return host.collect(t.folder, {});
}

const index = `import { defineExtension, defineTool, z } from "lemon-runtime";
import { helper } from "./helper.ts";
const said = (text: unknown) => ({ content: [{ type: "text" as const, text: String(text) }] });
export default defineExtension({
  name: "sample",
  version: "1.0.0",
  tools: [
    defineTool({ name: "typed", description: "", parameters: z.object({ n: z.number() }), execute: (_id, { n }) => said(n + 1) }),
    defineTool({ name: "fails", description: "", execute: () => helper() }),
    defineTool({ name: "prints", description: "", execute: () => { console.log(new Error("here").stack); return said("") } }),
    defineTool({ name: "computed", description: "", execute: async () => { const name = "./late"; return said((await import(name + ".ts")).value) } }),
    defineTool({ name: "unsuffixed", description: "", execute: async () => { const name = "./late"; return said((await import(name)).value) } }),
    defineTool({ name: "missing", description: "", execute: async () => { const name = "./nowhere"; return said((await import(name + ".ts")).value) } }),
  ],
});`;
const helper = `class Broken extends Error {}
export function helper(): never {
  throw new Broken("in the helper");
}`;

it("an extension in TypeScript runs, and its errors and output name the author's lines", async () => {
  await using t = await testWorld();
  const late = "import { word } from './word.ts'; enum E { A = 5 } export const value: string = word + E.A;";
  const members = await openFiles(t, {
    "index.ts": index,
    "helper.ts": helper,
    "late.ts": late,
    "word.ts": "export const word: string = 'late';",
  });
  expect(members.warnings).toEqual([]);
  expect(await textOf(callTool(members, "typed", { args: { n: 1 } }))).toBe("2");
  expect(members.tools[0]?.parameters).toMatchObject({ properties: { n: { type: "number" } } });

  const error = (await callTool(members, "fails").catch((e: unknown) => e)) as Error;
  expect([error.name, error.message]).toEqual(["Broken", "in the helper"]);
  const [, first, second] = error.stack?.split("\n") ?? [];
  expect(first).toMatch(/helper\.ts:3:9/);
  expect(second).toMatch(/index\.ts:9:/);
  expect(error.stack).not.toMatch(/dist\/extensions/);

  expect(await textOf(callTool(members, "unsuffixed"))).toBe("late5");

  await callTool(members, "prints");
  await t.until(() => t.seen.lines.length >= 2);
  expect(t.seen.lines[1]).toMatch(/index\.ts:10:/);

  expect(await textOf(callTool(members, "computed"))).toBe("late5");
  await expect(callTool(members, "missing")).rejects.toThrow(/nowhere/);
});

it.each(["@sinclair/typebox", "typebox"])("an author without %s is given the runtime's", async (name) => {
  await using t = await testWorld();
  const members = await openFiles(t, {
    "index.ts": `import * as box from ${JSON.stringify(name)};
const T = box.Type;
export default {
  name: "boxed",
  version: "1.0.0",
  tools: [{ name: "t", description: "", parameters: T.Object({ n: T.Number() }), execute: (_id: string, args: { n: number }) => ({ content: [{ type: "text", text: String(args.n) }] }) }],
};`,
  });
  expect(members.warnings).toEqual([]);
  expect(members.tools[0]?.parameters).toMatchObject({
    properties: { n: { type: "number" } },
    required: ["n"],
  });
  expect(await textOf(callTool(members, "t", { args: { n: 3 } }))).toBe("3");
});
