/**
 * A runtime's supervision tree as its facts tell it. A process that was killed told nothing, so what ran then is shown
 * as running.
 */
import type { FactData, FactOf } from "../events/index.ts";
import type { Projection } from "./projection.ts";

type Reason = FactData<"child.exited">["reason"];

/** One child, in its newest life. */
export interface SupervisedChild {
  readonly id: string;
  /** Path of its supervisor. */
  readonly supervisor: string;
  readonly type: "worker" | "supervisor";
  readonly state: "running" | "exited" | "start_failed";
  /** Which life under its supervisor. */
  readonly instance: number;
  /** Automatic restarts so far. */
  readonly restarts: number;
  /** Start of this life, epoch milliseconds. */
  readonly startedAt: number;
  /** Why it ended, or did not start; `null` while it runs. */
  readonly reason: Reason | null;
}

/** The children by their path, in the order of their first start. */
export interface SupervisionView {
  readonly children: Readonly<Record<string, SupervisedChild>>;
  /** Paths of the supervisors that gave up, with the child that was restarted too often. */
  readonly gaveUp: Readonly<Record<string, string>>;
}

/** A supervisor, or a child of one, with all below it. */
export interface SupervisionNode extends Omit<SupervisedChild, "supervisor"> {
  readonly path: string;
  /** The child that was restarted too often; `null` unless this supervisor gave up. */
  readonly gaveUpOn: string | null;
  readonly children: readonly SupervisionNode[];
}

type SupervisionFact =
  | "child.started"
  | "child.restarted"
  | "child.exited"
  | "child.start_failed"
  | "supervisor.gave_up";

/** The tree of a supervision stream. */
export const supervisionTree: Projection<SupervisionView, SupervisionFact> = {
  name: "supervision_tree",
  version: 1,
  initial: { children: {}, gaveUp: {} },
  types: {
    "child.started": true,
    "child.restarted": true,
    "child.exited": true,
    "child.start_failed": true,
    "supervisor.gave_up": true,
  },
  fold: foldSupervision,
};

function foldSupervision(view: SupervisionView, fact: FactOf<SupervisionFact>): SupervisionView {
  switch (fact.type) {
    case "child.started":
      return started(view, { ...fact.data, restarts: 0 }, fact.at);
    case "child.restarted":
      return started(view, fact.data, fact.at);
    case "child.exited":
      return ended(view, fact.data, "exited", fact.at);
    case "child.start_failed":
      return ended(view, fact.data, "start_failed", fact.at);
    case "supervisor.gave_up":
      return { ...view, gaveUp: { ...view.gaveUp, [fact.data.supervisor]: fact.data.childId } };
  }
}

function started(view: SupervisionView, data: FactData<"child.restarted">, at: number): SupervisionView {
  const { supervisor, childId, childType, instance, restarts } = data;
  const path = pathOf(data);
  const child: SupervisedChild = {
    id: childId,
    supervisor,
    type: childType,
    state: "running",
    instance,
    restarts,
    startedAt: at,
    reason: null,
  };
  const { [path]: _before, ...gaveUp } = view.gaveUp; // it is a new one, which has not given up
  return { children: { ...view.children, [path]: child }, gaveUp };
}

function ended(
  view: SupervisionView,
  data: FactData<"child.exited">,
  state: "exited" | "start_failed",
  at: number,
): SupervisionView {
  const { supervisor, childId, instance, reason } = data;
  const known = view.children[pathOf(data)];
  const before = known ?? { id: childId, supervisor, type: "worker", restarts: 0, startedAt: at };
  const child: SupervisedChild = { ...before, state, instance, reason };
  return { ...view, children: { ...view.children, [pathOf(data)]: child } };
}

/** Ids may hold slashes, so paths are compared whole and never taken apart. */
function pathOf({ supervisor, childId }: { readonly supervisor: string; readonly childId: string }): string {
  return `${supervisor}/${childId}`;
}

/** What stands under a supervisor, as a tree. The root of a runtime is `runtime`. */
export function childrenOf(view: SupervisionView, supervisor: string): SupervisionNode[] {
  const below = new Map<string, [string, SupervisedChild][]>();
  for (const entry of Object.entries(view.children)) {
    const siblings = below.get(entry[1].supervisor);
    if (siblings === undefined) below.set(entry[1].supervisor, [entry]);
    else siblings.push(entry);
  }
  const nodesUnder = (parent: string): SupervisionNode[] =>
    (below.get(parent) ?? []).map(([path, { supervisor: _parent, ...child }]) => ({
      ...child,
      path,
      gaveUpOn: view.gaveUp[path] ?? null,
      children: nodesUnder(path),
    }));
  return nodesUnder(supervisor);
}
