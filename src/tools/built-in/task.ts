import { LemonError } from "../../errors.ts";
import { joinRequest, noTask, taskIdOf, taskIdsOf, TaskError, taskRequest } from "../../harness/index.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, JsonSchema, TaskReport, ToolResult } from "../tool.ts";

type Args = Readonly<Record<string, unknown>>;

const parameters: JsonSchema = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["run", "poll", "join", "get", "cancel"],
      description:
        "run (default): give a task to a subagent. poll: how tasks are, all without ids. join: wait for tasks. get: one task. cancel: end one",
    },
    prompt: {
      type: "string",
      description: "For run: the task, complete in itself; the subagent knows nothing of this conversation",
    },
    description: { type: "string", description: "For run: a few words for people" },
    role: {
      type: "string",
      description: "For run: implement, research, review, test, or a role of this project",
    },
    async: {
      type: "boolean",
      description:
        "For run: true (default) answers at once with the id of the task, false with what it came to",
    },
    timeoutMs: {
      type: "integer",
      description:
        "For run and join: milliseconds, default 300000, at most 3600000. A join that runs out ends nothing",
    },
    taskId: { type: "string", description: "For get and cancel, and for poll and join of one: task_…" },
    taskIds: { type: "array", items: { type: "string" }, description: "For poll and join: task_…" },
    mode: { type: "string", enum: ["wait_all", "wait_any"], description: "For join: default wait_all" },
    reason: { type: "string", description: "For cancel" },
  },
};

/** Gives tasks to subagents. docs/reference/subagents.md */
export const taskTool: BuiltInTool = {
  name: "task",
  label: "Subagents",
  description:
    "Gives a task to a subagent that works in the same folder with the same tools, beside you. Use it for work that can go on by itself. Several tasks run at once; you are told when one that you did not wait for has ended.",
  parameters,
  otherSpellings: { task_id: "taskId", task_ids: "taskIds", timeout_ms: "timeoutMs" },
  judgesArguments: true,
  parallelSafe: true,
  idempotent: false,
  // What a subagent does is asked about where it does it.
  readOnly: true,
  // Each action has its own limit.
  timeoutMs: Infinity,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    try {
      if (signal.aborted) throw new TaskError("aborted", "Operation aborted");
      return await act(args, signal, context);
    } catch (error) {
      if (signal.aborted) return errorResult("Operation aborted", { errorType: "aborted" });
      if (!(error instanceof LemonError)) throw error;
      return errorResult(error.message, { errorType: error.reason });
    }
  },
};

async function act(args: Args, signal: AbortSignal, { tasks }: BuiltInContext): Promise<ToolResult> {
  const { action = "run" } = args;
  switch (action) {
    case "run": {
      const request = taskRequest(args);
      const report = await tasks.run(request, signal);
      if (request.isAsync) return begun(report);
      const result = shown([[report.taskId, report]], { ...report });
      return report.status === "completed" ? result : { ...result, isError: true };
    }
    case "poll": {
      const ids = taskIdsOf(args);
      const reports = await tasks.look(ids.length === 0 ? null : ids);
      return told(ids, reports);
    }
    case "join": {
      const request = joinRequest(args);
      return told(request.taskIds, await tasks.join(request, signal));
    }
    case "get": {
      const id = taskIdOf(args);
      const [report = null] = await tasks.look([id]);
      if (report === null) throw noTask(id);
      return shown([[id, report]], { ...report });
    }
    case "cancel": {
      const { reason = null } = args;
      const report = await tasks.cancel(taskIdOf(args), typeof reason === "string" ? reason : null);
      return shown([[report.taskId, report]], { ...report });
    }
    default: {
      const expected = "run, poll, join, get or cancel";
      throw new TaskError("invalid_action", `action: expected ${expected}`, { field: "/action", expected });
    }
  }
}

function begun({ taskId, status, description }: TaskReport): ToolResult {
  return textResult(`${taskId} is ${status}. You will be told when it has ended; join waits for it.`, {
    taskId,
    status,
    description,
  });
}

function told(ids: readonly string[], reports: readonly (TaskReport | null)[]): ToolResult {
  const rows = reports.map((report, at) => [report?.taskId ?? ids[at] ?? "", report] as const);
  return shown(rows, { tasks: rows.map(([taskId, report]) => report ?? { taskId, status: "not_found" }) });
}

function shown(
  rows: readonly (readonly [string, TaskReport | null])[],
  details: Readonly<Record<string, unknown>>,
): ToolResult {
  const texts = rows.map(([id, report]) => (report === null ? `${id}: not_found` : textOf(report)));
  return textResult(texts.length === 0 ? "No tasks" : texts.join("\n\n"), details);
}

function textOf(report: TaskReport): string {
  const { taskId, description, status, failure, text, partialText, filesChanged } = report;
  const why = failure === null ? "" : ` (${failure})`;
  const changed = filesChanged.map(({ path, change }) => `${change} ${path}`);
  return [
    `${taskId} (${description}): ${status}${why}`,
    ...(text === null ? [] : [text]),
    ...(partialText === null ? [] : [`It had said so far:\n${partialText}`]),
    ...(changed.length === 0 ? [] : [`Files:\n${changed.join("\n")}`]),
  ].join("\n");
}
