import { normaliseTool, type Tool } from "../../tools/index.ts";
export async function describe(definition: object): Promise<object> {
  const d = definition as Record<string, unknown>;
  return {
    name: d["name"] ?? null,
    version: d["version"] ?? null,
    capabilities: [],
    configSchema: {},
    errors: {},
    warnings: [],
  };
}
export async function collectMembers(
  definition: object,
  cwd: string,
  config: Readonly<Record<string, unknown>>,
) {
  const d = definition as Record<string, any>;
  const read = async (m: any, ...a: any[]) => (typeof m === "function" ? await m.apply(d, a) : m);
  const tools: Tool[] = [];
  const warnings: string[] = [];
  for (const t of (await read(d["tools"], cwd, { config })) ?? []) {
    const n = await normaliseTool(t);
    if ("tool" in n) tools.push(n.tool);
    else warnings.push(n.problem);
  }
  const hooks = (await read(d["hooks"], { config })) ?? {};
  const table: Record<string, readonly unknown[]> = {};
  for (const name of Object.keys(hooks))
    table[name] = Array.isArray(hooks[name]) ? hooks[name] : [hooks[name]];
  const providers = ((await read(d["providers"], { config })) ?? []).map((p: any) => ({
    ...p,
    config: p.config ?? {},
  }));
  return { tools, hooks: { owner: hooks, table }, providers, errors: {}, warnings };
}
