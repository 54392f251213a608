/** The filter of the page: which facts match a line of words. docs/reference/inspector.md, "Filter" */
import { LemonError } from "../../errors.ts";
import type { FactColumns } from "./fact-columns.ts";
import type { FactRow } from "../api.ts";

/** Characters of a filter, and words in it, at most. */
const MAX_CHARS = 1_000;
const MAX_TERMS = 50;

/** The filter is too long. Code `LEMON_INVALID_FILTER`. */
class InvalidFilterError extends LemonError {
  constructor(expected: string) {
    super("invalid_filter", `the filter is too long: expected ${expected}`, { field: "filter", expected });
  }
}

/** What a filter looks at of a fact. */
export type Filtered = Pick<
  FactRow,
  "type" | "tool" | "callId" | "summary" | "isError" | "isBlocked" | "kind" | "lane"
>;

/** One word of a filter. All of them have to match. */
export interface Term {
  readonly field: "text" | "type" | "tool" | "call" | "lane" | "kind" | "error" | "blocked";
  /** In lower case. */
  readonly value: string;
  /** A `-` before it: facts that do not match it. */
  readonly isNot: boolean;
}

const fields = new Set<string>(["type", "tool", "call", "lane", "kind"]);

/** Reads a filter. Every line of words is one. @throws InvalidFilterError when it is too long */
export function parseFilter(text: string): Term[] {
  if (text.length > MAX_CHARS) throw new InvalidFilterError(`at most ${MAX_CHARS} characters`);
  const terms = wordsOf(text).map(({ word, isQuoted, isNot }): Term => {
    if (isQuoted) return { field: "text", value: word, isNot };
    if (word === "error" || word === "blocked") return { field: word, value: word, isNot };
    const [name, value] = splitAt(word, word.indexOf(":"));
    if (fields.has(name) && value !== "") return { field: name as Term["field"], value, isNot };
    return { field: "text", value: word, isNot };
  });
  if (terms.length > MAX_TERMS) throw new InvalidFilterError(`at most ${MAX_TERMS} words`);
  return terms;
}

/** Whether a fact matches all terms; every fact does when there are none. */
export function matches(terms: readonly Term[], fact: Filtered): boolean {
  return terms.every((term) => holds(term, fact) !== term.isNot);
}

/** Versions of the facts that match, in order. One look at each fact. */
export function matchingVersions(columns: FactColumns, terms: readonly Term[]): number[] {
  const found: number[] = [];
  for (let version = 1; version <= columns.version; version += 1)
    if (matches(terms, columns.row(version))) found.push(version);
  return found;
}

function holds({ field, value }: Term, fact: Filtered): boolean {
  switch (field) {
    case "type":
      return fact.type.startsWith(value);
    case "tool":
      return fact.tool?.toLowerCase() === value;
    case "call":
      return fact.callId?.toLowerCase() === value;
    case "lane":
      return fact.lane === value;
    case "kind":
      return fact.kind === value;
    case "error":
      return fact.isError;
    case "blocked":
      return fact.isBlocked;
    case "text":
      return (
        fact.summary.toLowerCase().includes(value) ||
        fact.type.includes(value) ||
        (fact.tool?.toLowerCase().includes(value) ?? false) ||
        (fact.callId?.toLowerCase().includes(value) ?? false)
      );
  }
}

interface Word {
  readonly word: string;
  readonly isQuoted: boolean;
  readonly isNot: boolean;
}

/** Words by white space; what stands in double quotes is one, an unclosed quote ends at the end. */
function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const [, not, quoted, plain] of text.toLowerCase().matchAll(/(-?)(?:"([^"]*)(?:"|$)|([^\s"]\S*))/g)) {
    const word = quoted ?? plain ?? "";
    if (word === "") continue;
    words.push({ word, isQuoted: quoted !== undefined, isNot: not === "-" });
  }
  return words;
}

function splitAt(text: string, at: number): [string, string] {
  return at < 0 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)];
}
