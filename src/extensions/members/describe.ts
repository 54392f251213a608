/** What an extension says of itself. docs/reference/extensions.md, "Members" */
import { kindOf } from "../../errors.ts";
import { copyJson } from "../../tools/for-authors.ts";
import type { Description, MemberErrors, MemberName } from "../port.ts";
import type { MemberPorts } from "./ports.ts";
import { readMember } from "./read-member.ts";
import { bareObject, isRecord, quoted } from "./words.ts";

// https://semver.org, "Is there a suggested regular expression"
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const none = (): readonly unknown[] => [];

/**
 * The object in a module's default export: that of a CommonJS module compiled from an ES module is inside.
 *
 * @returns what is there, be it an object or not
 */
export function definitionIn(defaultExport: unknown): unknown {
  const isCompiled =
    isRecord(defaultExport) && defaultExport["__esModule"] === true && "default" in defaultExport;
  return isCompiled ? defaultExport["default"] : defaultExport;
}

/** Reads name, version, capabilities and configSchema, one after the other. Never rejects. */
export async function describe(definition: object, ports: MemberPorts): Promise<Description> {
  const errors: Errors = bareObject();
  const warnings: string[] = [];
  const text = async (field: "name" | "version", isRight: RegExp, rule: string): Promise<string | null> => {
    const read = await readMember(definition, field, none, ports);
    const fault = read.fault ?? textFault(field, read.value);
    if (fault !== undefined) {
      errors[field] = [fault];
      return null;
    }
    const value = (read as { readonly value: unknown }).value as string;
    if (!isRight.test(value)) warnings.push(`${field} ${quoted(value)} ${rule}`);
    return value;
  };
  const name = await text("name", /^[a-z0-9]+(-[a-z0-9]+)*$/, "is not lower case with hyphens");
  const version = await text("version", semver, "is no semantic version");
  const capabilities = await capabilitiesOf(definition, ports, errors, warnings);
  const configSchema = await configSchemaOf(definition, ports, errors);
  return { name, version, capabilities, configSchema, errors: errors satisfies MemberErrors, warnings };
}

function textFault(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return `missing required field: ${field}`;
  if (typeof value !== "string") return `${field} must be a string, got ${kindOf(value)}`;
  return value.trim() === "" ? `missing required field: ${field}` : undefined;
}

type Errors = { [Name in MemberName]?: readonly string[] };

async function capabilitiesOf(
  definition: object,
  ports: MemberPorts,
  errors: Errors,
  warnings: string[],
): Promise<readonly string[]> {
  const read = await readMember(definition, "capabilities", none, ports);
  if (read.fault !== undefined) {
    errors.capabilities = [read.fault];
    return [];
  }
  if (read.value === undefined) return [];
  const copy = copyJson(read.value, "capabilities");
  if (!Array.isArray(read.value)) {
    errors.capabilities = [`capabilities must be an array, got ${kindOf(read.value)}`];
    return [];
  }
  const list = copy.ok && Array.isArray(copy.value) ? (copy.value as readonly unknown[]) : undefined;
  const words = list?.filter((word): word is string => typeof word === "string") ?? [];
  if (words.length !== list?.length) warnings.push("capabilities: what is no text was left out");
  return words;
}

async function configSchemaOf(
  definition: object,
  ports: MemberPorts,
  errors: Errors,
): Promise<Readonly<Record<string, unknown>>> {
  const read = await readMember(definition, "configSchema", none, ports);
  if (read.fault !== undefined) {
    errors.configSchema = [read.fault];
    return {};
  }
  if (read.value === undefined) return {};
  if (!isRecord(read.value)) {
    errors.configSchema = [`configSchema must be an object, got ${kindOf(read.value)}`];
    return {};
  }
  const copy = copyJson(read.value, "configSchema");
  if (copy.ok) return copy.value as Readonly<Record<string, unknown>>;
  errors.configSchema = [`configSchema must be JSON: ${copy.message}`];
  return {};
}
