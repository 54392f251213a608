/** The environment as a source of configuration: one variable a key. */
import { bool, nameWrong } from "./kinds.ts";
import { configKeys, type NamedTables, type TableKeys, type ValueKey } from "./keys.ts";
import type { Misfit, Setting, SettingsOfSource } from "./settings.ts";

/**
 * Reads the variables that are set and not blank. One for a yes-or-no key that is neither is ignored with a warning,
 * and the layer below holds; any other wrong value is a misfit, for guessing what it meant could loosen an approval.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): SettingsOfSource {
  const settings: Setting[] = [];
  const misfits: Misfit[] = [];
  const warnings: string[] = [];
  for (const { path, key, variable } of variables(configKeys, [])) {
    const text = env[variable]?.trim() ?? "";
    if (text === "" || key.kind.isUnset?.(text) === true) continue;
    const value = key.kind.readText(text);
    if (value !== undefined) settings.push({ source: "environment", path, spelt: [variable], key, value });
    else if (key.kind === bool)
      warnings.push(`environment: ${variable} is ignored: expected ${bool.expected}`);
    else misfits.push({ spelt: [variable], expected: key.kind.expected, got: nameWrong(text, key.kind) });
  }
  return { settings, misfits, warnings };
}

interface Variable {
  readonly path: readonly string[];
  readonly key: ValueKey;
  readonly variable: string;
}

function variables(table: TableKeys, path: readonly string[]): Variable[] {
  return Object.entries(table.keys).flatMap(([name, key]: [string, ValueKey | TableKeys | NamedTables]) => {
    if (key.holds === "table") return variables(key, [...path, name]);
    if (key.holds === "named" || key.variable === undefined) return [];
    return [{ path: [...path, name], key, variable: key.variable }];
  });
}
