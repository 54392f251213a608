import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertJson } from "../../src/events/index.ts";
import { buildStatusReport } from "../../src/projections/index.ts";
import { extension, loadError, report, tools } from "./status-reports.ts";

describe("a status report", () => {
  it("of nothing has every member, and is JSON", () => {
    const empty = buildStatusReport({ extensions: [], loadErrors: [], loadedAt: null });
    expect(empty).toEqual({
      extensions: [],
      loadErrors: [],
      validationErrors: [],
      validationWarnings: [],
      overridden: [],
      quarantined: [],
      zombies: [],
      searchPaths: [],
      toolConflicts: null,
      providerRegistration: null,
      mcp: [],
      wasm: null,
      toolDisclosure: null,
      totalLoaded: 0,
      totalErrors: 0,
      totalValidationErrors: 0,
      loadedAt: null,
    });
    assertJson(empty);
  });

  it("counts valid extensions, also in quarantine, and load errors apart from validation errors", () => {
    const { totalLoaded, totalErrors, totalValidationErrors } = report({
      extensions: [extension("a"), extension("b")],
      quarantined: [{ module: "b", reason: "crash", since: 1, restarts: 3 }],
      loadErrors: [loadError("/x.ts")],
      validationErrors: [
        { module: "c", sourcePath: null, errors: ["missing required field: name"] },
        { module: "d", sourcePath: "/d.ts", errors: [] },
      ],
    });
    expect([totalLoaded, totalErrors, totalValidationErrors]).toEqual([2, 1, 2]);
  });

  it("keeps conflicts and registrations as they were told", () => {
    const toolConflicts = tools({ shadowedCount: 2 });
    const providerRegistration = { registered: [], conflicts: [], totalRegistered: 0, totalConflicts: 0 };
    expect(report({ toolConflicts, providerRegistration })).toMatchObject({
      toolConflicts,
      providerRegistration,
    });
  });

  it("shows of an extension what is to be shown, whatever else the program has of it", () => {
    const held = { ...extension("a"), settings: { apiKey: "hunter22" } };
    expect(report({ extensions: [held] }).extensions).toEqual([extension("a")]);
  });

  it("is the same in whatever order its parts came", () => {
    const modules = fc.uniqueArray(fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(
        modules.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([once, otherwise]) => {
          const of = (names: readonly string[]) =>
            report({
              extensions: names.map((name) => extension(name)),
              loadErrors: names.map((name) => loadError(name)),
              validationErrors: names.map((name) => ({ module: name, sourcePath: null, errors: [] })),
              overridden: names.map((name) => ({ module: name, sourcePath: null, keptSourcePath: null })),
            });
          expect(of(otherwise)).toEqual(of(once));
        },
      ),
    );
  });
});
