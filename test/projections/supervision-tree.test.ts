import { expect, test } from "vitest";
import type { Fact } from "../../src/events/index.ts";
import { childrenOf, project, supervisionTree, type SupervisionNode } from "../../src/projections/index.ts";

const crash = { kind: "crash", detail: "boom" } as const;

function fold(
  ...facts: readonly (readonly [string, string, string, object?])[]
): ReturnType<typeof childrenOf> {
  let view = supervisionTree.initial;
  facts.forEach(([type, supervisor, childId, more], index) => {
    const data = {
      supervisor,
      childId,
      instance: 1,
      childType: "worker",
      reason: crash,
      restarts: 1,
      ...more,
    };
    const fact = { type, data, schemaVersion: 1, version: index + 1, at: index } as unknown as Fact;
    view = project(supervisionTree, view, fact);
  });
  return childrenOf(view, "runtime");
}

const told = (nodes: readonly SupervisionNode[]): unknown[] =>
  nodes.map(({ id, state, restarts, gaveUpOn, children }) => [id, state, restarts, gaveUpOn, told(children)]);

test("children stand under their supervisors, in the order of their start, also when ids hold slashes", () => {
  const tree = fold(
    ["child.started", "runtime", "log"],
    ["child.started", "runtime", "sessions", { childType: "supervisor" }],
    ["child.started", "runtime/sessions", "a/b", { childType: "supervisor" }],
    ["child.started", "runtime/sessions/a/b", "stream"],
  );
  const stream = ["stream", "running", 0, null, []];
  expect(told(tree)).toEqual([
    ["log", "running", 0, null, []],
    ["sessions", "running", 0, null, [["a/b", "running", 0, null, [stream]]]],
  ]);
});

test("an end has its reason, a restart is a new life, and a start that failed is told", () => {
  const tree = fold(
    ["child.started", "runtime", "a"],
    ["child.exited", "runtime", "a"],
    ["child.restarted", "runtime", "a", { instance: 2 }],
    ["child.started", "runtime", "b"],
    ["child.exited", "runtime", "b"],
    ["child.start_failed", "runtime", "c"],
  );
  expect(told(tree)).toEqual([
    ["a", "running", 1, null, []],
    ["b", "exited", 0, null, []],
    ["c", "start_failed", 0, null, []],
  ]);
  expect(tree.map(({ reason }) => reason)).toEqual([null, crash, crash]);
});

test("a supervisor that gave up says on whom, until it is started again", () => {
  const life = [
    ["child.started", "runtime", "s", { childType: "supervisor" }],
    ["child.started", "runtime/s", "w"],
    ["supervisor.gave_up", "runtime/s", "w"],
    ["child.exited", "runtime", "s"],
  ] as const;
  expect(fold(...life)[0]).toMatchObject({ state: "exited", gaveUpOn: "w" });
  expect(fold(...life, ["child.restarted", "runtime", "s"])[0]).toMatchObject({
    state: "running",
    gaveUpOn: null,
  });
});
