import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  discover,
  keepLast,
  type Discovery,
  type FoundModule,
} from "../../src/extensions/discovery/index.ts";

const folderName = fc.constantFrom("a", "B", "lib", "[x] & !", "index", "node_modules", ".h", "ü");
const names = [
  "index.ts",
  "index.js",
  "index.mjs",
  "a.js",
  "a.ts",
  "[b] & !.mts",
  "Z.mjs",
  "\u{1F600}.ts",
  "\uFF5E.ts",
];
const others = ["a.d.ts", "a.test.ts", ".a.ts", "a.TS", "a.cjs", "readme.md"];
const fileName = fc.constantFrom(...names, ...others);
const file = fc
  .tuple(fc.array(folderName, { maxLength: 4 }), fileName)
  .map(([dirs, name]) => [...dirs, name]);
const tree = fc.uniqueArray(file, { maxLength: 25, selector: (parts) => parts.join("/") });

interface Link {
  readonly at: readonly string[];
  readonly to: readonly string[];
}
const link: fc.Arbitrary<Link> = fc.record({
  at: fc
    .tuple(fc.array(folderName, { maxLength: 3 }), fc.constantFrom("link", "lib", "to.ts"))
    .map(([dirs, name]) => [...dirs, name]),
  to: fc.array(folderName, { maxLength: 3 }),
});

/** The rules said once more, for a tree without links and package.json files. */
function expected(paths: readonly (readonly string[])[]): string[] {
  const taken = paths.filter((parts) => {
    const name = parts.at(-1) ?? "";
    if (parts.some((part) => part.startsWith(".") || part === "node_modules")) return false;
    if (!/\.(ts|mts|js|mjs)$/.test(name) || /\.d\.m?ts$|\.test\./.test(name)) return false;
    if (parts.length === 1 || (parts.length > 2 && parts[1] === "lib")) return true;
    if (parts.length !== 2) return false;
    const hasTs = paths.some(
      (other) => other.length === 2 && other[0] === parts[0] && other[1] === "index.ts",
    );
    return name === "index.ts" || (name === "index.js" && !hasTs);
  });
  return taken
    .map((parts) => parts.join("/"))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-trees-")));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function plant(
  root: string,
  paths: readonly (readonly string[])[],
  links: readonly Link[],
): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const parts of paths) {
    const place = path.join(root, ...parts);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, "");
  }
  for (const { at, to } of links) {
    const place = path.join(root, ...at);
    // A path below a file, or a name that is taken: this link is left out, whatever the order.
    await mkdir(path.dirname(place), { recursive: true }).catch(() => undefined);
    await symlink(path.join(root, ...to), place).catch(() => undefined);
  }
}

function search(root: string): Promise<Discovery> {
  return discover([{ path: root, origin: "configured", exists: true }]);
}

const relativeTo = (root: string, found: Discovery): string[] =>
  found.files.map(({ sourcePath }) => path.relative(root, sourcePath).split(path.sep).join("/"));

test("of any tree exactly the files that the rules name are found, each id once, its last file kept", async () => {
  await fc.assert(
    fc.asyncProperty(tree, (paths) =>
      inFolder(async (folder) => {
        const root = path.join(folder, "[r] & !");
        await plant(root, paths, []);
        const found = await search(root);
        const overridden = found.overridden.map(({ sourcePath }) => path.relative(root, sourcePath ?? ""));
        const all: string[] = [...relativeTo(root, found), ...overridden];
        const wanted = expected(paths);
        expect(all.toSorted()).toEqual(wanted.toSorted());
        const last = new Map(wanted.map((each) => [each.replace(/\.[a-z]+$/, ""), each]));
        expect(relativeTo(root, found)).toEqual(wanted.filter((each) => [...last.values()].includes(each)));
        expect({ errors: found.loadErrors, warnings: found.warnings }).toEqual({ errors: [], warnings: [] });
      }),
    ),
    { numRuns: 60 },
  );
});

test("with links and circles in it a search ends, is sorted, names nothing twice, and does not depend on order", async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      fc.array(link, { maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (paths, links, random) =>
        inFolder(async (folder) => {
          const [one, two] = [path.join(folder, "1"), path.join(folder, "2")];
          const shuffled = paths.map((parts) => [random.next().value, parts] as const);
          await plant(one, paths, links);
          await plant(
            two,
            shuffled.toSorted(([a], [b]) => a - b).map(([, parts]) => parts),
            links,
          );
          const found = await search(one);
          const names = relativeTo(one, found);
          expect(names).toEqual(
            [...new Set(names)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
          );
          expect(new Set(found.files.map(({ module }) => module)).size).toBe(found.files.length);
          expect(relativeTo(two, await search(two))).toEqual(names);
        }),
    ),
    { numRuns: 60 },
  );
});

test("every id, and every file, is kept once, at its last place; each of the others names the one that was kept", () => {
  const each = fc.record({
    module: fc.constantFrom("a", "b", "constructor", "__proto__"),
    sourcePath: fc.option(fc.constantFrom("/1", "/2", "/3")),
  });
  fc.assert(
    fc.property(fc.array(each), (found) => {
      const { kept, overridden } = keepLast(found);
      const isSame = (one: FoundModule, other: FoundModule): boolean =>
        one.module === other.module || (one.sourcePath !== null && one.sourcePath === other.sourcePath);
      // From the end, each that no kept one stands in the way of.
      const expected: typeof found = [];
      for (const one of found.toReversed())
        if (!expected.some((other) => isSame(one, other))) expected.unshift(one);
      expect(kept).toEqual(expected);
      expect(kept.length + overridden.length).toBe(found.length);
      for (const { module, sourcePath, keptSourcePath } of overridden)
        expect(
          kept.some((one) => one.sourcePath === keptSourcePath && isSame(one, { module, sourcePath })),
        ).toBe(true);
      expect(keepLast(kept)).toEqual({ kept, overridden: [] });
    }),
  );
});
