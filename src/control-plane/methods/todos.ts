/** `todos.*`. docs/reference/todos.md has the rules. */
import { z } from "zod";
import { defineMethod, type Method } from "../method.ts";
import { jsonObject, sessionId, todo, todoProgress } from "./shapes.ts";

const list = z.object({ todos: z.array(todo) });

const get = defineMethod({
  name: "todos.get",
  scope: "read",
  summary: "Gives the todos of a session; none for one that nobody knows.",
  params: z.object({ sessionId }),
  result: list,
  run: async ({ sessionId: id }, { runtime }) => ({ todos: await runtime.todos.get(id) }),
});

const progress = defineMethod({
  name: "todos.progress",
  scope: "read",
  summary: "Counts the todos of a session by status.",
  params: z.object({ sessionId }),
  result: todoProgress,
  run: ({ sessionId: id }, { runtime }) => runtime.todos.progress(id),
});

const actionable = defineMethod({
  name: "todos.actionable",
  scope: "read",
  summary: "Gives the todos that can be begun, the most important first.",
  params: z.object({ sessionId }),
  result: list,
  run: async ({ sessionId: id }, { runtime }) => ({ todos: await runtime.todos.actionable(id) }),
});

const put = defineMethod({
  name: "todos.put",
  scope: "write",
  summary: "Replaces the todos of a session, and gives them as they are kept.",
  params: z.object({ sessionId, todos: z.array(jsonObject) }),
  result: list,
  run: async ({ sessionId: id, todos }, { runtime }) => ({ todos: await runtime.todos.put(id, todos) }),
});

const updateStatus = defineMethod({
  name: "todos.updateStatus",
  scope: "write",
  summary: "Changes the status of a todo, and gives all as they are kept.",
  params: z.object({ sessionId, id: z.string(), status: z.string() }),
  result: list,
  run: async ({ sessionId: session, id, status }, { runtime }) => ({
    todos: await runtime.todos.updateStatus(session, id, status),
  }),
});

const clear = defineMethod({
  name: "todos.clear",
  scope: "write",
  summary: "Takes all todos of a session away.",
  params: z.object({ sessionId }),
  result: list,
  run: async ({ sessionId: id }, { runtime }) => ({ todos: await runtime.todos.clear(id) }),
});

/** All of them. */
export const todoMethods: readonly Method[] = [get, progress, actionable, put, updateStatus, clear];
