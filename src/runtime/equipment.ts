/** What a session works with at the moment: its tools and its hooks. A reload replaces it as a whole. */
import type { HookSource } from "../actors/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import type { KnownSecret } from "../secrets/index.ts";
import {
  builtInTools,
  createRegistry,
  droppedExtraWarning,
  isRemoved,
  type Tool,
  type ToolPolicy,
  type ToolRegistry,
} from "../tools/index.ts";
import type { Logger } from "../ports.ts";

/** Which of the tools a session offers; recorded with its settings. */
export interface ToolChoice {
  readonly disabled: readonly string[];
  readonly enabledOnly: readonly string[] | null;
  readonly toolPolicy: ToolPolicy;
}

/** Tools that the program hands to one session. They are not recorded: a resumed session is given them again. */
export interface HandedTools {
  /** In place of built-in tools; `null`: none are. */
  readonly customTools: readonly Tool[] | null;
  /** At the end of the list. */
  readonly extraTools: readonly Tool[];
}

/** Tools and hooks of a session, made of one load. */
export interface Equipment {
  readonly registry: ToolRegistry;
  /** In the order in which their hooks run. */
  readonly sources: readonly HookSource[];
  /** Secret settings of its extensions. */
  readonly secrets: readonly KnownSecret[];
}

/** Makes the equipment and logs a line for each tool that lost its name. */
export function equip(
  extensions: readonly LoadedExtension[],
  choice: ToolChoice,
  handed: HandedTools,
  logger: Logger,
): Equipment {
  const known = equipmentOf(extensions, handed);
  const equipment = known.get(keyOf(choice)) ?? assemble(extensions, choice, handed);
  known.set(keyOf(choice), equipment);
  const { registry } = equipment;
  for (const { name, winner, loser } of registry.shadowed)
    logger.warn({ tool: name }, `Tool name conflict: '${name}' from ${loser} is shadowed by ${winner}`);
  for (const name of registry.droppedExtras) logger.warn({ tool: name }, droppedExtraWarning(name));
  return equipment;
}

/**
 * Whether a session goes without a tool of plan mode. A list of the only tools was made for the session's own ones, so it
 * does not speak of the proposal of a plan.
 */
export function isLeftOut({ disabled, enabledOnly, toolPolicy }: ToolChoice, name: string): boolean {
  const { allow, deny, blockedTools } = toolPolicy;
  if (deny.includes(name) || blockedTools.includes(name)) return true;
  if (enabledOnly === null && disabled.includes(name)) return true;
  if (name === "propose_plan") return false;
  return (enabledOnly !== null && !enabledOnly.includes(name)) || (allow !== "all" && !allow.includes(name));
}

// Sessions with equal equipment share it: an idle one shall cost little.
const shared = new WeakMap<readonly LoadedExtension[], Map<string, Equipment>>();

function equipmentOf(
  extensions: readonly LoadedExtension[],
  { customTools, extraTools }: HandedTools,
): Map<string, Equipment> {
  if (customTools !== null || extraTools.length > 0) return new Map();
  const known = shared.get(extensions) ?? new Map<string, Equipment>();
  shared.set(extensions, known);
  return known;
}

function keyOf({ disabled, enabledOnly, toolPolicy }: ToolChoice): string {
  const { allow, deny, blockedTools } = toolPolicy;
  return JSON.stringify([disabled, enabledOnly, allow, deny, blockedTools]);
}

function assemble(
  extensions: readonly LoadedExtension[],
  { disabled, enabledOnly, toolPolicy }: ToolChoice,
  handed: HandedTools,
): Equipment {
  const extensionTools = extensions.flatMap(({ info: { module, sourcePath }, collection }) =>
    collection.tools.map((tool) => ({ module, sourcePath, tool })),
  );
  return {
    registry: createRegistry(builtInTools, extensionTools, {
      disabled,
      enabledOnly,
      isRemoved: (name) => isRemoved(toolPolicy, name),
      ...handed,
    }),
    sources: extensions.map(({ info: { module }, host: { sha256 }, collection }) => ({
      module,
      sha256,
      hooks: collection.hooks,
      runHooks: (name, args, options) => collection.runHooks(name, args, options),
    })),
    secrets: extensions.flatMap(({ secrets }) => secrets),
  };
}
