/** Random trees and random things that happen to them, as data that a person can read. */
import fc from "fast-check";
import type { RestartType } from "../../../src/supervision/index.ts";

/** A worker: how it answers a request to stop, and which of its starts (counted over the whole run) fail or say ignore. */
export interface Leaf {
  readonly kind: "leaf";
  readonly id: string;
  readonly restart: RestartType;
  readonly significant: boolean;
  readonly stop: "polite" | "brutal" | { readonly stubbornMs: number };
  readonly failing: readonly number[];
  readonly ignoring: readonly number[];
}

export interface Node {
  readonly kind: "supervisor";
  readonly id: string;
  readonly restart: RestartType;
  readonly significant: boolean;
  readonly strategy: "one_for_one" | "one_for_all" | "rest_for_one" | "dynamic";
  readonly autoShutdown: "never" | "any_significant" | "all_significant";
  readonly intensity: number;
  readonly periodSeconds: number;
  readonly children: readonly Plan[];
}

export type Plan = Leaf | Node;

/** `at` chooses among all leaves (or supervisors) of the plan, modulo their number. */
export type Step =
  | { readonly do: "crash" | "normal" | "shutdown" | "kill"; readonly at: number }
  | { readonly do: "terminate" | "restart" | "delete" | "start"; readonly at: number }
  | { readonly do: "kill supervisor" | "stop supervisor"; readonly at: number }
  | { readonly do: "wait"; readonly ms: number };

const restart = fc.constantFrom<RestartType[]>("permanent", "transient", "temporary");

const leaf: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant("leaf" as const),
  id: fc.constant(""),
  restart,
  significant: fc.boolean(),
  stop: fc.oneof(
    { weight: 4, arbitrary: fc.constant("polite" as const) },
    { weight: 1, arbitrary: fc.constant("brutal" as const) },
    { weight: 2, arbitrary: fc.record({ stubbornMs: fc.constantFrom(100, 700, 1500) }) },
  ),
  failing: fc.oneof(
    { weight: 8, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([1]) },
    { weight: 4, arbitrary: fc.uniqueArray(fc.integer({ min: 2, max: 6 }), { maxLength: 3 }) },
  ),
  ignoring: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 2 }) },
  ),
});

const node = (depth: number): fc.Arbitrary<Plan> =>
  fc.record({
    kind: fc.constant("supervisor" as const),
    id: fc.constant(""),
    restart,
    significant: fc.boolean(),
    strategy: fc.constantFrom("one_for_one", "one_for_all", "rest_for_one", "dynamic"),
    autoShutdown: fc.constantFrom("never", "never", "any_significant", "all_significant"),
    intensity: fc.integer({ min: 0, max: 5 }),
    periodSeconds: fc.integer({ min: 1, max: 4 }),
    children: fc.array(
      depth === 1
        ? leaf
        : fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 3, arbitrary: node(depth - 1) }),
      { minLength: 1, maxLength: 4, size: "max" },
    ),
  });

/** A tree of at most three levels of supervisors, valid by construction, every id unique. */
export const plans: fc.Arbitrary<Node> = node(3).map((plan) => named(plan, undefined, { count: 0 }) as Node); // the root is a node

/** Gives ids, and takes back what the rules forbid: significance, and other things than leaves under a dynamic supervisor. */
function named(plan: Plan, parent: Node | undefined, ids: { count: number }): Plan {
  const id =
    plan.kind === "leaf" ? `w${(ids.count += 1)}` : parent === undefined ? "root" : `s${(ids.count += 1)}`;
  const isStatic = parent !== undefined && parent.strategy !== "dynamic" && parent.autoShutdown !== "never";
  const significant = isStatic && plan.significant && plan.restart !== "permanent";
  if (plan.kind === "leaf") return { ...plan, id, significant };
  const isDynamic = plan.strategy === "dynamic";
  const self: Node = { ...plan, id, significant, autoShutdown: isDynamic ? "never" : plan.autoShutdown };
  const kept = isDynamic ? plan.children.filter((child) => child.kind === "leaf") : plan.children;
  return { ...self, children: kept.map((child) => named(child, self, ids)) };
}

const at = fc.nat(30);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "crash" as const,
        "crash" as const,
        "normal" as const,
        "shutdown" as const,
        "kill" as const,
      ),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("terminate" as const, "restart" as const, "delete" as const, "start" as const),
      at,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("kill supervisor" as const, "stop supervisor" as const), at }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 6000 }) }),
  },
);

export const stepLists: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 4, maxLength: 30, size: "max" });

/** Every leaf, or every supervisor, of a plan, with the path of the supervisor that it is under. */
export function everyOne(plan: Node): {
  leaves: { leaf: Leaf; under: string }[];
  supervisors: { node: Node; path: string; under: string | undefined }[];
} {
  const found: ReturnType<typeof everyOne> = { leaves: [], supervisors: [] };
  const visit = (node: Node, path: string, under: string | undefined): void => {
    found.supervisors.push({ node, path, under });
    for (const child of node.children) {
      if (child.kind === "leaf") found.leaves.push({ leaf: child, under: path });
      else visit(child, `${path}/${child.id}`, path);
    }
  };
  visit(plan, "root", undefined);
  return found;
}

/** The tree as lines. */
export function draw(plan: Plan, indent = ""): string {
  const flags = [plan.restart, ...(plan.significant ? ["significant"] : [])].join(" ");
  if (plan.kind === "leaf") {
    const stop = typeof plan.stop === "string" ? plan.stop : `stubborn for ${plan.stop.stubbornMs} ms`;
    const odd = [
      ...plan.failing.map((start) => `start ${start} fails`),
      ...plan.ignoring.map((start) => `start ${start} ignores`),
    ];
    return `${indent}${plan.id}  ${[flags, stop, ...odd].join(", ")}\n`;
  }
  const limits = `${plan.intensity} in ${plan.periodSeconds} s`;
  const auto = plan.autoShutdown === "never" ? "" : `, ${plan.autoShutdown}`;
  return `${indent}${plan.id}  ${plan.strategy}, ${limits}${auto}, ${flags}\n${plan.children.map((child) => draw(child, `${indent}   `)).join("")}`;
}

export function drawStep(step: Step, plan: Node): string {
  if (step.do === "wait") return `wait ${step.ms} ms`;
  const { leaves, supervisors } = everyOne(plan);
  if (step.do.endsWith("supervisor")) return `${step.do} ${supervisors[step.at % supervisors.length]?.path}`;
  return leaves.length === 0 ? `${step.do} nobody` : `${step.do} ${leaves[step.at % leaves.length]?.leaf.id}`;
}
