/** The list of tools in plan mode. docs/reference/plan-mode.md, "Tools" */
import { createRegistry, type RegisteredTool, type ToolRegistry } from "../registry.ts";
import type { BuiltInTool } from "../tool.ts";
import { planTools } from "./tools.ts";

/** Tools of the session that stay. */
const readers: ReadonlySet<string> = new Set(["read", "grep", "find", "ls", "todo", "extensions_status"]);

/** Lists that were made: a session asks at each request. */
const made = new WeakMap<ToolRegistry, ToolRegistry>();

/**
 * The readers that the session has of the built-in ones, then the tools of plan mode.
 *
 * @param session - the tools of the session
 * @param isLeftOut - whether the session's policy or its options take a tool away
 */
export function planRegistry(session: ToolRegistry, isLeftOut: (name: string) => boolean): ToolRegistry {
  const known = made.get(session);
  if (known !== undefined) return known;
  const staying = session.tools.filter(isReader).map(({ tool }) => tool);
  const registry = createRegistry([...staying, ...planTools.filter(({ name }) => !isLeftOut(name))], []);
  made.set(session, registry);
  return registry;
}

function isReader(entry: RegisteredTool): entry is RegisteredTool & { readonly tool: BuiltInTool } {
  return entry.source === "builtin" && readers.has(entry.tool.name);
}
