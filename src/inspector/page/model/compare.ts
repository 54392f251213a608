/** What differs between two states, side by side. */
import type { DiffAnswer, ShownMessage, StateAnswer } from "../../api.ts";
import { valueAt } from "./json-rows.ts";

/** One thing that differs. */
export interface ChangeRow {
  readonly pointer: string;
  /** JSON, cut at 400 characters; `null`: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A part of the state with all that differs in it. */
export interface ChangedPart {
  readonly part: string;
  readonly summary: readonly string[];
  readonly changes: readonly ChangeRow[];
}

/** The parts that differ, in the order of the summary, then of the patch. Messages are shown apart. */
export function changedParts(answer: DiffAnswer, before: StateAnswer, after: StateAnswer): ChangedPart[] {
  const rows = answer.patch.map(({ op, path, value }) => ({
    part: path.split("/")[1] ?? "",
    row: {
      pointer: path,
      before: op === "add" ? null : jsonAt(before, path),
      after: op === "remove" ? null : value === undefined ? jsonAt(after, path) : brief(value),
    },
  }));
  const summarised = Object.keys(answer.summary).filter((part) => (answer.summary[part] ?? []).length > 0);
  const parts = [...new Set([...summarised, ...rows.map(({ part }) => part)])].filter(
    (part) => part !== "version",
  );
  return parts.map((part) => ({
    part,
    summary: answer.summary[part] ?? [],
    changes: part === "messages" ? [] : rows.filter((row) => row.part === part).map(({ row }) => row),
  }));
}

/** The two ends of conversations that begin alike. */
export interface SplitMessages {
  readonly shared: number;
  readonly before: readonly ShownMessage[];
  readonly after: readonly ShownMessage[];
}

/** Splits where they part. A message's version counts only with its words, so that forks compare. */
export function splitMessages(
  before: readonly ShownMessage[],
  after: readonly ShownMessage[],
): SplitMessages {
  const words = ({ message }: ShownMessage): string => JSON.stringify({ ...message, version: 0 });
  let shared = 0;
  for (; shared < Math.min(before.length, after.length); shared += 1) {
    const [left, right] = [before[shared], after[shared]];
    if (left === undefined || right === undefined || words(left) !== words(right)) break;
  }
  return { shared, before: before.slice(shared), after: after.slice(shared) };
}

function jsonAt({ views, todos, todoProgress }: StateAnswer, pointer: string): string | null {
  const found = valueAt({ ...views, todos, todoProgress }, pointer);
  return found === undefined ? null : brief(found);
}

/** JSON, cut at 400 characters. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
