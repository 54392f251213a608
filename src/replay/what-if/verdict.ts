/**
 * The verdict about one call, out of the facts that tell it: those of the log, or those that other rules would have led
 * to. Pure. docs/reference/what-if.md, "A verdict"
 */
import type { ContentBlock, FactData, FactOf } from "../../events/index.ts";
import { CONTEXT_LABEL, contextBlock, judgeCall, reviewResult, type HookAnswer } from "../../hooks/index.ts";

/** The extension that had a part in a verdict. */
export interface Author {
  /** The empty string: nobody was there any more to be asked. */
  readonly module: string;
  /** As it said itself; `null` when that is not recorded. */
  readonly version: string | null;
  /** Of its code; `null` for an object of a program. */
  readonly sha256: string | null;
}

/** What hooks and approval rules made of a call. */
export interface Verdict {
  /**
   * `denied`: by an approval. `waiting`: for an approval that nobody has answered. `not_offered`: the policy takes the tool
   * away, so the model would not have had it.
   */
  readonly decision: "allowed" | "blocked" | "denied" | "waiting" | "not_offered";
  /** Why it does not run. */
  readonly reason: string | null;
  /** Whether somebody is asked to allow it. */
  readonly approval: "asked" | "not_asked";
  /** What it runs with in place of the model's arguments. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** What is shown in place of the tool's result; `null` for what stays as it was. */
  readonly content: readonly ContentBlock[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** What is shown beside the result, label line included. */
  readonly context: string | null;
  /** Whose doing each of these is. Not compared. */
  readonly by: {
    readonly decision: Author | null;
    readonly args: Author | null;
    readonly result: readonly Author[];
    readonly context: readonly Author[];
  };
}

/** A part of a verdict that can differ. */
export type VerdictPart = "decision" | "reason" | "approval" | "args" | "content" | "details" | "context";

const parts: readonly VerdictPart[] = [
  "decision",
  "reason",
  "approval",
  "args",
  "content",
  "details",
  "context",
];

/** The types of the facts that tell a verdict. */
export const verdictTypes = [
  "hook.answered",
  "approval.requested",
  "approval.resolved",
  "tool_call.started",
  "tool_call.returned",
  "tool_call.blocked",
  "tool_call.completed",
  "tool_call.interrupted",
] as const;

/** A fact that a verdict is told by, as far as it matters here. */
export type VerdictFact = {
  [T in (typeof verdictTypes)[number]]: Pick<FactOf<T>, "type" | "data">;
}[(typeof verdictTypes)[number]];

/** Names the extension behind an answer. */
export type AuthorOf = (answer: Pick<HookAnswer, "module" | "sha256">) => Author;

const undecided: Omit<Verdict, "decision"> = {
  reason: null,
  approval: "not_asked",
  args: null,
  content: null,
  details: null,
  context: null,
  by: { decision: null, args: null, result: [], context: [] },
};

/** The verdict about a call of a tool that the policy takes away: no hook sees it. */
export const notOffered: Verdict = {
  ...undecided,
  decision: "not_offered",
  reason: "the tool policy does not offer this tool",
};

/** Folds the facts of one call, in their order. `null`: nobody came to decide about it. */
export function verdictOf(facts: readonly VerdictFact[], authorOf: AuthorOf): Verdict | null {
  let verdict = null as Verdict | null;
  let told = undecided;
  let returned: FactData<"tool_call.returned"> | null = null;
  for (const fact of facts) {
    switch (fact.type) {
      case "hook.answered":
        told = { ...told, by: credited(told.by, fact.data, authorOf) };
        if (verdict !== null) verdict = { ...verdict, by: told.by };
        break;
      case "approval.requested":
        told = { ...told, approval: "asked", args: fact.data.args };
        verdict = { ...told, decision: "waiting" };
        break;
      case "approval.resolved":
        break;
      case "tool_call.started":
        verdict = { ...told, args: fact.data.args, decision: "allowed" };
        break;
      case "tool_call.blocked": {
        const { errorType, reason, context } = fact.data;
        const decision = errorType === "approval_denied" ? "denied" : "blocked";
        verdict = { ...told, args: null, decision, reason, context };
        break;
      }
      case "tool_call.returned":
        returned = fact.data;
        break;
      case "tool_call.completed":
        if (verdict?.decision === "allowed" && returned !== null)
          verdict = { ...verdict, ...shownFor(fact.data, returned) };
        break;
      case "tool_call.interrupted":
        break;
    }
  }
  return verdict;
}

/**
 * Which parts of two verdicts differ in effect; whose doing they are does not count. Where the decision is another one,
 * what would have been shown is not known, and arguments matter only to calls that may run.
 */
export function changedParts(before: Verdict, after: Verdict): VerdictPart[] {
  const known = before.decision === after.decision ? parts : partsBeside(before, after);
  return known.filter((part) => canonical(before[part]) !== canonical(after[part]));
}

function partsBeside(...verdicts: readonly Verdict[]): readonly VerdictPart[] {
  const mayRun = verdicts.every(({ decision }) => decision === "allowed" || decision === "waiting");
  return mayRun ? ["decision", "approval", "args"] : ["decision", "approval"];
}

/** What the model was shown in place of what the tool returned. */
function shownFor(
  { content, details, reason }: FactData<"tool_call.completed">,
  returned: FactData<"tool_call.returned">,
): Pick<Verdict, "content" | "details" | "context"> {
  // The words of an abort are nobody's verdict.
  if (content === null || reason === "aborted")
    return { content: null, details: reason === "aborted" ? null : details, context: null };
  const last = content.at(-1);
  const context = last?.type === "text" && last.text.startsWith(`${CONTEXT_LABEL}\n`) ? last.text : null;
  const shown = context === null ? content : content.slice(0, -1);
  const isSame = canonical(shown) === canonical(returned.content);
  return { content: isSame ? null : shown, details, context };
}

function credited(
  by: Verdict["by"],
  { hook, answers }: FactData<"hook.answered">,
  authorOf: AuthorOf,
): Verdict["by"] {
  let next = by;
  for (const answer of answers) {
    const author = authorOf(answer);
    const judged = judgeCall([answer]);
    const isTexted = contextBlock(judged.context) !== null;
    if (isTexted) next = { ...next, context: [...next.context, author] };
    if (hook === "onToolResult") {
      const shown = reviewResult({ content: [], details: null, isThrown: false }, [], [answer]);
      const isReplaced = (shown.content?.length ?? 0) > (isTexted ? 1 : 0) || shown.details !== null;
      if (isReplaced) next = { ...next, result: [...next.result, author] };
      continue;
    }
    if (judged.blocked !== null) return { ...next, decision: author, args: null };
    if (judged.args !== null) next = { ...next, args: author };
  }
  return next;
}

/** JSON in which the order of members does not show. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
