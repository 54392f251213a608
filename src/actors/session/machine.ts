/**
 * The session: which inputs it takes in which state. What a run decides stands in `run.ts`.
 *
 * Pure: its inputs are facts, it changes its own context and emits decisions, and has no other action.
 */
import { setup } from "xstate";
import type { Decision, FactEvent, SessionMode } from "../../events/index.ts";
import { isTaskEnd, type TaskEnd } from "../../projections/index.ts";
import { compactAgain, takeCompaction, takeDue, takeModelFailure } from "./compacting.ts";
import {
  abortRun,
  askAgain,
  enterPlan,
  exitPlan,
  keepMessage,
  startRun,
  takeAnswer,
  takeCallEnd,
  type Run,
  type RunLimits,
  type Step,
} from "./run.ts";
import {
  announce,
  cancelAll,
  canStart,
  hasOpen,
  isOpen,
  noTasks,
  takeEnd,
  takeQueued,
  takeReported,
  takeStarted,
  type SessionTasks,
} from "./tasks.ts";

interface SessionContext {
  readonly limits: RunLimits;
  /** Which tools there are. */
  readonly mode: SessionMode;
  /** `null` between runs. */
  readonly run: Run | null;
  readonly tasks: SessionTasks;
}

const session = setup({
  types: {
    context: {} as SessionContext,
    events: {} as FactEvent,
    emitted: {} as Decision,
  },
});

interface Judged {
  readonly context: SessionContext;
  readonly event: FactEvent;
}

type Take<Type extends FactEvent["type"]> = (
  run: Run,
  event: Extract<FactEvent, { type: Type }>,
  limits: RunLimits,
) => Step;

/** Carries the run one step on and emits what the step decided. */
function carryOn<Type extends FactEvent["type"]>(take: Take<Type>) {
  return session.enqueueActions(({ context, event, enqueue }) => {
    if (context.run === null) throw new Error(`${event.type} without a run`);
    // The only transition that has this action is the one of its event type.
    const step = take(context.run, event as Extract<FactEvent, { type: Type }>, context.limits);
    const [tasks, decisions] = announce(context.tasks, step.decisions);
    enqueue.assign({ run: step.run, tasks });
    for (const decision of decisions) enqueue.emit(decision);
  });
}

const openRun = session.enqueueActions(({ context, event, enqueue }) => {
  if (event.type !== "prompt.submitted") throw new Error(`${event.type} opens no run`);
  const step = startRun(event.data.runId, context.mode);
  const [tasks, decisions] = announce(context.tasks, step.decisions);
  enqueue.assign({ run: step.run, tasks });
  for (const decision of decisions) enqueue.emit(decision);
});

const configure = session.assign(({ event }) => {
  if (event.type !== "session.started" && event.type !== "session.configured") return {};
  const { maxToolConcurrency, maxToolTurns } = event.data;
  return { limits: { maxToolConcurrency, maxToolTurns } };
});

const answered = carryOn<"model.responded">(takeAnswer);
const failed = carryOn<"model.failed">((run, event) => takeModelFailure(run, event.data, event.at));
const due = carryOn<"model.lost" | "model.retry_due">(askAgain);
const compactionDue = carryOn<"compaction.due">((run, event) => takeDue(run, event.data));
const compacted = carryOn<"session.compacted" | "compaction.failed">((run, event) =>
  takeCompaction(run, event.data),
);
const compactionLost = carryOn<"compaction.lost">(compactAgain);
const steered = carryOn<"steer.submitted">((run, event) => keepMessage(run, "steers", event.data.content));
const followed = carryOn<"follow_up.submitted">((run, event) =>
  keepMessage(run, "followUps", event.data.content),
);
const aborted = carryOn<"abort.requested">(abortRun);
const callEnded = carryOn<"tool_call.completed" | "tool_call.blocked" | "tool_call.interrupted">(
  (run, event, limits) => takeCallEnd(run, event.data.callId, limits),
);
const toPlan = session.assign({ mode: "plan" as const });
const toNormal = session.assign({ mode: "normal" as const });
const planning = carryOn<"plan_mode.entered">(enterPlan);
const planned = carryOn<"plan_mode.exited">(exitPlan);
const isNormal = ({ context }: { readonly context: SessionContext }): boolean => context.mode === "normal";
const isPlan = ({ context }: { readonly context: SessionContext }): boolean => context.mode === "plan";
const stopTasks = session.enqueueActions(({ context, event, enqueue }) => {
  const cause = event.type === "session.shut_down" ? "parent_shut_down" : "parent_aborted";
  const [tasks, decisions] = cancelAll(context.tasks, cause);
  enqueue.assign({ tasks });
  for (const decision of decisions) enqueue.emit(decision);
});
type TaskEvent = Extract<FactEvent, { readonly data: { readonly taskId: string } }>;
/** Of an event whose type says that it is about a task. */
const taskIdOf = (event: FactEvent): string => (event as TaskEvent).data.taskId;
const taskIsOpen = ({ context, event }: Judged): boolean => isOpen(context.tasks, taskIdOf(event));
const taskCanStart = ({ context, event }: Judged): boolean => canStart(context.tasks, taskIdOf(event));
const taskQueued = session.assign(({ context, event }) =>
  event.type === "subagent.queued" ? { tasks: takeQueued(context.tasks, event.data) } : {},
);
const taskStarted = session.assign(({ context, event }) => ({
  tasks: takeStarted(context.tasks, taskIdOf(event)),
}));
const taskEnded = session.assign(({ context, event }) =>
  isTaskEnd(event.type) ? { tasks: takeEnd(context.tasks, event as FactEvent<TaskEnd>) } : {},
);
const tasksReported = session.assign(({ context, event }) =>
  event.type === "subagent.reported" ? { tasks: takeReported(context.tasks, event.data.taskIds) } : {},
);
// Tasks are their parent's: it waits for them and is told of their ends.
const forked = session.assign({ tasks: noTasks });
const ends = { guard: taskIsOpen, actions: taskEnded };
const givenUp = session.assign({ run: null });

/** The decider of a session's stream: its root actor. */
export const sessionMachine = session.createMachine({
  id: "session",
  context: {
    limits: { maxToolConcurrency: null, maxToolTurns: null },
    mode: "normal",
    run: null,
    tasks: noTasks,
  },
  initial: "new",
  // Tasks go on between runs.
  on: {
    "session.forked": { actions: forked },
    "subagent.queued": { actions: taskQueued },
    "subagent.started": { guard: taskCanStart, actions: taskStarted },
    "subagent.completed": ends,
    "subagent.timed_out": ends,
    "subagent.cancelled": ends,
    "subagent.failed": ends,
    "subagent.lost": ends,
    "subagent.reported": { actions: tasksReported },
  },
  states: {
    new: {
      on: { "session.started": { target: "idle", actions: configure } },
    },
    idle: {
      on: {
        "session.configured": { actions: configure },
        "session.shut_down": { actions: stopTasks },
        "abort.requested": { guard: ({ context }) => hasOpen(context.tasks), actions: stopTasks },
        "plan_mode.entered": { guard: isNormal, actions: toPlan },
        "plan_mode.exited": { guard: isPlan, actions: toNormal },
        "prompt.submitted": { target: "running", actions: openRun },
      },
    },
    running: {
      always: { guard: ({ context }) => context.run === null, target: "idle" },
      on: {
        "session.configured": { actions: configure },
        "plan_mode.entered": { guard: isNormal, actions: [toPlan, planning] },
        "plan_mode.exited": { guard: isPlan, actions: [toNormal, planned] },
        "model.responded": { actions: answered },
        "model.failed": { actions: failed },
        "model.lost": { actions: due },
        "model.retry_due": { actions: due },
        "compaction.due": { actions: compactionDue },
        "session.compacted": { actions: compacted },
        "compaction.failed": { actions: compacted },
        "compaction.lost": { actions: compactionLost },
        "steer.submitted": { actions: steered },
        "follow_up.submitted": { actions: followed },
        "abort.requested": { actions: [stopTasks, aborted] },
        "tool_call.completed": { actions: callEnded },
        "tool_call.blocked": { actions: callEnded },
        "tool_call.interrupted": { actions: callEnded },
        // Only recovery sends it: a session whose actors keep crashing cannot decide its own end.
        "agent.ended": { actions: givenUp },
      },
    },
  },
});
