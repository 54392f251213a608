import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => path.join("docs", file)),
];

test("every file of the repository that a page names is there", () => {
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(/`((?:src|test|examples|scripts|bench)\/[\w./-]+\.\w+)`/g)]
      .filter(([, file = ""]) => !existsSync(path.join(root, file)))
      .map(([, file = ""]) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test("the table of rooms lists each room of the source, and says which are still to be built", () => {
  const page = read("docs/explanation/rooms.md");
  const toBuild = /^Still to be built: (.*)$/m.exec(page)?.[1] ?? "";
  const future = [...toBuild.matchAll(/`([\w-]+)\/`/g)].map(([, room]) => room);
  const listed = [...page.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([\w.-]+)\/?`/g)].map(([, room = ""]) => room),
  );
  const present = readdirSync(path.join(root, "src")).filter((name) => name !== "index.ts");
  expect(listed.filter((room) => !future.includes(room)).toSorted()).toEqual(present.toSorted());
});

/** What a program is given or gives. */
const described = [
  "RuntimeOptions",
  "Runtime",
  "Sessions",
  "StartOptions",
  "SessionOptions",
  "Session",
  "Outcome",
  "SessionState",
  "PendingApproval",
  "ToolInfo",
  "SessionSummary",
  "ReplayReport",
  "StateAt",
  "ToolDefinition",
  "ExtensionDefinition",
  "ToolContext",
  "ToolResult",
];

const declarations = ["src/runtime", "src/projections", "src/replay", "src/tools", "src/extensions"].flatMap(
  (room) =>
    readdirSync(path.join(root, room), { encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => {
        const name = path.join(room, file);
        return ts
          .createSourceFile(name, read(name), ts.ScriptTarget.Latest, true)
          .statements.filter(
            (statement): statement is ts.InterfaceDeclaration | ts.ClassDeclaration =>
              ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement),
          );
      }),
);

test("the reference of the runtime names every member of what a program is given", () => {
  const told = new Set(
    [...read("docs/reference/runtime.md").matchAll(/`([^`\n]+)`/g)].flatMap(
      ([, code = ""]) => code.match(/[\w$]+/g) ?? [],
    ),
  );
  const members = described.flatMap((name) => membersOf(name).map((member) => `${name}.${member}`));
  expect(members.length).toBeGreaterThan(60);
  expect(members.filter((member) => !told.has(member.split(".")[1] ?? ""))).toEqual([]);
});

/** Public members of an interface or class of these rooms, those marked as internal left out. */
function membersOf(name: string): string[] {
  const found = declarations.find((declaration) => declaration.name?.text === name);
  if (found === undefined) throw new Error(`the source has no ${name}`);
  return found.members.flatMap((member) => {
    const isInternal = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal");
    const isNamed = member.name !== undefined && ts.isIdentifier(member.name);
    return isNamed && !isInternal ? [member.name.getText()] : [];
  });
}
