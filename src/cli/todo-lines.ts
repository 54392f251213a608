/** A todo list for people. */
import { actionableTodos, todoProgress, type Todo } from "../projections/index.ts";
import { columns, oneLine } from "./printable.ts";

const marks: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[~]", blocked: "[!]" };

/** One line a todo, then how far the list is, and what can be begun. */
export function todoLines(list: readonly Todo[]): string[] {
  if (list.length === 0) return ["no todos"];
  const rows = list.map(({ id, status, priority, content, dependencies }) => [
    marks[status] ?? "[ ]",
    oneLine(id, 40),
    priority,
    `${oneLine(content, 100)}${dependencies.length === 0 ? "" : `  ← ${oneLine(dependencies.join(", "), 60)}`}`,
  ]);
  const { completed, total, percentage } = todoProgress(list);
  const ready = actionableTodos(list).map(({ id }) => id);
  const next = ready.length === 0 ? "" : `; can be begun: ${oneLine(ready.join(", "), 100)}`;
  return [...columns(rows), `${completed} of ${total} completed (${percentage} %)${next}`];
}
