/** What an extension brings for one folder and one set of settings. docs/reference/extensions.md, "Members" */
import { kindOf } from "../../errors.ts";
import { copyJson, normaliseTool, type Tool } from "../../tools/for-authors.ts";
import type { ExtensionSettings, MemberErrors, MemberName } from "../port.ts";
import { hooksOf, type LiveHooks, noHooks } from "./hooks.ts";
import type { MemberPorts } from "./ports.ts";
import { type LiveProvider, providersOf } from "./providers.ts";
import { readMember } from "./read-member.ts";
import { bareObject, boundedMessage, isRecord } from "./words.ts";

/** Members that can be called where they are. */
export interface LiveMembers {
  /** Normalised, in the author's order, bad ones left out; of several with one name each is there. */
  readonly tools: readonly Tool[];
  readonly hooks: LiveHooks;
  readonly providers: readonly LiveProvider[];
  /** Of the members tools, hooks and providers. */
  readonly errors: MemberErrors;
  readonly warnings: readonly string[];
  /** Lines for a debugger: what was passed over in silence. */
  readonly notes: readonly string[];
}

/** Reads tools, hooks and providers, one after the other. Never rejects. */
export async function collectMembers(
  definition: object,
  cwd: string,
  config: ExtensionSettings,
  ports: MemberPorts,
): Promise<LiveMembers> {
  const errors: { [Name in MemberName]?: readonly string[] } = bareObject();
  const warnings: string[] = [];
  const notes: string[] = [];
  const options = (): object => ({ config: copied(config) });
  const read = async (name: MemberName, argumentsOf: () => readonly unknown[]): Promise<unknown> => {
    const member = await readMember(definition, name, argumentsOf, ports);
    if (member.fault === undefined) return member.value;
    errors[name] = [member.fault];
    return undefined;
  };
  const attempt = <Value>(name: MemberName, use: () => Value): Value | undefined => {
    try {
      return use();
    } catch (error) {
      errors[name] = [`${name} raised an error: ${boundedMessage(error)}`];
      return undefined;
    }
  };

  const toolList = await read("tools", () => [cwd, options()]);
  const entries = attempt("tools", () => listed("tools", toolList, errors)) ?? [];
  const tools = await normalised(entries, warnings, ports);

  const hookTable = await read("hooks", () => [options()]);
  const hooks = attempt("hooks", () => {
    if (hookTable === undefined) return noHooks;
    if (isRecord(hookTable)) return hooksOf(hookTable, warnings);
    errors.hooks = [`hooks must be an object, got ${kindOf(hookTable)}`];
    return noHooks;
  });

  const providerList = await read("providers", () => [options()]);
  const providers = attempt("providers", () =>
    providersOf(listed("providers", providerList, errors), warnings, notes),
  );
  return { tools, hooks: hooks ?? noHooks, providers: providers ?? [], errors, warnings, notes };
}

/** A copy of the author's list, so that it is walked as it was when it was given. */
function listed(
  name: "tools" | "providers",
  value: unknown,
  errors: { [Name in MemberName]?: readonly string[] },
): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return Array.from<unknown>(value);
  errors[name] = [`${name} must be an array, got ${kindOf(value)}`];
  return [];
}

async function normalised(
  entries: readonly unknown[],
  warnings: string[],
  { compiles }: MemberPorts,
): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  for (const entry of entries) {
    const outcome = await normaliseTool(entry, compiles);
    if ("problem" in outcome) {
      warnings.push(outcome.problem);
      continue;
    }
    tools.push(outcome.tool);
    warnings.push(...outcome.warnings);
  }
  return tools;
}

/** A copy for each call: what one function changes in it another does not see. */
function copied(config: ExtensionSettings): unknown {
  const copy = copyJson(config, "config");
  return copy.ok ? copy.value : {};
}
