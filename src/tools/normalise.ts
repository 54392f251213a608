/**
 * From an author's definition of a tool to the {@link Tool} that the runtime runs, or the reason why not.
 */
import { messageOf } from "../errors.ts";
import { toJsonSchema } from "./schema.ts";
import type { Tool, ToolResult } from "./tool.ts";
import { validatorOf } from "./validator.ts";

// Taken before any author's code runs: in a worker it may put its own in their place.
const { stringify } = JSON;

/** A usable tool, with what was mended on the way; or what makes it unusable. Both are words for a validation warning. */
export type NormalisedTool =
  | { readonly tool: Tool; readonly warnings: readonly string[] }
  | { readonly problem: string };

/** Milliseconds that a tool has when its author names none. */
const defaultTimeoutMs = 300_000;

/** The longest delay that a timer can hold; longer ones would fire at once. */
const maxTimeoutMs = 2_147_483_647;

/**
 * Checks a definition and gives it its defaults. Never throws: members may be getters of an author's class.
 *
 * @param compiles - `false` leaves it to the caller to ask {@link schemaProblem}: a worker does without the compiler
 */
export async function normaliseTool(definition: unknown, compiles = true): Promise<NormalisedTool> {
  try {
    const normalised = await normalise(definition);
    if (!compiles || "problem" in normalised) return normalised;
    const problem = await schemaProblem(normalised.tool);
    return problem === undefined ? normalised : { problem };
  } catch (error) {
    return { problem: `the tool could not be read: ${messageOf(error)}` };
  }
}

async function normalise(definition: unknown): Promise<NormalisedTool> {
  if (typeof definition !== "object" || definition === null) return { problem: "a tool must be an object" };
  const author = definition as Readonly<Record<string, unknown>>;
  const { name, description, label } = author;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    return { problem: `tool name ${quoted(name)} must match ^[A-Za-z0-9_-]{1,64}$` };
  }
  if (typeof author["execute"] !== "function") return { problem: `tool ${name} has no execute function` };
  if (typeof description !== "string") return { problem: `tool ${name}: description must be a string` };
  const parameters = await toJsonSchema(author["parameters"]);
  if ("problem" in parameters) return { problem: `tool ${name}: ${parameters.problem}` };
  const { timeoutMs, warnings } = timeoutOf(name, author["timeoutMs"]);
  const tool: Tool = {
    name,
    label: typeof label === "string" && label.trim() !== "" ? label : name,
    description,
    parameters: parameters.schema,
    parallelSafe: author["parallelSafe"] === true,
    idempotent: author["idempotent"] === true,
    readOnly: author["readOnly"] === true,
    timeoutMs,
    // Through the object, so that a class keeps its `this`; read at each call, as the author wrote it.
    execute: async (id, args, signal, onUpdate, context) =>
      (author as unknown as Executable).execute(id, args, signal, onUpdate, context),
  };
  return { tool, warnings };
}

/** Why the parameters of a tool can't be checked; `undefined` when they can. */
export async function schemaProblem(tool: Pick<Tool, "name" | "parameters">): Promise<string | undefined> {
  try {
    await validatorOf(tool);
    return undefined;
  } catch (error) {
    return `tool ${tool.name}: parameters don't compile: ${messageOf(error)}`;
  }
}

interface Executable {
  execute(...call: Parameters<Tool["execute"]>): ToolResult | Promise<ToolResult>;
}

function timeoutOf(name: string, given: unknown): { timeoutMs: number; warnings: string[] } {
  if (given === undefined || given === null) return { timeoutMs: defaultTimeoutMs, warnings: [] };
  const isUsable =
    given === Infinity || (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= maxTimeoutMs);
  if (isUsable) return { timeoutMs: Number(given), warnings: [] };
  const warning = `tool ${name}: timeoutMs must be an integer from 1 to ${maxTimeoutMs} or Infinity, got ${quoted(given)}; ${defaultTimeoutMs} is used`;
  return { timeoutMs: defaultTimeoutMs, warnings: [warning] };
}

/** A bounded word for something that may be anything. */
function quoted(value: unknown): string {
  if (typeof value === "string") return stringify(value.slice(0, 80));
  return typeof value === "number" ? String(value) : typeof value;
}
