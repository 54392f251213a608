/**
 * The list of tools that a session offers: names that collide are decided, then what the session leaves out goes, then
 * what it adds comes. docs/reference/tools.md, "Names"
 */
import { resolveTools, type ToolCandidate } from "./resolve.ts";
import type { BuiltInTool, Tool } from "./tool.ts";
import { sourceLabel, wasmId, type ToolSource } from "./tool-source.ts";

/** A tool of an extension, under the extension's module id. */
export interface ExtensionTool {
  readonly module: string;
  readonly tool: Tool;
  /** `null` or left out: an object of the program. */
  readonly sourcePath?: string | null;
}

/** A tool of a WASM plugin. */
export interface WasmTool {
  /** Of the plugin; `null`: its name stands for it. */
  readonly path: string | null;
  readonly tool: Tool;
}

/** A tool of an MCP server. */
export interface McpTool {
  /** `null`: the tool was handed to the session without one, and its source is `configured`. */
  readonly server: string | null;
  readonly tool: Tool;
}

/** One tool in the list, with where it comes from: `custom` and `extra` ones were handed to the session. */
export type RegisteredTool =
  | { readonly source: "builtin"; readonly tool: BuiltInTool }
  | { readonly source: Exclude<ToolSource, "builtin"> | "custom" | "extra"; readonly tool: Tool };

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
  /** In an order that depends only on what there is. Equal inputs give the equal list, so that prompt caches hold. */
  readonly tools: readonly RegisteredTool[];
  /** Also of tools that are left out afterwards. */
  readonly shadowed: readonly ShadowedTool[];
  /** Names of tools in `extraTools` that were taken already. */
  readonly droppedExtras: readonly string[];
  /** The tool of exactly this name; else the first whose name is equal once runs of white space are one blank and ends trimmed. */
  find(name: string): FoundTool | undefined;
}

/** What else there is, and what a session makes of it. */
export interface RegistryOptions {
  readonly wasmTools?: readonly WasmTool[];
  readonly mcpTools?: readonly McpTool[];
  /** Names to leave out. What a tool shadowed does not come back. */
  readonly disabled?: readonly string[];
  /** The only names to keep; then `disabled` has no effect. `null`: all. */
  readonly enabledOnly?: readonly string[] | null;
  /** Whether policy takes a tool away. Judged after `disabled` and `enabledOnly`. Default: none. */
  readonly isRemoved?: (name: string) => boolean;
  /** In place of built-in, WASM and MCP tools; extension tools follow. The first of a name wins, and nothing is shadowed. */
  readonly customTools?: readonly Tool[] | null;
  /** At the end of the list, whatever was left out or removed; one whose name is taken is dropped. */
  readonly extraTools?: readonly Tool[];
}

/** Puts the list together. */
export function createRegistry(
  builtIns: readonly BuiltInTool[],
  extensionTools: readonly ExtensionTool[],
  options: RegistryOptions = {},
): ToolRegistry {
  const { customTools = null } = options;
  const { tools, shadowed } =
    customTools === null
      ? catalogueOf(builtIns, extensionTools, options)
      : customCatalogue(customTools, extensionTools);
  const byName = new Map<string, RegisteredTool>();
  for (const entry of tools) if (isOffered(entry.tool.name, options)) byName.set(entry.tool.name, entry);
  const droppedExtras = addExtras(byName, options.extraTools ?? []);
  return { tools: [...byName.values()], shadowed, droppedExtras, find: (name) => find(byName, name) };
}

/** The line that is logged for an extra tool whose name is taken. */
export function droppedExtraWarning(name: string): string {
  return `Extra tool '${name}' is left out: another tool has its name`;
}

interface Catalogue {
  readonly tools: readonly RegisteredTool[];
  readonly shadowed: readonly ShadowedTool[];
}

type Candidate = ToolCandidate & { readonly entry: RegisteredTool };

function catalogueOf(
  builtIns: readonly BuiltInTool[],
  extensionTools: readonly ExtensionTool[],
  { wasmTools = [], mcpTools = [] }: RegistryOptions,
): Catalogue {
  const { tools, collisions } = resolveTools<Candidate>([
    ...builtIns.map((tool) => ({
      name: tool.name,
      source: "builtin" as const,
      entry: { source: "builtin" as const, tool },
    })),
    ...wasmTools.map(({ path, tool }) => candidate("wasm", wasmId(path, tool.name), tool)),
    ...extensionCandidates(extensionTools),
    ...mcpTools.map(({ server, tool }) => candidate("mcp", server ?? "configured", tool)),
  ]);
  return {
    tools: tools.map(({ entry }) => entry),
    shadowed: collisions.map(({ winner, loser }) => ({
      name: loser.name,
      winner: sourceLabel(winner.source),
      loser: sourceLabel(loser.source),
    })),
  };
}

function customCatalogue(customTools: readonly Tool[], extensionTools: readonly ExtensionTool[]): Catalogue {
  const byName = new Map<string, RegisteredTool>();
  const entries = [
    ...customTools.map((tool) => ({ source: "custom" as const, tool })),
    ...resolveTools(extensionCandidates(extensionTools)).tools.map(({ entry }) => entry),
  ];
  for (const entry of entries) if (!byName.has(entry.tool.name)) byName.set(entry.tool.name, entry);
  return { tools: [...byName.values()], shadowed: [] };
}

function extensionCandidates(tools: readonly ExtensionTool[]): Candidate[] {
  return tools.map(({ module, tool, sourcePath = null }) => ({
    ...candidate("extension", module, tool),
    sourcePath,
  }));
}

function candidate(kind: "wasm" | "extension" | "mcp", id: string, tool: Tool): Candidate {
  const source = { kind, id };
  return { name: tool.name, source, entry: { source, tool } };
}

function isOffered(name: string, { disabled = [], enabledOnly = null, isRemoved }: RegistryOptions): boolean {
  const isKept = enabledOnly === null ? !disabled.includes(name) : enabledOnly.includes(name);
  return isKept && isRemoved?.(name) !== true;
}

/** @returns the names that were taken */
function addExtras(byName: Map<string, RegisteredTool>, extraTools: readonly Tool[]): string[] {
  const dropped: string[] = [];
  for (const tool of extraTools) {
    if (byName.has(tool.name)) dropped.push(tool.name);
    else byName.set(tool.name, { source: "extra", tool });
  }
  return dropped;
}

function find(byName: ReadonlyMap<string, RegisteredTool>, name: string): FoundTool | undefined {
  const entry = byName.get(name);
  if (entry !== undefined) return { entry, exact: true };
  const wanted = collapsed(name);
  for (const [known, mended] of byName)
    if (collapsed(known) === wanted) return { entry: mended, exact: false };
  return undefined;
}

function collapsed(name: string): string {
  return name.trim().replace(/\s+/g, " ");
}
