/** An extension that the program itself handed over: the same rules as in a worker, without its protection. */
import type { Clock, Logger } from "../../ports.ts";
import { schemaProblem, type Tool } from "../../tools/index.ts";
import { collectMembers, type LiveMembers } from "../members/collect.ts";
import { definitionIn, describe } from "../members/describe.ts";
import type { MemberPorts } from "../members/ports.ts";
import type { LiveProvider } from "../members/providers.ts";
import type {
  CollectedProvider,
  Collection,
  Description,
  ExtensionHost,
  ExtensionSettings,
} from "../port.ts";
import { runHandlers } from "./hooks.ts";
import { Life } from "./life.ts";
import { guardedTool } from "./tool.ts";

/** What the host needs of the world. */
export interface InProcessParts {
  /** Its place in the program's list, for the module id of one without a name. */
  readonly index: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The module id of an object: its name, or its place in the list. */
export function moduleOf({ name }: Pick<Description, "name">, index: number): string {
  return name ?? `extension[${index}]`;
}

/** Never rejects: what is wrong with the object stands in the description. */
export async function inProcessHost(definition: unknown, parts: InProcessParts): Promise<ExtensionHost> {
  const { clock, logger, index } = parts;
  const given = definitionIn(definition);
  // What is no object has no members, and so neither name nor version.
  const author = typeof given === "object" && given !== null ? given : {};
  const ports: MemberPorts = { setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire), compiles: false };
  const life = new Life();
  const description = withoutReservedName(await describe(author, ports));
  const module = moduleOf(description, index);
  const shared = new Map<string, { readonly collection: Promise<Collection>; users: number }>();

  const gather = async (key: string, cwd: string, settings: ExtensionSettings): Promise<Collection> => {
    const members = await collectMembers(author, cwd, settings, ports);
    for (const note of members.notes) logger.debug({ module }, note);
    const warnings = [...members.warnings];
    const tools = await usableTools(members, settings, life, warnings);
    const { owner, table } = members.hooks;
    return {
      tools,
      hooks: Object.fromEntries(Object.entries(table).map(([name, list]) => [name, list.length])),
      providers: members.providers.map(providerOf),
      errors: members.errors,
      warnings,
      runHooks: (name, args, options) =>
        runHandlers({ owner, list: table[name] ?? [] }, args, options, { clock, life }),
      release: () => {
        const entry = shared.get(key);
        if (entry === undefined) return;
        entry.users -= 1;
        if (entry.users === 0) shared.delete(key);
      },
    };
  };

  return {
    description,
    sha256: null,
    collect: (cwd, settings) => {
      const key = JSON.stringify([cwd, settings]);
      const known = shared.get(key);
      if (known !== undefined) {
        known.users += 1;
        return known.collection;
      }
      const collection = gather(key, cwd, settings);
      shared.set(key, { collection, users: 1 });
      return collection;
    },
    end: (now = false) => life.end(now),
  };
}

/** An object's name is its module id, and this one is taken. */
function withoutReservedName(description: Description): Description {
  if (description.name !== "builtin") return description;
  return { ...description, errors: { ...description.errors, name: ["the name builtin is reserved"] } };
}

/** Compiled once, in the form that is called. */
async function usableTools(
  { tools }: LiveMembers,
  settings: ExtensionSettings,
  life: Life,
  warnings: string[],
): Promise<readonly Tool[]> {
  const usable: Tool[] = [];
  for (const tool of tools) {
    const guarded = guardedTool(tool, settings, life);
    const problem = await schemaProblem(guarded);
    if (problem === undefined) usable.push(guarded);
    else warnings.push(problem);
  }
  return usable;
}

/** The author's own object: it has been seen to have the functions that its type asks for. */
function providerOf({ type, name, config, provider }: LiveProvider): CollectedProvider {
  return { type, name, config, provider } as CollectedProvider;
}
