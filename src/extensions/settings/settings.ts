/**
 * The settings of an extension: what is configured, the values of variables, the defaults of its schema, and what is wrong
 * with them. A wrong value is named by its field and never shown. docs/reference/configuration.md
 */
import { messageOf } from "../../errors.ts";
import type { JsonSchema, SchemaFault } from "../../tools/index.ts";
import { inspect } from "./inspect.ts";
import { fieldName, isPlainObject, keysOf, replaceAt } from "./pointer.ts";
import { resolveVariables, type Resolved } from "./variables.ts";

type Settings = Readonly<Record<string, unknown>>;

/** A value that must be hidden wherever it turns up. */
export interface SettingSecret {
  /** Stands in its place: the extension's name and the field, as one word. */
  readonly name: string;
  readonly value: string;
}

/** What an extension is given. */
export interface SettingsOutcome {
  /** As far as they could be read when there are errors; not to be used then. */
  readonly settings: Settings;
  readonly secrets: readonly SettingSecret[];
  /** One for each field that does not fit. */
  readonly errors: readonly string[];
}

/** What is shown in place of a secret. */
const REDACTED = "[redacted]";

/**
 * Makes the settings of the extension `name`. Neither `configured` nor the schema is changed. Never rejects.
 *
 * @param configSchema - JSON Schema; `{}` takes anything
 * @param configured - `[extensions.settings.NAME]`; `undefined` counts as empty
 * @param env - where `{ env = "VAR" }` is looked up
 */
export async function settingsOf(
  name: string,
  configSchema: JsonSchema,
  configured: Settings | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SettingsOutcome> {
  const resolved = resolveVariables(configured ?? {}, env);
  try {
    const first = await inspect(configSchema, structuredClone(resolved.value));
    const typed = readTexts(resolved, first.faults);
    const { value, faults, secrets } = typed === null ? first : await inspect(configSchema, typed);
    const settings = isPlainObject(value) ? value : {};
    return {
      settings,
      // A number that was read from a variable is hidden as the variable spells it too.
      secrets: unique([settings, resolved.value].flatMap((each) => secretsOf(name, each, [...secrets]))),
      errors: [...new Set(faults.filter(isTelling).map((fault) => describe(fault, resolved)))],
    };
  } catch (error) {
    return { settings: {}, secrets: [], errors: [`configSchema can't be used: ${messageOf(error)}`] };
  }
}

/**
 * The settings as they may be shown: secret members are `[redacted]`. With a schema that can't be used everything is.
 */
export async function redactSettings(settings: Settings, configSchema: JsonSchema): Promise<Settings> {
  const copy = structuredClone(settings);
  try {
    const { secrets } = await inspect(configSchema, structuredClone(settings));
    const shown = [...secrets].reduce<unknown>((value, at) => replaceAt(value, at, () => REDACTED), copy);
    return isPlainObject(shown) ? shown : {};
  } catch {
    return Object.fromEntries(Object.keys(copy).map((key) => [key, REDACTED]));
  }
}

/**
 * A variable holds text only: where the schema wants a number or a yes or no, the text is read as one.
 *
 * @returns `null` when there is nothing to read
 */
function readTexts({ value, variables }: Resolved, faults: readonly SchemaFault[]): unknown {
  let read: unknown = null;
  for (const { keyword, instancePath, params } of faults) {
    if (keyword !== "type" || !variables.has(instancePath)) continue;
    const wanted: unknown = (params as { readonly type?: unknown }).type;
    const types: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    read = replaceAt(read ?? structuredClone(value), instancePath, (text) => readText(text, types));
  }
  return read;
}

function readText(text: unknown, types: readonly unknown[]): unknown {
  if (typeof text !== "string") return text;
  const trimmed = text.trim();
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) && Number.isFinite(Number(trimmed));
  if (isNumber && (types.includes("number") || types.includes("integer"))) return Number(trimmed);
  if (types.includes("boolean") && (trimmed === "true" || trimmed === "false")) return trimmed === "true";
  return text;
}

/** Of `if` it says only that one of its branches failed, which is told anyway. */
function isTelling({ keyword }: SchemaFault): boolean {
  return keyword !== "if";
}

/** ajv's own words repeat the schema and never the value. */
function describe(
  { instancePath, keyword, params, message = "does not fit" }: SchemaFault,
  resolved: Resolved,
): string {
  const given: Readonly<Record<string, unknown>> = params;
  if (keyword === "required" || keyword === "dependentRequired" || keyword === "dependencies") {
    const at = `${instancePath}/${escape(String(given["missingProperty"]))}`;
    const variable = resolved.missing.get(at);
    const why = variable === undefined ? "" : `: the environment variable ${variable} is not set`;
    return `setting ${fieldName(at)} must be there${why}`;
  }
  const extra = given["additionalProperty"] ?? given["unevaluatedProperty"];
  if (typeof extra === "string")
    return `setting ${fieldName(`${instancePath}/${escape(extra)}`)} is not known`;
  return `${instancePath === "" ? "settings" : `setting ${fieldName(instancePath)}`} ${message}`;
}

function escape(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The texts and numbers at and below each secret place. */
function secretsOf(name: string, settings: unknown, pointers: readonly string[]): SettingSecret[] {
  return pointers.flatMap((pointer) => {
    const keys = keysOf(pointer);
    const word = [name, ...keys].join("_").replaceAll(/[^A-Za-z0-9_]/g, "_");
    const called = /^[A-Za-z_]/.test(word) ? word : `_${word}`;
    return leaves(keys.reduce<unknown>(memberAt, settings)).map((value) => ({ name: called, value }));
  });
}

/** One of each value: a name is enough for what is hidden everywhere. */
function unique(secrets: readonly SettingSecret[]): SettingSecret[] {
  return [...new Map(secrets.map((secret) => [secret.value, secret])).values()];
}

function memberAt(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leaves);
}
