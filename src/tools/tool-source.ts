/** Where a tool comes from, and what that is called in a line for people. Pure: machines use it too. */

/** A tool comes with the runtime, or from a WASM plugin (its path), an extension (its module) or an MCP server (its name). */
export type ToolSource = "builtin" | { readonly kind: "wasm" | "extension" | "mcp"; readonly id: string };

/** The kinds of source, those that win first. */
export const toolKinds = ["builtin", "wasm", "extension", "mcp"] as const;

/** See {@link toolKinds}. */
export type ToolKind = (typeof toolKinds)[number];

/** The kind of a source. */
export function kindOf(source: ToolSource): ToolKind {
  return source === "builtin" ? source : source.kind;
}

/** A source in a line for people: `built-in`, `wasm /plugins/a.wasm`, `extension git-guard`, `mcp files`. */
export function sourceLabel(source: ToolSource): string {
  return source === "builtin" ? "built-in" : `${source.kind} ${source.id}`;
}

/** The id of a WASM source: the plugin's path, else its name, else `unknown`. */
export function wasmId(path: string | null, name: string | null): string {
  return [path, name].find((id) => id !== null && id.trim() !== "") ?? "unknown";
}
