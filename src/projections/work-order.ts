/**
 * Items of work that depend on each other, as features and todos do: which can be begun, and what is wrong with their
 * dependencies. Linear in items and dependencies, and without recursion. docs/reference/features.md
 */

/** What the rules look at. */
export interface WorkItem {
  readonly id: string;
  /** `completed` is done; `failed` and `blocked` are not to be begun; any other word is open. */
  readonly status: string;
  /** `high`, `medium`; any other word is low. */
  readonly priority: string;
  /** Ids. */
  readonly dependencies: readonly string[];
}

/** A dependency that can't be met as things are, or an id that several items have. */
export interface DependencyProblem {
  /** The item that has it. */
  readonly id: string;
  readonly kind: "missing" | "cycle" | "failed" | "duplicate";
  /** The id that it depends on; `null` for a duplicate. */
  readonly dependency: string | null;
}

const notOpen: ReadonlySet<string> = new Set(["completed", "failed", "blocked"]);

/**
 * The open items whose every dependency is an id of a completed one: high priority first, then medium, then low, each in
 * the order of the list. Dependencies that are missing, cyclic or failed are not completed, and so keep an item out.
 */
export function actionable<Item extends WorkItem>(items: readonly Item[]): Item[] {
  const done = new Set(items.filter(({ status }) => status === "completed").map(({ id }) => id));
  const ready = items.filter(
    ({ status, dependencies }) => !notOpen.has(status) && dependencies.every((id) => done.has(id)),
  );
  const isRanked = (priority: string): boolean => priority === "high" || priority === "medium";
  return [
    ...ready.filter(({ priority }) => priority === "high"),
    ...ready.filter(({ priority }) => priority === "medium"),
    ...ready.filter(({ priority }) => !isRanked(priority)),
  ];
}

/** `floor(100 * done / total)`; 0 of nothing. */
export function percentage(done: number, total: number): number {
  return total === 0 ? 0 : Math.floor((100 * done) / total);
}

/**
 * What is wrong with ids and dependencies, in the order of the list; of one item first that its id is taken, then each
 * dependency once, in its order.
 *
 * `missing`: no item has that id. `cycle`: the dependency leads back to the item. `failed`: every item of that id failed.
 * Items that share an id count as one whose dependencies are those of all of them.
 */
export function dependencyProblems(items: readonly WorkItem[]): DependencyProblem[] {
  const numbers = new Map<string, number>();
  for (const { id } of items) if (!numbers.has(id)) numbers.set(id, numbers.size);
  const edges: number[][] = Array.from(numbers, () => []);
  const isAlive: boolean[] = [];
  for (const { id, status, dependencies } of items) {
    const number = numbers.get(id) ?? 0;
    if (status !== "failed") isAlive[number] = true;
    for (const dependency of dependencies) {
      const target = numbers.get(dependency);
      if (target !== undefined) edges[number]?.push(target);
    }
  }
  const components = componentsOf(edges);

  const problems: DependencyProblem[] = [];
  const seen = new Set<string>();
  for (const { id, dependencies } of items) {
    if (seen.has(id)) problems.push({ id, kind: "duplicate", dependency: null });
    seen.add(id);
    for (const dependency of new Set(dependencies)) {
      const target = numbers.get(dependency);
      if (target === undefined) {
        problems.push({ id, kind: "missing", dependency });
        continue;
      }
      // A dependency within one's own component leads back; one on oneself is the shortest of them.
      if (components[target] === components[numbers.get(id) ?? 0])
        problems.push({ id, kind: "cycle", dependency });
      if (isAlive[target] !== true) problems.push({ id, kind: "failed", dependency });
    }
  }
  return problems;
}

/** For each node the number of its strongly connected component (Tarjan, 1972), its stack being ours: chains may be long. */
function componentsOf(edges: readonly (readonly number[])[]): number[] {
  const index: number[] = [];
  const low: number[] = [];
  const component: number[] = [];
  const open: number[] = [];
  const next: number[] = edges.map(() => 0);
  let count = 0;
  let components = 0;
  const path: number[] = [];
  const enter = (node: number): void => {
    index[node] = low[node] = count;
    count += 1;
    open.push(node);
    path.push(node);
  };
  const lower = (node: number, to: number | undefined): void => {
    low[node] = Math.min(low[node] ?? 0, to ?? 0);
  };
  for (let start = 0; start < edges.length; start += 1) {
    if (index[start] === undefined) enter(start);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const target = edges[node]?.[next[node] ?? 0];
      next[node] = (next[node] ?? 0) + 1;
      if (target === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent !== undefined) lower(parent, low[node]);
        if (low[node] !== index[node]) continue;
        for (let member = open.pop(); member !== undefined; member = open.pop()) {
          component[member] = components;
          if (member === node) break;
        }
        components += 1;
      } else if (index[target] === undefined) {
        enter(target);
      } else if (component[target] === undefined) {
        lower(node, index[target]);
      }
    }
  }
  return component;
}
