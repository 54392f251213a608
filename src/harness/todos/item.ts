/**
 * One item of a todo list as a caller gave it, read into the form that is kept. Whatever is wrong is said once, the
 * first in the order of docs/reference/todos.md, "What is refused".
 */
import { assertJson } from "../../events/index.ts";
import { kindOf, LemonError } from "../../errors.ts";
import { TodoError } from "./errors.ts";

/** The words for where a todo stands. */
export const todoStatuses = ["pending", "in_progress", "completed", "blocked"] as const;
/** From the most urgent. */
export const todoPriorities = ["high", "medium", "low"] as const;

/** A list, and each of its items, is held to these. */
export const todoLimits = {
  items: 500,
  /** Code points. */
  id: 128,
  /** Code points. */
  content: 4_000,
  dependencies: 100,
  /** Bytes of JSON; once for `metadata`, once for the members that are not known. */
  json: 8 * 1_024,
} as const;

/** An item as it was given, checked. Its times are not said yet. */
export interface GivenTodo {
  readonly id: string;
  readonly content: string;
  readonly status: string;
  readonly priority: string;
  readonly dependencies: string[];
  readonly estimatedEffort: string | null;
  readonly metadata: Record<string, unknown>;
  readonly [other: string]: unknown;
}

const spellings: Readonly<Record<string, string>> = {
  estimated_effort: "estimatedEffort",
  created_at: "createdAt",
  updated_at: "updatedAt",
  completed_at: "completedAt",
};

const known: ReadonlySet<string> = new Set(
  ["id", "content", "status", "priority", "dependencies", "metadata"].concat(Object.values(spellings)),
);

/**
 * The members of an item under their own names. A member that is `undefined` is left out; so is one that is `null`, as
 * it says no more, unless it is not known.
 */
export function membersOf(item: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [key, value] of Object.entries(item)) {
    const name = Object.hasOwn(spellings, key) ? (spellings[key] ?? key) : key;
    const isSaid = value !== undefined && (value !== null || !known.has(name));
    // A member under its own name wins, wherever it stands.
    if (isSaid && (name === key || !isGiven(item, name))) members.set(name, value);
  }
  return members;
}

/** @throws TodoError `invalid_todos` when it is no object */
export function assertItem(item: unknown, at: number): asserts item is Readonly<Record<string, unknown>> {
  if (!isObject(item)) throw new Fault(at, "").of("is no object", "an object", item);
}

/**
 * Reads one item.
 *
 * @param at - its place in the list, from 0; the message counts from 1
 * @throws TodoError `invalid_todos`
 */
export function readItem(item: unknown, at: number): GivenTodo {
  assertItem(item, at);
  const members = membersOf(item);
  const id = members.get("id");
  if (!isText(id)) throw new Fault(at, "id").of(missingOr(id, "is blank"), "a text that is not blank", id);
  const content = members.get("content");
  if (!isText(content))
    throw new Fault(at, "content").of(missingOr(content, "is blank"), "a text that is not blank", content);
  const status = members.get("status") ?? "pending";
  if (!isOneOf(todoStatuses, status))
    throw new Fault(at, "status").of("is no status", listed(todoStatuses), status);
  const priority = members.get("priority") ?? "medium";
  if (!isOneOf(todoPriorities, priority))
    throw new Fault(at, "priority").of("is no priority", listed(todoPriorities), priority);
  const dependencies = readDependencies(members.get("dependencies") ?? [], at);
  const { estimatedEffort, metadata, others } = readRest(members, at);
  const read = { id: id.trim(), content, status, priority, dependencies, estimatedEffort, metadata };
  assertLimits(read, others, at);
  return { ...others, ...read };
}

function readDependencies(dependencies: unknown, at: number): string[] {
  if (!Array.isArray(dependencies))
    throw new Fault(at, "dependencies").of("is no list", "a list of ids", dependencies);
  return dependencies.map((dependency: unknown, place) => {
    if (isText(dependency)) return dependency.trim();
    throw new Fault(at, `dependencies/${place}`).of("is no id", "a text that is not blank", dependency);
  });
}

interface Rest {
  readonly estimatedEffort: string | null;
  readonly metadata: Record<string, unknown>;
  readonly others: Record<string, unknown>;
}

function readRest(members: ReadonlyMap<string, unknown>, at: number): Rest {
  const estimatedEffort = members.get("estimatedEffort") ?? null;
  if (estimatedEffort !== null && typeof estimatedEffort !== "string")
    throw new Fault(at, "estimatedEffort").of("is no text", "a text or null", estimatedEffort);
  const metadata = members.get("metadata") ?? {};
  if (!isObject(metadata)) throw new Fault(at, "metadata").of("is no object", "an object", metadata);
  const others = Object.fromEntries([...members].filter(([name]) => !known.has(name)));
  return { estimatedEffort, metadata: jsonOf(metadata, at, "metadata"), others: jsonOf(others, at, "") };
}

function assertLimits(item: GivenTodo, others: object, at: number): void {
  const { id, content, dependencies, estimatedEffort, metadata } = item;
  const assertShort = (field: string, text: string, limit: number): void => {
    if (isLonger(text, limit)) throw new Fault(at, field).of("is too long", `at most ${limit} code points`);
  };
  assertShort("id", id, todoLimits.id);
  assertShort("content", content, todoLimits.content);
  if (dependencies.length > todoLimits.dependencies)
    throw new Fault(at, "dependencies").of("has too many", `at most ${todoLimits.dependencies}`);
  dependencies.forEach((dependency, place) =>
    assertShort(`dependencies/${place}`, dependency, todoLimits.id),
  );
  assertShort("estimatedEffort", estimatedEffort ?? "", todoLimits.content);
  const tooLarge = `at most ${todoLimits.json} bytes of JSON`;
  if (isLarge(metadata)) throw new Fault(at, "metadata").of("is too large", tooLarge);
  if (isLarge(others)) throw new Fault(at, "other members").of("are too large", tooLarge);
}

/** What is wrong with one item, in the words that a model can act on. Says nothing of what the item holds. */
class Fault {
  readonly #at: number;
  readonly #field: string;

  constructor(at: number, field: string) {
    this.#at = at;
    this.#field = field;
  }

  of(what: string, expected: string, value?: unknown): TodoError {
    const field = this.#field === "" ? "" : `${this.#field} `;
    return new TodoError("invalid_todos", `todo ${this.#at + 1}: ${field}${what}, expected ${expected}`, {
      field: this.#field === "" ? `/todos/${this.#at}` : `/todos/${this.#at}/${this.#field}`,
      expected,
      ...(value === undefined ? {} : { got: kindOf(value) }),
    });
  }
}

/** A copy as it will be read from the log: without members that are `undefined`. */
function jsonOf<Value extends object>(value: Value, at: number, field: string): Value {
  try {
    assertJson(value);
  } catch (error) {
    if (!(error instanceof LemonError)) throw error;
    throw new Fault(at, field).of("holds what is no JSON", "JSON");
  }
  return JSON.parse(JSON.stringify(value)) as Value;
}

function isLonger(text: string, limit: number): boolean {
  // A code point has one or two units, so most texts need no counting.
  if (text.length <= limit) return false;
  return text.length > 2 * limit || Array.from(text).length > limit;
}

function isLarge(value: object): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > todoLimits.json;
}

function isGiven(item: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(item, name) && item[name] !== undefined && item[name] !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isOneOf<Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return (words as readonly unknown[]).includes(value);
}

function missingOr(value: unknown, otherwise: string): string {
  if (value === undefined) return "is missing";
  return typeof value === "string" ? otherwise : "is no text";
}

/** `a, b or c` */
function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
