/**
 * What each fact does to its stream: who receives it, which slot it opens or settles, which member it creates or
 * ends. Routing, recovery and the inspector read it here and nowhere else. Shapes are in `schemas.ts`.
 *
 * A *slot* is a promise that something will come back: an answer of a model, the end of a tool. It is open from
 * the fact that opens it to the one that settles it, and only an open slot lets an outcome in.
 */

/** What may be awaited. `call`, `approval` and `hook` exist once per tool call, the others once per stream. */
export type SlotKind = "model" | "timer" | "compaction" | "query" | "call" | "approval" | "hook";

/** `root`: the session. `member`: the runner of `data.callId`. `members`: all live runners in order of creation. */
export type Receiver = "root" | "member" | "members";

/** One row of the catalogue. */
export interface FactRule {
  readonly schemaVersion: number;
  readonly kind: "input" | "decision" | "either";
  /** In the order of delivery. */
  readonly receivers: readonly Receiver[];
  readonly opens?: SlotKind;
  /** Settles those of them that are open. An input is taken only while one of them is. */
  readonly settles?: readonly SlotKind[];
  /** An input in mid-effect: taken only while this slot is open, which it leaves open. */
  readonly belongsTo?: SlotKind;
  /** The same when it has a cause; without one it comes from a caller and is taken at any time. */
  readonly mayBelongTo?: SlotKind;
  readonly member?: "creates" | "ends";
  /** `opens`: facts from here on belong to the run `data.runId`, until one that `closes` it. */
  readonly run?: "opens" | "closes";
}

const input = (rule: Partial<FactRule> = {}): FactRule => ({
  schemaVersion: 1,
  kind: "input",
  receivers: ["root"],
  ...rule,
});

const decision = (rule: Partial<FactRule> = {}): FactRule => ({
  schemaVersion: 1,
  kind: "decision",
  receivers: [],
  ...rule,
});

/** The harness records it, for a call or for a caller; no actor decides by it. */
const noted = input({ receivers: [], mayBelongTo: "call" });

/** Of a stream that no actor leads: who has something to say writes it at the version that he read. */
const outside = input({ receivers: [] });

const callSlots = ["call", "approval", "hook"] as const;

const rules = {
  "session.started": input({ schemaVersion: 3 }),
  "session.forked": input(),
  "session.configured": input({ schemaVersion: 3 }),
  "session.shut_down": input(),
  "plan_mode.entered": input({ receivers: ["root", "members"] }),
  "plan_mode.exited": input(),

  "extension_status_report.published": input({ receivers: [] }),
  "hook_context.appended": input({ receivers: [] }),
  "hook.failed": input({ receivers: [] }),

  "prompt.submitted": input({ schemaVersion: 2, run: "opens" }),
  "steer.submitted": input(),
  "follow_up.submitted": input(),
  "abort.requested": input({ receivers: ["root", "members"] }),

  "agent.started": decision(),
  "agent.ended": decision({ kind: "either", receivers: ["root"], run: "closes" }),
  "turn.started": decision(),
  "turn.ended": decision(),
  "turn_budget.exhausted": decision(),
  "message.appended": decision({ schemaVersion: 2 }),

  "model.requested": decision({ schemaVersion: 3, opens: "model" }),
  "model.responded": input({ schemaVersion: 2, settles: ["model"] }),
  "model.failed": input({ schemaVersion: 2, settles: ["model"] }),
  "model.lost": input({ settles: ["model"] }),
  "model.cancelled": decision({ settles: ["model", "timer", "compaction"] }),
  "model.retry_scheduled": decision({ opens: "timer" }),
  "model.retry_due": input({ settles: ["timer"] }),

  "compaction.due": input({ settles: ["model"] }),
  "compaction.requested": decision({ opens: "compaction" }),
  "session.compacted": input({ settles: ["compaction"] }),
  "compaction.failed": input({ settles: ["compaction"] }),
  "compaction.lost": input({ settles: ["compaction"] }),

  "tool_call.requested": decision({ schemaVersion: 2, receivers: ["member"], member: "creates" }),
  "hook.requested": decision({ opens: "hook" }),
  "hook.answered": input({ receivers: ["member"], settles: ["hook"] }),
  "tool_call.blocked": decision({
    schemaVersion: 2,
    receivers: ["root"],
    settles: callSlots,
    member: "ends",
  }),
  "approval.requested": decision({ schemaVersion: 2, opens: "approval" }),
  "approval.resolved": input({ receivers: ["member"], settles: ["approval"] }),
  "tool_call.started": decision({ schemaVersion: 2, opens: "call" }),
  "tool_call.process_started": input({ receivers: [], belongsTo: "call" }),
  "plan.proposed": input({ receivers: [], belongsTo: "call" }),
  "tool_call.returned": input({ schemaVersion: 3, receivers: ["member"], settles: ["call"] }),
  "tool_call.completed": decision({ receivers: ["root"], settles: callSlots, member: "ends" }),
  "tool_call.interrupted": input({
    schemaVersion: 2,
    receivers: ["root"],
    settles: callSlots,
    member: "ends",
  }),

  "tool_call.receipt_recorded": input({ receivers: [] }),

  "todos.written": noted,
  "checkpoint.created": noted,
  "checkpoint.deleted": noted,
  "checkpoint.restore_started": noted,
  "checkpoint.restored": noted,
  "checkpoint.resumed": noted,
  "introspection.recorded": input({ receivers: [] }),

  "subagent.queued": input({ mayBelongTo: "call" }),
  "subagent.started": input(),
  "subagent.completed": input(),
  "subagent.timed_out": input(),
  "subagent.cancelled": input({ kind: "either" }),
  "subagent.failed": input(),
  "subagent.lost": input(),
  "subagent.reported": input({ mayBelongTo: "call" }),

  "features.generation_requested": input({ receivers: [] }),
  "features.generated": input({ receivers: [] }),
  "features.generation_failed": input({ receivers: [] }),
  "feature_file.written": input({ receivers: [] }),
  "feature.status_changed": input({ receivers: [] }),
  "feature_file.write_finished": input({ receivers: [] }),
  "feature_file.write_abandoned": input({ receivers: [] }),
  "feature_file.changed_outside": input({ receivers: [] }),

  "side_query.asked": input({ opens: "query" }),
  "side_query.answered": input({ settles: ["query"] }),
  "side_query.failed": input({ settles: ["query"] }),
  "background_run.queued": outside,
  "background_run.started": outside,
  "background_run.requeued": outside,
  "background_run.approval_answered": outside,
  "background_run.text_recorded": outside,
  "background_run.completed": outside,
  "background_run.timed_out": outside,
  "background_run.cancelled": outside,
  "background_run.failed": outside,
  "background_run.lost": outside,

  "extensions.requested": input(),
  "extension.overridden": decision(),
  "extension.loaded": input({ receivers: [] }),
  "extension.load_failed": input({ receivers: [] }),
  "extension.validation_failed": input({ receivers: [] }),
  "extension.warned": input({ receivers: [] }),
  "extensions.collected": input(),
  "tool.shadowed": decision(),
  "provider.registered": decision(),
  "provider.conflicted": decision(),
  "provider.unregistered": decision(),
  "extensions.reloaded": decision(),
  "extensions.released": input(),
  "extension.restarted": input({ receivers: [] }),
  "extension.quarantined": input({ receivers: [] }),

  "child.started": input({ receivers: [] }),
  "child.exited": input({ receivers: [] }),
  "child.restarted": input({ receivers: [] }),
  "child.start_failed": input({ receivers: [] }),
  "child.late_error": input({ receivers: [] }),
  "supervisor.gave_up": input({ receivers: [] }),
} satisfies Record<string, FactRule>;

/** The name of a fact that this version knows. */
export type FactType = keyof typeof rules;

/** The rule of each known fact. */
export const catalogue: Readonly<Record<FactType, FactRule>> = rules;

/** True for a type that this version knows; others are carried in the log and shown, and change nothing. */
export function isKnownType(type: string): type is FactType {
  return Object.hasOwn(catalogue, type);
}

/** The newest schema version of a type, 1 for an unknown one. */
export function currentSchemaVersion(type: string): number {
  return isKnownType(type) ? catalogue[type].schemaVersion : 1;
}

/**
 * The name of a fact's slot of that kind: `model`, `call:<call id>` …
 *
 * @param data - the fact's data; `callId` is read for the kinds that exist per call
 */
export function slotName(kind: SlotKind, data: unknown): string {
  if (kind === "model" || kind === "timer" || kind === "compaction" || kind === "query") return kind;
  return `${kind}:${callIdOf(data)}`;
}

/** The call that a fact is about; the empty string when it is about none. */
export function callIdOf(data: unknown): string {
  return (data as { readonly callId?: string }).callId ?? "";
}
