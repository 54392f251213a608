/**
 * JSON that is written back as it was read: the order of members, double ones, numbers of any length and the spelling of
 * strings stay. `JSON.parse` keeps none of these.
 */
import type { Node, ParseError } from "jsonc-parser";

/** A piece of JSON. `raw` is the text of a scalar. */
export type JsonTree =
  | { readonly kind: "raw"; readonly raw: string }
  | { readonly kind: "array"; readonly items: readonly JsonTree[] }
  | { readonly kind: "object"; readonly members: readonly JsonMember[] };

/** A member of an object; `raw` is its name as the text spells it. */
export interface JsonMember {
  readonly name: string;
  readonly raw: string;
  readonly value: JsonTree;
}

/** What the parser refuses beyond what JSON does: nothing. */
const strict = { disallowComments: true, allowTrailingComma: false };

/** @param text - JSON, known to be valid */
export async function parseTree(text: string): Promise<JsonTree> {
  const { parseTree: parse } = await import("jsonc-parser");
  const root = parse(text, [], strict);
  if (root === undefined) throw new Error("JSON.parse read what jsonc-parser can't");
  return treeOf(root, text);
}

/** Where a text stops being JSON, and why. The offset counts UTF-16 units. */
export async function findFault(text: string): Promise<{ readonly offset: number; readonly what: string }> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const faults: ParseError[] = [];
  parse(text, faults, strict);
  const first = faults[0];
  if (first === undefined) return { offset: text.length, what: "it is not whole" };
  const words = printParseErrorCode(first.error).replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`);
  return { offset: first.offset, what: words.toLowerCase() };
}

function treeOf(node: Node, text: string): JsonTree {
  const { type, children = [] } = node;
  if (type === "array") return { kind: "array", items: children.map((child) => treeOf(child, text)) };
  if (type !== "object") return { kind: "raw", raw: rawOf(node, text) };
  const members = children.flatMap(({ children: [name, value] = [] }): JsonMember[] =>
    name === undefined || value === undefined
      ? []
      : [{ name: name.value as string, raw: rawOf(name, text), value: treeOf(value, text) }],
  );
  return { kind: "object", members };
}

function rawOf({ offset, length }: Node, text: string): string {
  return text.slice(offset, offset + length);
}

/** A value of a program as a tree. */
export function treeOfValue(value: unknown): JsonTree {
  if (Array.isArray(value)) return { kind: "array", items: value.map(treeOfValue) };
  if (typeof value !== "object" || value === null) return { kind: "raw", raw: JSON.stringify(value) };
  const members = Object.entries(value).map(([name, each]) => memberOf(name, treeOfValue(each)));
  return { kind: "object", members };
}

/** A member whose name is spelt as `JSON.stringify` does. */
function memberOf(name: string, value: JsonTree): JsonMember {
  return { name, raw: JSON.stringify(name), value };
}

/** The member of that name that counts: of double ones the last. */
export function memberNamed(tree: JsonTree | undefined, name: string): JsonTree | undefined {
  return tree?.kind === "object" ? tree.members.findLast((member) => member.name === name)?.value : undefined;
}

/** The object with one member set: in its place where it has one, else at the end. */
export function withMember(tree: JsonTree, name: string, value: JsonTree): JsonTree {
  const members = tree.kind === "object" ? tree.members : [];
  const at = members.findLastIndex((member) => member.name === name);
  const before = members[at];
  if (before === undefined) return { kind: "object", members: [...members, memberOf(name, value)] };
  return { kind: "object", members: members.with(at, { ...before, value }) };
}

/** The text as `JSON.stringify` with two blanks lays it out. */
export function printTree(tree: JsonTree, indent = ""): string {
  const inner = `${indent}  `;
  switch (tree.kind) {
    case "raw":
      return tree.raw;
    case "array": {
      const items = tree.items.map((item) => inner + printTree(item, inner));
      return items.length === 0 ? "[]" : `[\n${items.join(",\n")}\n${indent}]`;
    }
    case "object": {
      const members = tree.members.map(({ raw, value }) => `${inner}${raw}: ${printTree(value, inner)}`);
      return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
    }
  }
}
