/** Why a fact is there: the input that led to it, and all that was decided from that. */
import type { DecisionNode } from "../api.ts";
import type { FactColumns } from "./fact-columns.ts";

/** Facts of a tree, at most. */
const MAX_TREE_FACTS = 500;

/** The tree of a fact's unit, and how many of its facts did not fit. */
export interface DecisionTree {
  readonly unit: DecisionNode;
  readonly unitLeftOut: number;
}

interface Growing {
  readonly row: DecisionNode["row"];
  readonly children: Growing[];
}

/**
 * The tree of the unit that a fact belongs to: from the input that it follows from, through what was decided, to the next
 * inputs, which begin units of their own and are not in it.
 */
export function decisionTree(columns: FactColumns, version: number, most = MAX_TREE_FACTS): DecisionTree {
  const root: Growing = { row: columns.row(inputOf(columns, version)), children: [] };
  // Breadth first, so that of too many facts the nearest stay.
  const waiting: Growing[] = [root];
  let facts = 1;
  let unitLeftOut = 0;
  for (const node of waiting) {
    for (const effect of columns.effectsOf(node.row.version)) {
      if (columns.isInput(effect)) continue;
      if (facts >= most) {
        unitLeftOut += countBelow(columns, effect);
        continue;
      }
      const child: Growing = { row: columns.row(effect), children: [] };
      node.children.push(child);
      waiting.push(child);
      facts += 1;
    }
  }
  return { unit: root, unitLeftOut };
}

/** The input that a fact follows from: itself, if it is one. A decision of which the cause is not here stands for itself. */
function inputOf(columns: FactColumns, version: number): number {
  let at = version;
  while (!columns.isInput(at)) {
    const cause = columns.causationOf(at);
    // A cause comes before its effect; anything else is no cause that can be followed.
    if (cause === null || cause < 1 || cause >= at) return at;
    at = cause;
  }
  return at;
}

function countBelow(columns: FactColumns, version: number): number {
  const waiting = [version];
  for (const at of waiting)
    for (const effect of columns.effectsOf(at)) if (!columns.isInput(effect)) waiting.push(effect);
  return waiting.length;
}
