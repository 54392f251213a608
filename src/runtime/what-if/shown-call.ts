/** What handlers are shown when they are asked about a stored call. docs/reference/what-if.md, "What a hook sees" */
import type { SessionViews } from "../../actors/index.ts";
import type { Question } from "../../replay/index.ts";
import { checkArguments, type RegisteredTool, type ToolRegistry } from "../../tools/index.ts";

/**
 * A session as the hooks are asked about one of its calls: what they see of it stands in the question.
 *
 * @param hooks - how many answers there must be for a call to run
 */
export function sessionWith(
  session: SessionViews["session"],
  { callId, tool, mode, args, returned }: Question,
  hooks: number,
): SessionViews["session"] {
  const call = {
    callId,
    name: tool,
    state: "running" as const,
    args,
    masked: false,
    hooks,
    resultHooks: 0,
    // As if a hook had given them: they are bent to the schema already.
    judged: { version: 0, masked: false, replaced: true },
    returned,
    mode,
    answeredAt: 0,
    process: null,
    guards: [],
  };
  return { ...session, calls: { [callId]: call } };
}

/** Arguments as the tool takes them; as they are, where the tool is another one now and would not. */
export async function bent({ tool }: RegisteredTool, args: Question["args"]): Promise<Question["args"]> {
  const checked = await checkArguments(tool, args);
  return checked.ok ? checked.args : args;
}

/** Stands for a tool that is not there: it was one of an extension, or was handed to the session. */
export function bare(name: string): RegisteredTool {
  return {
    source: "extra",
    tool: {
      name,
      label: name,
      description: "",
      parameters: { type: "object" },
      parallelSafe: false,
      idempotent: false,
      readOnly: false,
      timeoutMs: Number.POSITIVE_INFINITY,
      execute: () => Promise.reject(new Error("no tool runs here")),
    },
  };
}

/** A registry of one tool. */
export function only(entry: RegisteredTool): ToolRegistry {
  return { tools: [entry], shadowed: [], droppedExtras: [], find: () => ({ entry, exact: true }) };
}
