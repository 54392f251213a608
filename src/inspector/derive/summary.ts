/** A fact in one line, for lists and for the filter. It says nothing that the fact does not hold. */
import type { FactData, FactType, KnownFact } from "../../events/index.ts";
import { contentLine, membersLine, oneLine, shortValue } from "./one-line.ts";

type Summaries = { readonly [Type in FactType]?: (data: FactData<Type>, tool: string | null) => string };

/** Types that are told in words of their own; all others by their members. */
const summaries: Summaries = {
  "session.started": ({ model, cwd }) => `${model} in ${cwd}`,
  "session.forked": ({ from, at, cwd }) => `from ${from} at ${at}, in ${cwd}`,
  "session.configured": ({ model, approval }) => `model ${model}, approval ${approval}`,
  "session.shut_down": ({ reason }) => reason,
  "session.compacted": ({ messages, tokensBefore, tokensAfter, summary }) =>
    `${messages} messages, ${tokensBefore} to ${tokensAfter} tokens: ${summary}`,
  "hook_context.appended": ({ text }) => text,
  "hook.failed": ({ module, hook, kind, message }) => `${module} ${hook}: ${kind}: ${message}`,
  "prompt.submitted": ({ content }) => contentLine(content),
  "steer.submitted": ({ content }) => contentLine(content),
  "follow_up.submitted": ({ content }) => contentLine(content),
  "message.appended": ({ source, content }) => `${source}: ${contentLine(content)}`,
  "abort.requested": ({ reason }) => reason,
  "agent.ended": ({ status, stopReason, error, turns }) =>
    `${status}, ${stopReason} after ${turns} turns${error === null ? "" : `: ${error.class}`}`,
  "turn.started": ({ turn }) => `turn ${turn}`,
  "turn.ended": ({ turn, toolCalls }) => `turn ${turn}, ${toolCalls} calls`,
  "model.requested": ({ turn, attempt }) => `turn ${turn}, attempt ${attempt}`,
  "model.responded": ({ content, calls, finishReason }) => {
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const names = calls.map(({ name }) => name).join(", ");
    return [names, oneLine(text), finishReason === "tool_calls" ? "" : finishReason]
      .filter((part) => part !== "")
      .join(" · ");
  },
  "model.failed": ({ class: failure, status, retryable }) =>
    `${failure}${status === null ? "" : ` ${status}`}${retryable ? ", to be tried again" : ""}`,
  "model.retry_scheduled": ({ attempt, delayMs }) => `attempt ${attempt} in ${delayMs} ms`,
  "compaction.failed": ({ class: failure }) => failure,
  "tool_call.requested": ({ name, approval, hooks }) =>
    `${name}, approval ${approval}${hooks === 0 ? "" : `, ${hooks} hooks`}`,
  "hook.requested": ({ hook }, tool) => `${hook} of ${tool ?? "a call"}`,
  "hook.answered": ({ hook, answers }) =>
    `${hook}: ${answers.map((answer) => `${answer.module} ${verdictOf(answer)}`).join(", ")}`,
  "tool_call.blocked": ({ errorType, reason }, tool) => `${tool ?? ""} ${errorType}: ${reason}`,
  "approval.requested": ({ name, args }) => (args === null ? name : `${name} ${shortValue(args, 150)}`),
  "approval.resolved": ({ verdict, reason }, tool) =>
    `${tool ?? ""} ${verdict}${reason === null ? "" : `: ${reason}`}`,
  "tool_call.started": ({ name }) => name,
  "tool_call.process_started": ({ pid, host }, tool) => `${tool ?? ""} process ${pid} on ${host}`,
  "tool_call.returned": ({ isError, errorType, content }, tool) =>
    `${tool ?? ""}${isError ? ` ${errorType ?? "error"}` : ""}: ${contentLine(content)}`,
  "tool_call.completed": ({ isError, reason }, tool) =>
    `${tool ?? ""} ${isError ? "failed" : "done"}${reason === null ? "" : `: ${reason}`}`,
  "tool_call.interrupted": ({ reason }, tool) => `${tool ?? ""} ${reason}`,
  "tool_call.receipt_recorded": ({ receipt }) => `changed ${receipt.changedPaths.join(", ")}`,
  "todos.written": ({ action, todos }) => {
    const done = todos.filter(({ status }) => status === "completed").length;
    return `${action}: ${done} of ${todos.length} done`;
  },
  "checkpoint.created": ({ checkpointId, kind, origin, tool, files }) =>
    `${checkpointId} ${kind} by ${origin}${tool === null ? "" : ` for ${tool}`}, ${files.length} files`,
  "checkpoint.restored": ({ status, checkpointId, at, results }) =>
    `${status} ${checkpointId ?? `fact ${at}`}, ${results.length} files`,
  "plan.proposed": ({ plan }) => plan,
  "subagent.queued": ({ taskId, description }) => `${taskId} ${description}`,
  "subagent.completed": ({ taskId, text }) => `${taskId}: ${text}`,
};

/** @param tool - name of the tool of the call that the fact is about, as far as it is known */
export function summaryOf(fact: KnownFact, tool: string | null): string {
  const told = summaries[fact.type] as ((data: unknown, tool: string | null) => string) | undefined;
  return oneLine(told === undefined ? membersLine(fact.data) : told(fact.data, tool));
}

/** What a handler's answer does, in one word. */
export function verdictOf({
  answer,
  failure,
}: {
  readonly answer?: unknown;
  readonly failure: unknown;
}): "passed" | "blocked" | "replaced" | "added_context" | "failed" {
  if (failure !== null) return "failed";
  if (typeof answer !== "object" || answer === null) return "passed";
  const said = answer as Readonly<Record<string, unknown>>;
  const has = (name: string): boolean =>
    said[name] !== undefined && said[name] !== null && said[name] !== false;
  if (has("block")) return "blocked";
  if (has("replaceArgs") || has("replace")) return "replaced";
  return has("additionalContext") ? "added_context" : "passed";
}
