/** Whatever a person's file holds, a change of status changes that and nothing else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTree, printTree, type JsonTree } from "../../../src/harness/features/json-tree.ts";
import { readText, withDocument, withStatus } from "../../../src/harness/features/text.ts";
import { rounds } from "../../support/soak.ts";

const key = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "1", "0", "x", "", "projectName", "updatedAt", "é🍋\u2028"),
  fc.string({ maxLength: 6 }),
);
/** Numbers that no program keeps, and ordinary values, as text. */
const scalar = fc.oneof(
  fc.constantFrom("12345678901234567890", "1.0", "-0", "1e400", "0.10", '"\\u0041"', '"\\/"', "null", "true"),
  fc.json({ maxDepth: 2 }),
);
const members = fc
  .array(fc.tuple(key, scalar), { maxLength: 4 })
  .map((entries) => entries.map(([name, value]) => `${JSON.stringify(name)}: ${value}`));
const id = fc.constantFrom("a", "b", "c", "__proto__");
const feature = fc
  .tuple(id, members, fc.boolean(), fc.array(id, { maxLength: 3 }))
  .map(([own, extra, first, dependencies]) => {
    const known = [`"id": ${JSON.stringify(own)}`, `"dependencies": ${JSON.stringify(dependencies)}`];
    return { id: own, text: `{${(first ? [...extra, ...known] : [...known, ...extra]).join(",")}}` };
  });
const file = fc
  .tuple(
    fc.array(feature, { maxLength: 5 }),
    members,
    fc.constantFrom("", "\u{feff}"),
    fc.constantFrom(" ", "\r\n\t"),
  )
  .map(([features, extra, mark, blank]) => ({
    ids: features.map((each) => each.id),
    bytes: Buffer.from(
      `${mark}{${[...extra, `"features":${blank}[${features.map(({ text }) => text).join(",")}]`].join(`,${blank}`)}}`,
    ),
  }));

const without = (tree: JsonTree, names: readonly string[]): JsonTree =>
  tree.kind !== "object"
    ? tree
    : { kind: "object", members: tree.members.filter(({ name }) => !names.includes(name)) };
const itemsOf = (tree: JsonTree): readonly JsonTree[] => {
  const features =
    tree.kind === "object" ? tree.members.findLast(({ name }) => name === "features")?.value : undefined;
  return features?.kind === "array" ? features.items : [];
};

test("a change of status keeps every other member, its place and its spelling", async () => {
  await fc.assert(
    fc.asyncProperty(file, id, async ({ ids, bytes }, changed) => {
      const before = await readText(bytes).catch(() => null);
      fc.pre(before !== null);
      const change = { id: changed, status: "completed", notes: undefined, updatedAt: "now" } as const;
      const after = Buffer.from(await withStatus(before, change)).toString();
      const [old, fresh] = [await parseTree(before.text), await parseTree(after)];
      expect(after).toBe(`${printTree(fresh)}\n`);
      expect(printTree(without(fresh, ["features"]))).toBe(printTree(without(old, ["features"])));
      const read = await readText(Buffer.from(after));
      itemsOf(fresh).forEach((item, at) => {
        const touched = ids[at] === changed ? ["status", "updated_at"] : [];
        expect(printTree(without(item, touched))).toBe(printTree(without(itemsOf(old)[at] ?? item, touched)));
        expect(read.document.features[at]?.status).toBe(
          ids[at] === changed ? "completed" : before.document.features[at]?.status,
        );
      });
    }),
    { numRuns: rounds(100, 3_000, 30_000) },
  );
});

test("a document that is saved over its own file keeps what the file had, and reads back the same", async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ bytes }) => {
      const base = await readText(bytes).catch(() => null);
      fc.pre(base !== null);
      const saved = Buffer.from(await withDocument(base.document, base));
      const again = await readText(saved);
      expect(again.document).toEqual(base.document);
      expect(Buffer.from(await withDocument(again.document, again)).equals(saved)).toBe(true);
      const [old, fresh] = [await parseTree(base.text), await parseTree(again.text)];
      const names = (tree: JsonTree): string[] =>
        tree.kind === "object" ? tree.members.map(({ name }) => name) : [];
      expect(names(fresh).slice(0, names(old).length)).toEqual(names(old));
    }),
    { numRuns: rounds(100, 3_000, 30_000) },
  );
});

test("ten thousand features in a chain are changed in a time that people wait for", async () => {
  const features = Array.from({ length: 10_000 }, (_, at) => ({
    id: `f${at}`,
    dependencies: [`f${(at + 1) % 10_000}`],
  }));
  const from = performance.now();
  const read = await readText(Buffer.from(JSON.stringify({ features })));
  await withStatus(read, { id: "f5000", status: "completed", notes: "x", updatedAt: "now" });
  await withDocument(read.document, read);
  expect(performance.now() - from).toBeLessThan(20_000);
});
