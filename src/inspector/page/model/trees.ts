/** Trees as rows with a depth, in the order in which they are read. */
import type { DecisionNode, FactRow } from "../../api.ts";
import type { SupervisionNode } from "../../../projections/index.ts";

/** A row of a tree. */
export interface TreeRow<Node> {
  readonly node: Node;
  /** 1 for a root, as `aria-level` counts. */
  readonly level: number;
  /** Whether it is the last among its siblings, for each level from the second on: what its guides are drawn from. */
  readonly lasts: readonly boolean[];
}

/** Any tree, depth first. */
function treeRows<Node>(
  roots: readonly Node[],
  childrenOf: (node: Node) => readonly Node[],
): TreeRow<Node>[] {
  const rows: TreeRow<Node>[] = [];
  const visit = (nodes: readonly Node[], level: number, above: readonly boolean[]): void => {
    nodes.forEach((node, index) => {
      const lasts = level === 1 ? [] : [...above, index === nodes.length - 1];
      rows.push({ node, level, lasts });
      visit(childrenOf(node), level + 1, lasts);
    });
  };
  visit(roots, 1, []);
  return rows;
}

/**
 * The facts of a unit. A fact that alone follows from the one above stays at its depth: a chain of a hundred reads like a
 * list, and only where several follow the tree goes deeper.
 */
export function decisionRows(root: DecisionNode): TreeRow<FactRow>[] {
  const rows: TreeRow<FactRow>[] = [];
  const visit = (node: DecisionNode, level: number, lasts: readonly boolean[]): void => {
    rows.push({ node: node.row, level, lasts });
    const isFork = node.children.length > 1 || level === 1;
    node.children.forEach((child, index) => {
      if (isFork) visit(child, level + 1, [...lasts, index === node.children.length - 1]);
      else visit(child, level, lasts);
    });
  };
  visit(root, 1, []);
  return rows;
}

/** A supervision tree. */
export function supervisionRows(tree: readonly SupervisionNode[]): TreeRow<SupervisionNode>[] {
  return treeRows(tree, ({ children }) => children);
}
