import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createRegistry,
  findDuplicateTools,
  resolveTools,
  toolConflictReport,
  type ToolCandidate,
} from "../../src/tools/index.ts";
import { namedTool } from "./registry-tools.ts";

const name: fc.Arbitrary<string> = fc.constantFrom(
  "read",
  "Read",
  "bash",
  "deploy",
  "sum",
  "__proto__",
  "z",
  "\u{1F600}",
  "\uFF5E",
);
const id: fc.Arbitrary<string> = fc.constantFrom("a", "B", "a/lib/b", "z", "\u{1F600}", "\uFF5E");
const builtIns = fc
  .uniqueArray(name)
  .map((names) => names.map((each): ToolCandidate => ({ name: each, source: "builtin" })));
const foreign = fc.array(
  fc.record({ name, source: fc.record({ kind: fc.constantFrom("wasm", "extension", "mcp"), id }) }),
);

const rank = ({ source }: ToolCandidate): number =>
  source === "builtin" ? 0 : { wasm: 1, extension: 2, mcp: 3 }[source.kind];
const idOf = ({ source }: ToolCandidate): Buffer => Buffer.from(source === "builtin" ? "" : source.id);
/** The rule, said for two tools of one name. */
const beats = (a: ToolCandidate, b: ToolCandidate): number =>
  rank(a) - rank(b) || Buffer.compare(idOf(a), idOf(b));

/** Two lists with the same tools, the second in another load order: built-in tools keep theirs. */
const loaded = fc.tuple(builtIns, foreign).chain(([own, others]) =>
  fc.tuple(
    fc.constant([...own, ...others]),
    fc
      .shuffledSubarray(others, { minLength: others.length })
      .chain((shuffled) =>
        fc.nat(shuffled.length).map((at) => [...shuffled.slice(0, at), ...own, ...shuffled.slice(at)]),
      ),
  ),
);

describe("for any tools from any sources", () => {
  it("each name goes to the highest kind and then the first id, and the rest lose in that order", () => {
    fc.assert(
      fc.property(loaded, ([candidates]) => {
        const { tools, collisions } = resolveTools(candidates);
        const names = new Set(candidates.map((each) => each.name));
        expect(tools.length).toBe(names.size);
        for (const each of names) {
          const [winner, ...losers] = candidates
            .filter((candidate) => candidate.name === each)
            .toSorted(beats);
          expect(tools.filter((tool) => tool.name === each)).toEqual([winner]);
          const lost = collisions.filter(({ loser }) => loser.name === each);
          expect(lost.map(({ loser }) => loser)).toEqual(losers);
          for (const collision of lost) expect(collision.winner).toEqual(winner);
        }
      }),
    );
  });

  it("the counts add up", () => {
    fc.assert(
      fc.property(loaded, ([candidates]) => {
        const report = toolConflictReport(candidates);
        const { builtinCount, wasmCount, extensionCount, mcpCount } = report;
        expect(report.totalTools).toBe(builtinCount + wasmCount + extensionCount + mcpCount);
        expect(report.totalTools + report.shadowedCount).toBe(candidates.length);
        expect(report.shadowedCount).toBe(report.conflicts.flatMap(({ shadowed }) => shadowed).length);
        expect(builtinCount).toBe(candidates.filter(({ source }) => source === "builtin").length);
        const { tools } = resolveTools(candidates);
        expect([wasmCount, extensionCount, mcpCount]).toEqual(
          [1, 2, 3].map((kind) => tools.filter((tool) => rank(tool) === kind).length),
        );
      }),
    );
  });

  it("the order of loading changes nothing", () => {
    fc.assert(
      fc.property(loaded, ([once, otherwise]) => {
        expect(resolveTools(otherwise)).toEqual(resolveTools(once));
        expect(toolConflictReport(otherwise)).toEqual(toolConflictReport(once));
      }),
    );
  });

  it("the registry and the report of its catalogue agree", () => {
    fc.assert(
      fc.property(loaded, ([candidates]) => {
        const of = (kind: string) =>
          candidates.flatMap(({ name: each, source }) =>
            source !== "builtin" && source.kind === kind ? [{ id: source.id, tool: namedTool(each) }] : [],
          );
        const registry = createRegistry(
          candidates.filter(({ source }) => source === "builtin").map((each) => namedTool(each.name)),
          of("extension").map(({ id: module, tool }) => ({ module, tool })),
          {
            wasmTools: of("wasm").map(({ id: path, tool }) => ({ path, tool })),
            mcpTools: of("mcp").map(({ id: server, tool }) => ({ server, tool })),
          },
        );
        const { tools } = resolveTools(candidates);
        expect(registry.tools.map(({ tool, source }) => ({ name: tool.name, source }))).toEqual(tools);
        expect(registry.shadowed.length).toBe(toolConflictReport(candidates).shadowedCount);
      }),
    );
  });

  it("what is left out is a part of the list, in its order, and nothing new appears", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ module: id, name })),
        fc.array(name),
        fc.array(name),
        (has, off, on) => {
          const extensionTools = has.map(({ module, name: each }) => ({ module, tool: namedTool(each) }));
          const names = (options: object): string[] =>
            createRegistry([namedTool("read")], extensionTools, options).tools.map(({ tool }) => tool.name);
          expect(names({ disabled: off })).toEqual(names({}).filter((each) => !off.includes(each)));
          expect(names({ disabled: off, enabledOnly: on })).toEqual(
            names({}).filter((each) => on.includes(each)),
          );
        },
      ),
    );
  });

  it("duplicates are exactly the names with more than one provider", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ module: id, name })), (provided) => {
        const duplicates = new Map(Object.entries(findDuplicateTools(provided)));
        for (const { name: each } of provided) {
          const modules = provided.filter((tool) => tool.name === each).map(({ module }) => module);
          if (modules.length === 1) expect(duplicates.has(each)).toBe(false);
          else
            expect(duplicates.get(each)).toEqual(
              modules.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
            );
        }
        for (const each of duplicates.keys()) expect(provided.map((tool) => tool.name)).toContain(each);
      }),
    );
  });
});
