/** The providers of an extension, those that can be used. */
import { kindOf } from "../../errors.ts";
import { copyJson } from "../../tools/for-authors.ts";
import { boundedMessage, isRecord, quoted } from "./words.ts";

/** A provider as its author made it, with the names of the functions that it has. */
export interface LiveProvider {
  readonly type: "model" | "memory" | "search";
  /** Trimmed. */
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly provider: object;
  readonly functions: readonly string[];
}

/** For each type the functions that are called. */
const functionsOf: Readonly<Record<LiveProvider["type"], readonly string[]>> = {
  model: ["stream", "getEnvApiKey"],
  memory: ["put", "search"],
  search: ["search", "extract"],
};

/**
 * Leaves out what can't be used, with a warning. One of a type that is not known here goes without: a later version may
 * know it.
 *
 * @param notes - lines for a debugger
 */
export function providersOf(
  list: readonly unknown[],
  warnings: string[],
  notes: string[],
): readonly LiveProvider[] {
  const found: LiveProvider[] = [];
  for (let index = 0; index < list.length; index += 1) {
    try {
      const provider = providerOf(list[index], index, warnings, notes);
      if (provider !== undefined) found.push(provider);
    } catch (error) {
      warnings.push(`providers[${index}] could not be read: ${boundedMessage(error)}`);
    }
  }
  return found;
}

function providerOf(
  entry: unknown,
  index: number,
  warnings: string[],
  notes: string[],
): LiveProvider | undefined {
  const refuse = (problem: string): undefined => void warnings.push(`providers[${index}]${problem}`);
  if (!isRecord(entry)) return refuse(` must be an object, got ${kindOf(entry)}`);
  const { type, name, provider, config } = entry;
  if (type !== "model" && type !== "memory" && type !== "search") {
    notes.push(`providers[${index}] is of a type that is not known`);
    return undefined;
  }
  if (typeof name !== "string" || name.trim() === "") return refuse(".name must be a non-empty string");
  const label = `: ${type} provider ${quoted(name.trim())}`;
  if ((typeof provider !== "object" || provider === null) && typeof provider !== "function")
    return refuse(`${label} must have an object as provider, got ${kindOf(provider)}`);
  const functions = functionsOf[type].filter(
    (method) => typeof (provider as unknown as Readonly<Record<string, unknown>>)[method] === "function",
  );
  const missing = missingFunction(type, functions);
  if (missing !== undefined) return refuse(`${label} has no function ${missing}`);
  const copy = isRecord(config) ? copyJson(config, "config") : undefined;
  if (copy?.ok === false) warnings.push(`providers[${index}]${label}: config is left out: ${copy.message}`);
  const own = copy?.ok === true ? (copy.value as Readonly<Record<string, unknown>>) : {};
  return { type, name: name.trim(), config: own, provider, functions };
}

function missingFunction(type: LiveProvider["type"], functions: readonly string[]): string | undefined {
  switch (type) {
    case "model":
      return functions.includes("stream") ? undefined : "stream";
    case "memory":
      return ["put", "search"].find((method) => !functions.includes(method));
    case "search":
      return functions.length > 0 ? undefined : "search or extract";
  }
}
