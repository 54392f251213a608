/** The kit around files: bundled, in a worker, as a session would have them. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { testExtension } from "../../src/testing/index.ts";

const sample = `
import { defineExtension } from "lemon-runtime";
const text = (text) => ({ content: [{ type: "text", text }] });
export default defineExtension({
  name: async () => "sample",
  version: "1.0.0",
  configSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  tools: (cwd, { config }) => [
    { name: "say", description: "says its word", execute: () => text(config.word) },
    { name: "leave", description: "ends its worker", execute: () => process.exit(3) },
    { name: "stay", description: "never ends", timeoutMs: 50, execute: () => new Promise(() => undefined) },
  ],
});
`;

function fileWith(source: string, name = "sample/index.js"): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "lemon-kit-test-")), name);
  mkdirSync(path.dirname(file));
  writeFileSync(file, source);
  return file;
}

test("settings reach a file by the name that it tells, and a folder too", async () => {
  const file = fileWith(sample);
  for (const place of [file, path.dirname(file), path.dirname(path.dirname(file))]) {
    await using kit = await testExtension(place, { config: { word: "lemon" } });
    expect((await kit.callTool("say")).content).toEqual([{ type: "text", text: "lemon" }]);
    expect(kit.report().extensions).toMatchObject([{ name: "sample", sourcePath: file }]);
  }
  await expect(testExtension(file)).rejects.toMatchObject({
    problems: ["sample: setting word must be there"],
  });
});

test("a tool that ends its worker, or never ends, costs its own call", async () => {
  await using kit = await testExtension(fileWith(sample), { config: { word: "still here" } });
  expect((await kit.callTool("leave")).details).toMatchObject({ errorType: "tool_task_crashed" });
  expect((await kit.callTool("stay")).details).toMatchObject({
    errorType: "tool_task_timeout",
    timeoutMs: 50,
  });
  expect((await kit.callTool("say")).content).toEqual([{ type: "text", text: "still here" }]);
});

test("a file that can't be read as a program is refused with its line", async () => {
  const file = fileWith("export default {\n  name: ,\n};\n");
  await expect(testExtension(file, { config: {} })).rejects.toMatchObject({
    code: "LEMON_UNUSABLE_EXTENSION",
    problems: [expect.stringContaining(`${file}: Syntax error at line 2`) as string],
  });
});
