import { LemonError } from "../../errors.ts";
import {
  problemText,
  putTodos,
  todoPriorities,
  todoStatuses,
  updateTodo,
  TodoError,
} from "../../harness/index.ts";
import { actionableTodos, todoProblems, todoProgress, type Todo } from "../../projections/index.ts";
import { errorResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, JsonSchema, ToolResult } from "../tool.ts";

const fields = {
  id: { type: "string", minLength: 1, description: "Its name in the list, such as t1" },
  content: { type: "string", minLength: 1, description: "What is to be done" },
  status: { type: "string", enum: todoStatuses, description: "Default pending" },
  priority: { type: "string", enum: todoPriorities, description: "Default medium" },
  dependencies: {
    type: "array",
    items: { type: "string" },
    description: "Ids of todos that have to be completed first",
  },
  estimatedEffort: { type: "string", description: "Such as 2h or small" },
  metadata: { type: "object", description: "Anything else" },
};

const parameters: JsonSchema = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["read", "write", "update", "progress", "actionable"],
      description:
        "read: the list. write: replace it by todos. update: change one, by todo. progress: counts. actionable: what can be begun, the most urgent first",
    },
    todos: {
      type: "array",
      items: { type: "object", properties: fields, required: ["id", "content"] },
      description: "For write: the whole list, as it shall be",
    },
    todo: {
      type: "object",
      properties: fields,
      required: ["id"],
      description: "For update: the id, and the fields to change",
    },
  },
  required: ["action"],
};

/** Keeps the todo list of the session. docs/reference/todos.md, "The tool" */
export const todoTool: BuiltInTool = {
  name: "todo",
  label: "Todos",
  description:
    "Keeps the todo list of this session, which outlives it. Use it to plan work of several steps: write the list, set one todo in_progress when you begin it and completed as soon as it is done.",
  parameters,
  // A model can act on what the list says is wrong with a todo; what a schema says of it is worth less.
  judgesArguments: true,
  parallelSafe: false,
  idempotent: false,
  // The list is the session's own: nothing outside changes.
  readOnly: true,
  timeoutMs: 60_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    try {
      if (signal.aborted) throw new TodoError("aborted", "Operation aborted");
      return await act(args, context);
    } catch (error) {
      if (!(error instanceof LemonError)) throw error;
      return errorResult(error.message, { errorType: error.reason });
    }
  },
};

async function act(
  { action, todos, todo }: Readonly<Record<string, unknown>>,
  { sessionId, todos: control }: BuiltInContext,
): Promise<ToolResult> {
  switch (action) {
    case "read":
      return listed(await control.read());
    case "write":
      return listed(await control.write("put", putTodos(parsed(todos), sessionId)));
    case "update":
      return listed(await control.write("update", updateTodo(parsed(todo), sessionId)));
    case "progress": {
      const list = await control.read();
      const progress = todoProgress(list);
      return result(progress, { title: "todo progress", progress }, list);
    }
    case "actionable": {
      const list = await control.read();
      const ready = actionableTodos(list);
      return result(ready, { title: `${ready.length} actionable todos`, todos: ready }, list);
    }
    default: {
      const expected = "read, write, update, progress or actionable";
      const what = action === undefined ? "is missing" : "is not known";
      throw new TodoError("invalid_action", `action: ${what}, expected ${expected}`, {
        field: "/action",
        expected,
      });
    }
  }
}

/** Models write a list as text now and then. What is no JSON stays what it is, and is refused as that. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function listed(list: readonly Todo[]): ToolResult {
  const open = list.filter(({ status }) => status !== "completed").length;
  return result(list, { title: `${open} open todos`, todos: list }, list);
}

/** @param list - whose dependencies are looked at */
function result(shown: unknown, details: object, list: readonly Todo[]): ToolResult {
  const dependencyProblems = todoProblems(list);
  const problems = problemText(dependencyProblems);
  return {
    content: [
      { type: "text", text: JSON.stringify(shown, null, 2) },
      ...(problems === null ? [] : [{ type: "text" as const, text: problems }]),
    ],
    details: { ...details, dependencyProblems },
  };
}
