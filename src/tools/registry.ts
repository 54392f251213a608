/**
 * Which tools there are, and who wins when two bear one name. The order stands in docs/reference/tools.md, "Names".
 */
import { byCodePoint } from "../events/index.ts";
import type { BuiltInTool, Tool } from "./tool.ts";

/** A tool of an extension, under the extension's module id. */
export interface ExtensionTool {
  readonly module: string;
  readonly tool: Tool;
}

/** One tool in the list, with where it comes from. */
export type RegisteredTool =
  | { readonly source: "builtin"; readonly tool: BuiltInTool }
  | { readonly source: { readonly kind: "extension"; readonly id: string }; readonly tool: Tool };

/** A tool that is not in the list because another one has its name. */
export interface ShadowedTool {
  readonly name: string;
  /** Labels such as `built-in` and `extension git-guard`. */
  readonly winner: string;
  readonly loser: string;
}

/** `exact` is false when the name was found only after its white space was mended. */
export interface FoundTool {
  readonly entry: RegisteredTool;
  readonly exact: boolean;
}

/** The tools that there are, by name. */
export interface ToolRegistry {
  /** Built-in tools as declared, then extension tools by (tool name, module), by code point. Equal inputs give the equal list. */
  readonly tools: readonly RegisteredTool[];
  readonly shadowed: readonly ShadowedTool[];
  /** The tool of exactly this name; else the first whose name is equal once runs of white space are one blank and ends trimmed. */
  find(name: string): FoundTool | undefined;
}

/** Puts the list together: a built-in tool wins over every extension, the first module over later ones. */
export function createRegistry(
  builtIns: readonly BuiltInTool[],
  extensionTools: readonly ExtensionTool[],
): ToolRegistry {
  const candidates: RegisteredTool[] = [
    ...builtIns.map((tool) => ({ source: "builtin" as const, tool })),
    ...extensionTools
      .toSorted((a, b) => byCodePoint(a.tool.name, b.tool.name) || byCodePoint(a.module, b.module))
      .map(({ module, tool }) => ({ source: { kind: "extension" as const, id: module }, tool })),
  ];
  const byName = new Map<string, RegisteredTool>();
  const shadowed: ShadowedTool[] = [];
  for (const candidate of candidates) {
    const { name } = candidate.tool;
    const winner = byName.get(name);
    if (winner === undefined) byName.set(name, candidate);
    else shadowed.push({ name, winner: labelOf(winner), loser: labelOf(candidate) });
  }
  return {
    tools: [...byName.values()],
    shadowed,
    find(name) {
      const entry = byName.get(name);
      if (entry !== undefined) return { entry, exact: true };
      const wanted = collapsed(name);
      for (const [known, candidate] of byName)
        if (collapsed(known) === wanted) return { entry: candidate, exact: false };
      return undefined;
    },
  };
}

function labelOf({ source }: RegisteredTool): string {
  return source === "builtin" ? "built-in" : `extension ${source.id}`;
}

function collapsed(name: string): string {
  return name.trim().replace(/\s+/g, " ");
}
