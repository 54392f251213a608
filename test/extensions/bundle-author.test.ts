import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import * as author from "../../src/extensions/author/index.ts";
import * as withoutZ from "../../src/extensions/author/without-z.ts";

/** Names of values that the public face exports. */
function publicValues(): string[] {
  const file = path.resolve("src/index.ts");
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    const { exportClause } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw new Error("names only");
    return exportClause.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text);
  });
}

test("an extension can import every value of the public face: add a name to src/extensions/author when this fails", () => {
  expect(Object.keys(author).sort()).toEqual(publicValues().sort());
  expect([...Object.keys(withoutZ), "z"].sort()).toEqual(publicValues().sort());
});

test("what is not for authors says so, by its own name, called, constructed or extended", () => {
  const forAuthors = new Set(["z", "defineExtension", "defineTool", "fromAiSdkTool", "fromMcpTool"]);
  for (const [name, value] of Object.entries(author)) {
    if (forAuthors.has(name)) continue;
    const refusing = value as unknown as new () => object;
    const message = `${name} is not available inside an extension`;
    expect(() => new refusing()).toThrow(message);
    expect(() => (refusing as unknown as () => void)()).toThrow(message);
    class Mine extends refusing {}
    expect(() => new Mine()).toThrow(message);
    expect(({} as unknown) instanceof refusing).toBe(false);
    expect(refusing.name).toBe(name);
  }
});

test("the helpers of authors change nothing", () => {
  const definition = { name: "a", version: "1.0.0" };
  expect(author.defineExtension(definition)).toBe(definition);
  const tool = { name: "t", description: "", execute: () => ({ content: [] }) };
  expect(author.defineTool(tool)).toBe(tool);
});
