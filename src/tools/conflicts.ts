/** What became of equal names, for people and programs. Pure. docs/reference/tools.md, "Names" */
import { byCodePoint } from "../events/index.ts";
import { resolveTools, type ToolCandidate } from "./resolve.ts";
import { kindOf, type ToolKind, type ToolSource } from "./tool-source.ts";

/** One name that more than one tool has. */
export interface ToolConflict {
  readonly toolName: string;
  readonly winner: ToolSource;
  /** In the order in which they lost: built-in, WASM, extension, MCP. */
  readonly shadowed: readonly ToolSource[];
}

/** How the names of a whole catalogue were given away; what a session leaves out of it changes nothing. */
export interface ToolConflictReport<LoadError, Wasm> {
  /** One entry a name, by name. */
  readonly conflicts: readonly ToolConflict[];
  /** Tools that can be called: the sum of the four counts. */
  readonly totalTools: number;
  readonly builtinCount: number;
  readonly wasmCount: number;
  readonly extensionCount: number;
  readonly mcpCount: number;
  /** Losers, not names. */
  readonly shadowedCount: number;
  /** Of the extensions of the same folder. */
  readonly loadErrors: readonly LoadError[];
  /** State of the WASM plugins; `null` when there are none. */
  readonly wasm: Wasm | null;
}

/**
 * The report of a catalogue. Logs nothing.
 *
 * @param candidates - every tool there is, those that search and invoke other tools left out
 */
export function toolConflictReport<LoadError = never, Wasm = never>(
  candidates: readonly ToolCandidate[],
  about: { readonly loadErrors?: readonly LoadError[]; readonly wasm?: Wasm | null } = {},
): ToolConflictReport<LoadError, Wasm> {
  const { tools, collisions } = resolveTools(candidates);
  const byName = new Map<string, { readonly winner: ToolSource; readonly shadowed: ToolSource[] }>();
  for (const { winner, loser } of collisions) {
    const entry = byName.get(loser.name) ?? { winner: winner.source, shadowed: [] };
    entry.shadowed.push(loser.source);
    byName.set(loser.name, entry);
  }
  const counted = (kind: ToolKind): number => tools.filter(({ source }) => kindOf(source) === kind).length;
  return {
    conflicts: [...byName]
      .map(([toolName, entry]) => ({ toolName, ...entry }))
      .toSorted((a, b) => byCodePoint(a.toolName, b.toolName)),
    totalTools: tools.length,
    builtinCount: counted("builtin"),
    wasmCount: counted("wasm"),
    extensionCount: counted("extension"),
    mcpCount: counted("mcp"),
    shadowedCount: collisions.length,
    loadErrors: about.loadErrors ?? [],
    wasm: about.wasm ?? null,
  };
}

/** A tool of an extension, by name. */
export interface ProvidedTool {
  readonly module: string;
  readonly name: string;
  readonly sourcePath?: string | null;
}

/**
 * The names that extensions provide more than once, each with its modules by code point, before any of them is
 * compared with tools from elsewhere. A module that lists a name twice stands there twice.
 */
export function findDuplicateTools(
  tools: readonly ProvidedTool[],
): Readonly<Record<string, readonly string[]>> {
  const byName = new Map<string, ProvidedTool[]>();
  for (const tool of tools) byName.set(tool.name, [...(byName.get(tool.name) ?? []), tool]);
  return Object.fromEntries(
    [...byName]
      .filter(([, providers]) => providers.length > 1)
      .toSorted(([a], [b]) => byCodePoint(a, b))
      .map(([name, providers]) => [name, providers.toSorted(byModule).map(({ module }) => module)]),
  );
}

function byModule(a: ProvidedTool, b: ProvidedTool): number {
  return byCodePoint(a.module, b.module) || byCodePoint(a.sourcePath ?? "", b.sourcePath ?? "");
}
