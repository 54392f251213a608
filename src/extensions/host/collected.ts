/** What a worker tells of its extension, parsed where it enters: an author may have taken our place in there. */
import { z } from "zod";
import { type HookName, hookNames } from "../hooks.ts";
import { type Description, type MemberErrors, memberNames } from "../port.ts";

const errors = z.partialRecord(z.enum(memberNames), z.array(z.string()));
const record = z.record(z.string(), z.unknown());

const descriptionShape = z.object({
  name: z.string().nullable(),
  version: z.string().nullable(),
  capabilities: z.array(z.string()),
  configSchema: record,
  errors,
  warnings: z.array(z.string()),
});

const toolShape = z.object({
  name: z.string(),
  label: z.string(),
  description: z.string(),
  parameters: record,
  parallelSafe: z.boolean(),
  idempotent: z.boolean(),
  readOnly: z.boolean(),
  timeoutMs: z
    .number()
    .nullable()
    .transform((limit) => limit ?? Infinity),
});

const providerShape = z.object({
  type: z.enum(["model", "memory", "search"]),
  name: z.string(),
  config: record,
  functions: z.array(z.string()),
  providerId: z.string().nullable(),
  apiId: z.string().nullable(),
});

const collectedShape = z.object({
  tools: z.array(toolShape),
  hooks: z.partialRecord(z.enum(hookNames as [HookName, ...HookName[]]), z.int().min(0)),
  providers: z.array(providerShape),
  errors,
  warnings: z.array(z.string()),
  notes: z.array(z.string()),
});

/** A tool without its function. */
export type ToolHead = z.infer<typeof toolShape>;
/** A provider, with the names of the functions that it has. */
export type ProviderHead = z.infer<typeof providerShape>;

/** The members for one folder and settings. */
export interface Collected {
  readonly tools: readonly ToolHead[];
  readonly hooks: Readonly<Partial<Record<HookName, number>>>;
  readonly providers: readonly ProviderHead[];
  readonly errors: MemberErrors;
  readonly warnings: readonly string[];
  /** Lines for a debugger. */
  readonly notes: readonly string[];
}

/** @returns `undefined` for what is none */
export function readDescription(value: unknown): Description | undefined {
  const parsed = descriptionShape.safeParse(value);
  return parsed.success ? { ...parsed.data, errors: membersOf(parsed.data.errors) } : undefined;
}

/** @returns `undefined` for what is none */
export function readCollected(value: unknown): Collected | undefined {
  const parsed = collectedShape.safeParse(value);
  if (!parsed.success) return undefined;
  const hooks: Partial<Record<HookName, number>> = {};
  for (const name of hookNames) {
    const count = parsed.data.hooks[name];
    if (count !== undefined && count > 0) hooks[name] = count;
  }
  return { ...parsed.data, hooks, errors: membersOf(parsed.data.errors) };
}

function membersOf(given: Partial<Record<string, string[] | undefined>>): MemberErrors {
  const found: Record<string, readonly string[]> = {};
  for (const name of memberNames) {
    const texts = given[name];
    if (texts !== undefined && texts.length > 0) found[name] = texts;
  }
  return found;
}
