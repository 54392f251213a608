/**
 * From the text that a model wrote to arguments that a tool may trust. The rules stand in docs/reference/tools.md, "Arguments".
 */
import { kindOf } from "../errors.ts";
import { describeFaults } from "./argument-messages.ts";
import { coerce } from "./coercion.ts";
import { jsonTextKind } from "./json-text.ts";
import { plainlyFits } from "./plain-schema.ts";
import type { Tool } from "./tool.ts";
import { validatorOf } from "./validator.ts";

/** Arguments as a JSON object. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Why arguments can't be used; the words of an error result. */
export interface ArgumentsProblem {
  readonly ok: false;
  readonly errorType: "invalid_tool_arguments" | "incomplete_tool_arguments";
  readonly message: string;
  readonly errors?: readonly string[];
}

/** Arguments that fit, or what is wrong with them. */
export type ArgumentsOutcome = { readonly ok: true; readonly args: ToolArguments } | ArgumentsProblem;

/** What validation needs of a tool. */
export type ToolParameters = Pick<Tool, "parameters" | "otherSpellings" | "judgesArguments">;

/** A validator of a schema that points at itself recurses with its value; `JSON.parse` does not. */
const maxDepth = 256;

/**
 * Reads the raw text of a call's arguments strictly. Absent, empty and blank text is `{}`.
 */
export function parseArguments(text: string | null | undefined): ArgumentsOutcome {
  if (text === null || text === undefined || text.trim() === "") return { ok: true, args: {} };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may be long or secret; where it stops says enough.
    return jsonTextKind(text) === "incomplete"
      ? incompleteArguments
      : invalidArguments(["arguments: not valid JSON"]);
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    if (isDeeperThan(maxDepth, parsed))
      return invalidArguments([`arguments: nested deeper than ${maxDepth} levels`]);
    return { ok: true, args: parsed as ToolArguments };
  }
  return invalidArguments([`arguments: must be a JSON object, got ${kindOf(parsed)}`]);
}

/**
 * Validates `args` against the tool's schema and bends them to it where a rule allows. Arguments that fit come back as the same object.
 *
 * @throws Error if the schema does not compile; a tool that went through `normaliseTool` has one that does
 */
export async function checkArguments(tool: ToolParameters, args: ToolArguments): Promise<ArgumentsOutcome> {
  const spelt = inOwnSpelling(tool, args);
  if (tool.judgesArguments === true || plainlyFits(tool.parameters, spelt)) return { ok: true, args: spelt };
  const { value, faults } = coerce(await validatorOf(tool), spelt);
  if (faults.length > 0) return invalidArguments(describeFaults(faults));
  return { ok: true, args: value as ToolArguments };
}

/** {@link parseArguments}, then {@link checkArguments}. */
export async function readArguments(
  tool: ToolParameters,
  text: string | null | undefined,
): Promise<ArgumentsOutcome> {
  const parsed = parseArguments(text);
  return parsed.ok ? checkArguments(tool, parsed.args) : parsed;
}

/** Renames `file_path` to `path` and the like where the tool says so and its own word is absent. */
function inOwnSpelling(tool: ToolParameters, args: ToolArguments): ToolArguments {
  const { otherSpellings } = tool;
  if (otherSpellings === undefined) return args;
  const foreign = Object.keys(args).filter((key) => {
    const own = Object.hasOwn(otherSpellings, key) ? otherSpellings[key] : undefined;
    return own !== undefined && !Object.hasOwn(args, own);
  });
  if (foreign.length === 0) return args;
  const renamed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(args)) {
    const own = foreign.includes(key) ? (otherSpellings[key] ?? key) : key;
    if (!Object.hasOwn(renamed, own)) {
      Object.defineProperty(renamed, own, { value, enumerable: true, configurable: true, writable: true });
    }
  }
  return renamed;
}

const incompleteArguments: ArgumentsProblem = {
  ok: false,
  errorType: "incomplete_tool_arguments",
  message: "Tool arguments were incomplete",
};

function invalidArguments(errors: readonly string[]): ArgumentsProblem {
  return {
    ok: false,
    errorType: "invalid_tool_arguments",
    message: `Invalid tool arguments: ${errors.join("; ")}`,
    errors,
  };
}

function isDeeperThan(levels: number, value: object): boolean {
  let layer: object[] = [value];
  for (let depth = 0; layer.length > 0; depth += 1) {
    if (depth === levels) return true;
    layer = layer.flatMap((parent) => Object.values(parent).filter(isObject));
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
