/** What the panels take from the parts of a state, whose shapes other versions may change: all is read with care. */
import { valueAt } from "./json-rows.ts";

/** A feature requirement. */
export interface FeatureLine {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

/** A task of a subagent. */
export interface TaskLine {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

/** The features of a state, wherever they stand in it. */
export function featuresIn(views: Readonly<Record<string, unknown>>): FeatureLine[] {
  const features = valueAt(views, "/features");
  const list = Array.isArray(features)
    ? features
    : firstList(features, ["/features", "/file/features", "/list"]);
  return list.map((feature, index) => ({
    id: textAt(feature, "/id") || String(index + 1),
    title: textAt(feature, "/title") || textAt(feature, "/description") || textAt(feature, "/name"),
    status: textAt(feature, "/status") || "pending",
  }));
}

/** The tasks of a state. */
export function tasksIn(views: Readonly<Record<string, unknown>>): TaskLine[] {
  return listOf(views["tasks"]).map((task, index) => ({
    id: textAt(task, "/taskId") || textAt(task, "/id") || String(index + 1),
    title: textAt(task, "/description") || textAt(task, "/prompt") || textAt(task, "/title"),
    status: textAt(task, "/status") || "queued",
  }));
}

/** An array, the values of an object, or nothing. */
function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

/** A text at a pointer; empty where there is none. */
export function textAt(value: unknown, pointer: string): string {
  const found = valueAt(value, pointer);
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
}

function firstList(value: unknown, pointers: readonly string[]): unknown[] {
  return (
    (pointers.map((pointer) => valueAt(value, pointer)).find((found) => Array.isArray(found)) as unknown[]) ??
    []
  );
}
