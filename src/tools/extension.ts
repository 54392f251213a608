/**
 * An extension object, checked before any of its tools is asked for.
 */
import { LemonError } from "../errors.ts";
import type { AnyToolDefinition, ExtensionDefinition, MemberOptions } from "./define.ts";

/** An extension can't be used. Code `LEMON_INVALID_EXTENSION`; `problems` holds every fault that was found. */
export class InvalidExtensionError extends LemonError {
  readonly problems: readonly string[];

  constructor(module: string, problems: readonly string[]) {
    super("invalid_extension", `Extension ${module} can't be used: ${problems.join("; ")}`, {
      field: module,
    });
    this.problems = problems;
  }
}

/** An extension with its defaults. `module` is its name. */
export interface Extension {
  readonly module: string;
  readonly version: string;
  readonly capabilities: readonly string[];
  readonly configSchema: Readonly<Record<string, unknown>>;
  /** The definitions for one working directory, each still to be normalised. */
  tools(cwd: string, options: MemberOptions): Promise<readonly AnyToolDefinition[]>;
}

/**
 * Checks an extension and gives it its defaults.
 *
 * Hooks and providers are refused: to take them and never call them would be worse.
 *
 * @param index - its place in the list, for the name of one without a name
 * @throws InvalidExtensionError with all faults, in the order of the members
 */
export function normaliseExtension(definition: unknown, index = 0): Extension {
  if (typeof definition !== "object" || definition === null) {
    throw new InvalidExtensionError(`extension[${index}]`, [`must be an object, got ${kindOf(definition)}`]);
  }
  // Members are read through the object: a class keeps its getters and methods on the prototype.
  const author = definition as {
    readonly [Key in keyof ExtensionDefinition | "hooks" | "providers"]?: unknown;
  };
  const { name, version, capabilities, configSchema } = author;
  const problems = [
    ...stringFault("name", name),
    ...stringFault("version", version),
    ...fault(
      "tools",
      author.tools,
      (value) => Array.isArray(value) || typeof value === "function",
      "an array",
    ),
    ...unsupported("hooks", author.hooks),
    ...fault("capabilities", capabilities, Array.isArray, "an array"),
    ...fault("configSchema", configSchema, isRecord, "an object"),
    ...unsupported("providers", author.providers),
  ];
  const module = typeof name === "string" && name.trim() !== "" ? name : `extension[${index}]`;
  if (name === "builtin") problems.unshift("the name builtin is reserved");
  if (problems.length > 0) throw new InvalidExtensionError(module, problems);
  return {
    module,
    version: String(version),
    capabilities: Array.isArray(capabilities) ? capabilities.map(String) : [],
    configSchema: isRecord(configSchema) ? configSchema : {},
    async tools(cwd, options) {
      const { tools } = author;
      const list: unknown =
        typeof tools === "function" ? await (definition as Called).tools(cwd, options) : (tools ?? []);
      if (!Array.isArray(list))
        throw new InvalidExtensionError(module, [`tools must be an array, got ${kindOf(list)}`]);
      return list as AnyToolDefinition[];
    },
  };
}

interface Called {
  tools(cwd: string, options: MemberOptions): unknown;
}

function stringFault(field: string, value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [`missing required field: ${field}`];
  return typeof value === "string" ? [] : [`${field} must be a string, got ${kindOf(value)}`];
}

function fault(
  field: string,
  value: unknown,
  isRight: (value: unknown) => boolean,
  expected: string,
): string[] {
  return value === undefined || value === null || isRight(value)
    ? []
    : [`${field} must be ${expected}, got ${kindOf(value)}`];
}

function unsupported(field: string, value: unknown): string[] {
  const isEmpty =
    value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
  return isEmpty ? [] : [`${field} are not supported yet; they would never be called`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
