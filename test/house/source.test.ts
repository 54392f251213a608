import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => path.join("src", file));
const texts = files.map((file) => [file, readFileSync(path.join(root, file), "utf8")] as const);

test("the source is there to be looked at", () => {
  expect(files.length).toBeGreaterThan(20);
});

test("an entry names its exports one by one", () => {
  const starred = texts.filter(([, text]) => /^export \*/m.test(text)).map(([file]) => file);
  expect(starred).toEqual([]);
});

test("a note of something to do carries the number of its issue", () => {
  const bare = texts
    .filter(([, text]) => /\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/.test(text))
    .map(([file]) => file);
  expect(bare).toEqual([]);
});

test("every file can be read in one sitting", () => {
  const long = texts
    .map(([file, text]) => [file, text.split("\n").length] as const)
    .filter(([, lines]) => lines > 300);
  expect(long).toEqual([]);
});

test("every exported name says what it is for", () => {
  expect(texts.flatMap(([file, text]) => silentExports(file, text))).toEqual([]);
});

/** Exported declarations with no TSDoc above them. Overloads need one on the first. */
function silentExports(file: string, text: string): string[] {
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const told = new Set<string>();
  return source.statements.flatMap((statement) => {
    if (!isExportedDeclaration(statement)) return [];
    const name = nameOf(statement);
    const silent = ts.getJSDocCommentsAndTags(statement).length === 0 && !told.has(name);
    told.add(name);
    const { line } = source.getLineAndCharacterOfPosition(statement.getStart());
    return silent ? [`${file}:${line + 1} ${name}`] : [];
  });
}

function isExportedDeclaration(node: ts.Statement): boolean {
  if (ts.isExportDeclaration(node) || !ts.canHaveModifiers(node)) return false;
  return (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
}

function nameOf(node: ts.Statement): string {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => name.getText()).join(", ");
  return ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
    ? (node.name?.text ?? "default")
    : node.getText().slice(0, 30);
}
