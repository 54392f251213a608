/** The tasks of a session, as its machine keeps them, against a model that is a list of what happened. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  announce,
  cancelAll,
  canStart,
  isOpen,
  noTasks,
  takeEnd,
  takeQueued,
  takeReported,
  takeStarted,
  type SessionTasks,
} from "../../src/actors/session/tasks.ts";
import type { Decision } from "../../src/events/index.ts";
import type { TaskEnd } from "../../src/projections/index.ts";
import { rounds } from "../support/soak.ts";

type Step =
  | { readonly do: "queue"; readonly isAsync: boolean }
  | { readonly do: "start"; readonly which: number }
  | { readonly do: "report"; readonly which: number }
  | { readonly do: "end"; readonly which: number; readonly how: TaskEnd; readonly isAsked: boolean }
  | { readonly do: "request" }
  | { readonly do: "abort" };

const which = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("queue" as const), isAsync: fc.boolean() }) },
  fc.record({ do: fc.constant("start" as const), which }),
  fc.record({ do: fc.constant("report" as const), which }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      which,
      how: fc.constantFrom<TaskEnd>(
        "subagent.completed",
        "subagent.timed_out",
        "subagent.cancelled",
        "subagent.failed",
        "subagent.lost",
      ),
      isAsked: fc.boolean(),
    }),
  },
  fc.constant({ do: "request" as const }),
  fc.constant({ do: "abort" as const }),
);

function endOf(taskId: string, how: TaskEnd, isAsked: boolean): Decision<TaskEnd> {
  switch (how) {
    case "subagent.completed":
      return { type: how, data: { taskId, text: `answer of ${taskId}` } };
    case "subagent.cancelled":
      return { type: how, data: { taskId, cause: "asked", callId: isAsked ? "call_1" : null, reason: null } };
    case "subagent.failed":
      return { type: how, data: { taskId, class: "model_failed", partialText: null } };
    case "subagent.timed_out":
    case "subagent.lost":
      return { type: how, data: { taskId, partialText: "so far" } };
  }
}

const request: Decision = {
  type: "model.requested",
  data: { turn: 1, attempt: 1, mode: "normal", mayCompact: true },
};

test("a task starts once and ends once, and what nobody was shown is told once, in order, before the next request", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let tasks: SessionTasks = noTasks;
      const model = new Map<string, { isAsync: boolean; state: "queued" | "running" | "ended" }>();
      let due: string[] = [];
      const told: string[] = [];
      for (const each of steps) {
        const ids = [...model.keys()];
        if (each.do === "queue") {
          const taskId = `t${model.size}`;
          model.set(taskId, { isAsync: each.isAsync, state: "queued" });
          tasks = takeQueued(tasks, {
            taskId,
            callId: "call_1",
            description: "d",
            role: null,
            isAsync: each.isAsync,
            timeoutMs: 1,
            promptSha256: "0".repeat(64),
            model: null,
            delegates: false,
          });
        } else if (each.do === "request") {
          const [next, decisions] = announce(tasks, [{ type: "turn.started", data: { turn: 1 } }, request]);
          tasks = next;
          expect(decisions.at(0)?.type).toBe("turn.started");
          expect(decisions.at(-1)).toBe(request);
          const texts = decisions.flatMap(({ type, data }) =>
            type === "message.appended" ? [JSON.stringify(data)] : [],
          );
          expect(texts.map((text) => /subagent (t\d+)/.exec(text)?.[1])).toEqual(due);
          told.push(...due);
          due = [];
        } else if (each.do === "abort") {
          const [next, decisions] = cancelAll(tasks, "parent_aborted");
          tasks = next;
          const open = ids.filter((id) => model.get(id)?.state !== "ended");
          expect(decisions.map(({ data }) => data.taskId)).toEqual(open);
          for (const id of open) {
            const task = model.get(id);
            if (task === undefined) continue;
            task.state = "ended";
            if (task.isAsync) due.push(id);
          }
        } else {
          const id = ids[each.which % Math.max(1, ids.length)] ?? "none";
          const task = model.get(id);
          if (each.do === "report") {
            tasks = takeReported(tasks, [id]);
            due = due.filter((other) => other !== id);
          } else if (each.do === "start") {
            expect(canStart(tasks, id)).toBe(task?.state === "queued");
            if (!canStart(tasks, id)) continue;
            tasks = takeStarted(tasks, id);
            if (task !== undefined) task.state = "running";
          } else {
            const isWanted = task !== undefined && task.state !== "ended";
            expect(isOpen(tasks, id)).toBe(isWanted);
            const before = tasks;
            tasks = takeEnd(tasks, endOf(id, each.how, each.isAsked));
            if (!isWanted) {
              expect(tasks).toBe(before);
              continue;
            }
            task.state = "ended";
            const isShown = each.how === "subagent.cancelled" && each.isAsked;
            if (task.isAsync && !isShown) due.push(id);
          }
        }
      }
      expect(new Set(told).size).toBe(told.length);
      // A decision without a request tells nothing.
      const [same, decisions] = announce(tasks, [{ type: "turn.ended", data: { turn: 1, toolCalls: 0 } }]);
      expect([same, decisions.length]).toEqual([tasks, 1]);
    }),
    { numRuns: rounds(300, 3_000, 30_000) },
  );
});
