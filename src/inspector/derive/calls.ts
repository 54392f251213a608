/**
 * The calls of a session over time, for the chart: when each was asked for, judged, allowed, begun and ended. Kept so that
 * the calls as they stood at any version are told without folding again.
 */
import type { FactData, KnownFact } from "../../events/index.ts";
import type { ApprovalWait, CallBar, HookVerdict, Moment } from "../api.ts";
import { lastAtOrBefore } from "./last-at-or-before.ts";
import { shortValue, SUMMARY_CHARS } from "./one-line.ts";
import { verdictOf } from "./summary.ts";

type Outcome = NonNullable<CallBar["outcome"]>;

interface End extends Moment {
  readonly outcome: Outcome;
  readonly isError: boolean;
  readonly reason: string | null;
}

/** A call with all that is known of it by now. */
interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly turn: number;
  readonly summary: string;
  readonly answered: Moment;
  requested: Moment | null;
  started: Moment | null;
  returned: Moment | null;
  /** What is asked of hooks, until they have answered. */
  readonly judging: { readonly from: number; readonly hook: string; to: number | null }[];
  readonly hooks: HookVerdict[];
  asked: Moment | null;
  resolved: (Moment & { readonly verdict: "allow" | "deny" }) | null;
  end: End | null;
}

/** Grows by one fact at a time, in version order; facts that are about no call change nothing. */
export class CallLedger {
  readonly #records: CallRecord[] = [];
  readonly #byId = new Map<string, CallRecord>();
  /** Versions of the answers that hold them, beside `#records`. */
  readonly #answered: number[] = [];
  #turn = 0;

  take(fact: KnownFact): void {
    const moment: Moment = { version: fact.version, at: fact.at };
    switch (fact.type) {
      case "turn.started":
        this.#turn = fact.data.turn;
        return;
      case "model.responded":
        for (const call of fact.data.calls) this.#add(call, moment);
        return;
      case "hook.failed":
        if (fact.data.callId !== null) this.#failed(fact.data.callId, fact.data, moment);
        return;
      case "tool_call.requested":
      case "hook.requested":
      case "hook.answered":
      case "approval.requested":
      case "approval.resolved":
      case "tool_call.started":
      case "tool_call.returned":
      case "tool_call.completed":
      case "tool_call.blocked":
      case "tool_call.interrupted": {
        const record = this.#byId.get(fact.data.callId);
        if (record !== undefined) tell(record, fact, moment);
        return;
      }
      default:
        return;
    }
  }

  /** How many calls there were at a version. */
  totalAt(version: number): number {
    return lastAtOrBefore(this.#answered, version) + 1;
  }

  /** Calls as they stood at a version, in call order. @param from - the first of them, counted from 0 */
  at(version: number, from: number, limit: number): CallBar[] {
    const to = Math.min(from + limit, this.totalAt(version));
    return this.#records.slice(from, to).map((record) => barAt(record, version));
  }

  #add(
    { callId, name, args, argumentsText }: FactData<"model.responded">["calls"][number],
    answered: Moment,
  ): void {
    const record: CallRecord = {
      callId,
      tool: name,
      turn: this.#turn,
      summary: shortValue(args ?? argumentsText ?? "", SUMMARY_CHARS),
      answered,
      requested: null,
      started: null,
      returned: null,
      judging: [],
      hooks: [],
      asked: null,
      resolved: null,
      end: null,
    };
    this.#records.push(record);
    this.#answered.push(answered.version);
    this.#byId.set(callId, record);
  }

  #failed(callId: string, data: FactData<"hook.failed">, moment: Moment): void {
    const { hook, module, sha256, durationMs, kind, class: failure } = data;
    const reason = `${kind}: ${failure}`;
    this.#byId
      .get(callId)
      ?.hooks.push({ ...moment, hook, module, sha256, durationMs, verdict: "failed", reason });
  }
}

type CallFact = Extract<KnownFact, { readonly data: { readonly callId: string } }>;

function tell(record: CallRecord, fact: CallFact, moment: Moment): void {
  switch (fact.type) {
    case "tool_call.requested":
      record.requested = moment;
      return;
    case "hook.requested":
      record.judging.push({ from: moment.version, hook: fact.data.hook, to: null });
      return;
    case "hook.answered": {
      const open = record.judging.at(-1);
      if (open !== undefined) open.to = moment.version;
      record.hooks.push(...fact.data.answers.map((answer) => verdictIn(fact.data.hook, answer, moment)));
      return;
    }
    case "approval.requested":
      record.asked = moment;
      return;
    case "approval.resolved":
      record.resolved = { ...moment, verdict: fact.data.verdict };
      return;
    case "tool_call.started":
      record.started = moment;
      return;
    case "tool_call.returned":
      record.returned = moment;
      return;
    case "tool_call.completed": {
      const { isError, reason } = fact.data;
      const failed = record.started === null ? "refused" : "failed";
      const outcome = reason === "aborted" ? "aborted" : isError ? failed : "completed";
      record.end ??= { ...moment, outcome, isError, reason };
      return;
    }
    case "tool_call.blocked": {
      const { errorType, reason } = fact.data;
      const outcome = errorType === "approval_denied" ? "denied" : "blocked";
      record.end ??= { ...moment, outcome, isError: true, reason };
      return;
    }
    case "tool_call.interrupted":
      record.end ??= { ...moment, outcome: "interrupted", isError: true, reason: fact.data.reason };
      return;
    default:
      return;
  }
}

type Answer = FactData<"hook.answered">["answers"][number];

function verdictIn(hook: string, answer: Answer, moment: Moment): HookVerdict {
  const { module, sha256, durationMs, failure } = answer;
  const verdict = verdictOf(answer);
  const { block } = (verdict === "blocked" ? answer.answer : {}) as { readonly block?: unknown };
  const reason =
    failure === null ? (block === undefined ? null : shortValue(block, SUMMARY_CHARS)) : failure.kind;
  return { ...moment, hook, module, sha256, durationMs, verdict, reason };
}

function barAt(record: CallRecord, version: number): CallBar {
  const seen = <At extends Moment>(moment: At | null): At | null =>
    moment !== null && moment.version <= version ? moment : null;
  const shown = (moment: Moment | null): Moment | null =>
    moment === null ? null : { version: moment.version, at: moment.at };
  const end = seen(record.end);
  const approval = approvalAt(seen(record.asked), seen(record.resolved));
  return {
    callId: record.callId,
    tool: record.tool,
    turn: record.turn,
    summary: record.summary,
    answered: record.answered,
    requested: seen(record.requested),
    started: seen(record.started),
    returned: seen(record.returned),
    ended: shown(end),
    state: stateAt(record, version),
    outcome: end?.outcome ?? null,
    isError: end?.isError ?? false,
    reason: end?.reason ?? null,
    hooks: record.hooks.filter((hook) => hook.version <= version),
    approval,
  };
}

function approvalAt(asked: Moment | null, resolved: CallRecord["resolved"]): ApprovalWait | null {
  if (asked === null) return null;
  if (resolved === null) return { asked, resolved: null, verdict: null, waitedMs: null };
  const { version, at, verdict } = resolved;
  // A clock may go backwards; a wait can't be less than nothing.
  return { asked, resolved: { version, at }, verdict, waitedMs: Math.max(0, at - asked.at) };
}

function stateAt(record: CallRecord, version: number): CallBar["state"] {
  const isBy = (moment: Moment | null): boolean => moment !== null && moment.version <= version;
  if (isBy(record.end)) return "ended";
  const judging = record.judging.findLast(({ from }) => from <= version);
  if (judging !== undefined && (judging.to === null || judging.to > version))
    return judging.hook === "onToolResult" ? "reviewed" : "judged";
  if (isBy(record.returned)) return "reviewed";
  if (isBy(record.started)) return "running";
  return isBy(record.asked) && !isBy(record.resolved) ? "asking" : "queued";
}
