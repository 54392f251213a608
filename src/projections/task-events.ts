/** What a subscriber is told of the tasks of subagents. docs/reference/session-events.md */
import type { FactOf, FactType, KnownFact } from "../events/index.ts";
import type { SessionEventBody } from "./session-event.ts";
import { taskStatusOf } from "./tasks.ts";

type OfTask = Extract<FactType, `subagent.${string}`>;

/** Whether a fact is about a task. */
export function isOfTask(fact: KnownFact): fact is FactOf<OfTask> {
  return fact.type.startsWith("subagent.");
}

/** What such a fact tells. */
export function taskEvents(fact: FactOf<OfTask>): readonly SessionEventBody[] {
  if (fact.type === "subagent.reported") return [];
  const description = fact.type === "subagent.queued" ? fact.data.description : null;
  return [{ type: "task_changed", taskId: fact.data.taskId, status: taskStatusOf(fact.type), description }];
}
