/** Where two JSON values differ, leaf by leaf. */
import type { LeafDifference } from "./divergence.ts";

/** How many leaves are told: a first difference wants to be read. */
const MAX_LEAVES = 20;

/**
 * The smallest parts that differ, in the order of `expected`. What only one side has counts as one leaf.
 *
 * @returns at most `MAX_LEAVES`
 */
export function leafDifferences(expected: unknown, actual: unknown): LeafDifference[] {
  const found: LeafDifference[] = [];
  walk("", expected, actual, found);
  return found;
}

function walk(path: string, expected: unknown, actual: unknown, found: LeafDifference[]): void {
  if (found.length >= MAX_LEAVES || Object.is(expected, actual)) return;
  if (!isBranch(expected) || !isBranch(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    found.push({ path, expected: expected ?? null, actual: actual ?? null });
    return;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
    walk(`${path}/${escaped(key)}`, member(expected, key), member(actual, key), found);
}

type Branch = Readonly<Record<string, unknown>>;

function isBranch(value: unknown): value is Branch {
  return typeof value === "object" && value !== null;
}

function member(value: Branch, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** RFC 6901, section 3. */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
