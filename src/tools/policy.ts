/**
 * Which tools a session offers, and which of their calls have to be approved. Pure: the same policy and call give the
 * same mode. docs/reference/policy.md
 */
import type { ApprovalMode } from "../events/index.ts";
import type { RegisteredTool } from "./registry.ts";

/** What a session may do with tools. */
export interface ToolPolicy {
  /** The only tools that are offered. */
  readonly allow: "all" | readonly string[];
  /** Not offered, whatever `allow` says. `blockedTools` is the same under the name that some know it by. */
  readonly deny: readonly string[];
  readonly blockedTools: readonly string[];
  /** Ask at least, whatever the session's mode is. */
  readonly requireApproval: readonly string[];
  /** Modes by tool, or by the beginning of names with `*` after it: the exact name wins, then the longest beginning. */
  readonly approvals: Readonly<Record<string, ApprovalMode>>;
}

/** The same with the words that others use for modes: `never` asks, so `auto`; `always` asks, so `ask`. */
export interface SpokenToolPolicy extends Omit<ToolPolicy, "approvals"> {
  readonly approvals: Readonly<Record<string, ApprovalMode | "never" | "always">>;
}

/** The mode that a word stands for. */
export function modeOf(word: ApprovalMode | "never" | "always"): ApprovalMode {
  if (word === "never") return "auto";
  return word === "always" ? "ask" : word;
}

/** Everything is offered, and the session's mode decides. */
export const openPolicy: ToolPolicy = {
  allow: "all",
  deny: [],
  blockedTools: [],
  requireApproval: [],
  approvals: {},
};

/** Whether the policy takes a tool away: then the model neither sees nor reaches it. */
export function isRemoved({ allow, deny, blockedTools }: ToolPolicy, name: string): boolean {
  return deny.includes(name) || blockedTools.includes(name) || (allow !== "all" && !allow.includes(name));
}

/**
 * What becomes of a call: it runs, waits for an answer, or is refused.
 *
 * @param mode - the session's
 */
export function approvalModeOf(
  tool: RegisteredTool,
  args: Readonly<Record<string, unknown>> | null,
  policy: ToolPolicy,
  mode: ApprovalMode,
): ApprovalMode {
  const { name } = tool.tool;
  const named = entryOf(policy.approvals, name);
  if (named !== null) return named;
  if (policy.requireApproval.includes(name)) return mode === "deny" ? "deny" : "ask";
  return runsUnasked(tool, args) ? "auto" : mode;
}

function entryOf(approvals: ToolPolicy["approvals"], name: string): ApprovalMode | null {
  if (Object.hasOwn(approvals, name)) return approvals[name] ?? null;
  const [longest] = Object.keys(approvals)
    .filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)))
    .toSorted((a, b) => b.length - a.length);
  return longest === undefined ? null : (approvals[longest] ?? null);
}

/** What changes nothing runs without asking. Reloading extensions runs code, so it is asked about. */
function runsUnasked({ tool }: RegisteredTool, args: Readonly<Record<string, unknown>> | null): boolean {
  if (tool.name === "extensions_status") return args?.["action"] !== "reload";
  if (tool.name === "checkpoint") return args?.["action"] === "list" || args?.["action"] === "diff";
  return tool.readOnly;
}
