import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  configKeys,
  tomlSpelling,
  type NamedTables,
  type TableKeys,
  type ValueKey,
} from "../../src/config/keys.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...pagesUnder("docs"),
  ...pagesUnder("examples"),
];
const read = (page: string): string => readFileSync(path.join(root, page), "utf8");

test("every link to a file of the repository leads to it, and to a heading that is there", () => {
  const broken = pages.flatMap((page) => {
    return [...proseOf(page).matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(
      ([, link = "", heading]) => {
        const target = link === "" ? page : path.join(path.dirname(page), link);
        if (!existsSync(path.join(root, target))) return [`${page}: no file ${link}`];
        if (heading !== undefined && !headingsOf(target).includes(heading))
          return [`${page}: no heading ${heading}`];
        return [];
      },
    );
  });
  expect(pages.length).toBeGreaterThan(5);
  expect(broken).toEqual([]);
});

test("the index of the documentation lists every page", () => {
  const index = read("docs/README.md");
  const missing = pages
    .filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
    .filter((page) => !index.includes(`(${path.relative("docs", page)})`));
  expect(missing).toEqual([]);
});

test("every page that a comment of the source cites is there", () => {
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join("src", file));
  const missing = sources.flatMap((file) => {
    const cited = read(file).match(/\bdocs\/[\w/-]+\.md/g) ?? [];
    return cited.filter((page) => !existsSync(path.join(root, page))).map((page) => `${file}: ${page}`);
  });
  expect(missing).toEqual([]);
});

test("each dependency has its reason in one line, and nothing else does", () => {
  const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const [atRunTime = "", forDevelopment = ""] = read("docs/explanation/dependencies.md").split(
    "## For development",
  );
  const listed = (text: string): (string | undefined)[] =>
    [...text.matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map(([, name]) => name);
  expect(listed(atRunTime)).toEqual(Object.keys(manifest["dependencies"] ?? {}));
  expect(listed(forDevelopment)).toEqual(Object.keys(manifest["devDependencies"] ?? {}));
});

test("dependencies are pinned to exact versions", () => {
  const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const versions = Object.entries({ ...manifest["dependencies"], ...manifest["devDependencies"] });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("the reference lists each configuration key with its variable, and no other", () => {
  const page = read("docs/reference/configuration.md");
  const listed = [...page.matchAll(/^\| `\[([\w.]+)\]` \| `(\w+)` \|.*\|(?: `(\w+)`)? +\|$/gm)];
  expect(listed.map(([, table, key, variable]) => [`${table}.${key}`, variable])).toEqual(
    keysUnder(configKeys, []),
  );
});

function keysUnder(
  key: TableKeys | NamedTables | ValueKey,
  at: readonly string[],
): [string, string | undefined][] {
  if (key.holds === "value") return [[at.join("."), key.variable]];
  if (key.holds === "named") return keysUnder(key.each, [...at, "NAME"]);
  return Object.entries(key.keys).flatMap(([name, below]) => keysUnder(below, [...at, tomlSpelling(name)]));
}

function pagesUnder(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => path.join(folder, file));
}

/** A page without its code, in which brackets mean something else. */
function proseOf(page: string): string {
  return read(page)
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/`[^`\n]*`/g, "");
}

/** Anchors as GitHub makes them. */
function headingsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
