import { expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import { featureFile, project, type FeatureFileView } from "../../src/projections/index.ts";

const [one, two] = ["1".repeat(64), "2".repeat(64)];
const cwd = "/shop";
const written = ["feature_file.written", { cwd, previousSha256: one, sha256: two }] as const;
const changed = [
  "feature.status_changed",
  { cwd, featureId: "__proto__", from: "pending", to: "completed", notesChanged: false, sessionId: "s" },
] as const;

function viewOf(...facts: readonly (readonly [string, object])[]): FeatureFileView {
  return facts.reduce(
    (view, [type, data], at) => project(featureFile, view, { type, data, at, schemaVersion: 1 } as Fact),
    featureFile.initial,
  );
}

test("a status counts once its write is finished", () => {
  expect(viewOf(written, changed)).toMatchObject({ cwd, sha256: null, statuses: {} });
  const view = viewOf(written, changed, ["feature_file.write_finished", { cwd, sha256: two }]);
  expect(view).toMatchObject({ cwd, sha256: two, open: null });
  expect(Object.entries(view.statuses)).toEqual([
    ["__proto__", { status: "completed", at: 1, sessionId: "s" }],
  ]);
});

test("an abandoned write sets no status and leaves the file as it was known", () => {
  const seen = ["feature_file.changed_outside", { cwd, sha256: one }] as const;
  const abandoned = ["feature_file.write_abandoned", { cwd, previousSha256: one, sha256: two }] as const;
  expect(viewOf(seen, written, changed, abandoned)).toEqual(viewOf(seen));
});

test("what was generated last is kept, and is not the file", () => {
  const document = { projectName: "Shop", features: [] };
  const generated = ["features.generated", { cwd, document, dropped: 0, renamed: [] }] as const;
  expect(viewOf(generated)).toMatchObject({ cwd, sha256: null, generated: document });
});
