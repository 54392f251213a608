/**
 * What an error is known by besides its name and text: a refusal's status, a system's code, how long to wait. It is
 * read in the worker and, since a worker may send anything, read again where it arrives.
 */
import * as built from "./captured.ts";

/** Members of an error; what is not of these types is left out. */
export interface ErrorMarks {
  readonly code?: string | number;
  readonly status?: string | number;
  readonly statusCode?: string | number;
  readonly type?: string | number;
  readonly isRetryable?: boolean;
  /** Only those that say how long to wait. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Of the chain of causes the first that has a code. */
  readonly cause?: { readonly code: string };
}

const maxMarkLength = 256;
const maxCauses = 16;

const wordNames = ["code", "status", "statusCode", "type"] as const;
const headerNames = ["retry-after", "retry-after-ms"] as const;

/** Reads what is there. Each member is read under its own `try`: a getter may throw. Never throws. */
export function marksOf(error: unknown): ErrorMarks {
  const marks: Record<string, unknown> = built.bare({});
  for (let index = 0; index < wordNames.length; index += 1) {
    const name = wordNames[index] as string; // below the length
    const word = wordOf(member(error, name));
    if (word !== undefined) marks[name] = word;
  }
  const isRetryable = member(error, "isRetryable");
  if (typeof isRetryable === "boolean") marks["isRetryable"] = isRetryable;
  const headers = headersOf(member(error, "responseHeaders"));
  if (headers !== undefined) marks["responseHeaders"] = headers;
  const code = codeOfCauses(member(error, "cause"));
  if (code !== undefined) marks["cause"] = built.bare({ code });
  return marks;
}

function headersOf(given: unknown): object | undefined {
  const headers: Record<string, string> = built.bare({});
  let isTold = false;
  for (let index = 0; index < headerNames.length; index += 1) {
    const name = headerNames[index] as string; // below the length
    const value = member(given, name);
    if (typeof value !== "string") continue;
    headers[name] = bounded(value);
    isTold = true;
  }
  return isTold ? headers : undefined;
}

/** A chain may have no end, so only so many are looked at. */
function codeOfCauses(first: unknown): string | undefined {
  let cause = first;
  for (let seen = 0; seen < maxCauses && typeof cause === "object"; seen += 1) {
    const code = member(cause, "code");
    if (typeof code === "string") return bounded(code);
    cause = member(cause, "cause");
  }
  return undefined;
}

function wordOf(value: unknown): string | number | undefined {
  if (typeof value === "string") return bounded(value);
  return typeof value === "number" && built.isFinite(value) ? value : undefined;
}

function bounded(text: string): string {
  return built.toWellFormed(built.slice(text, 0, maxMarkLength));
}

function member(value: unknown, name: string): unknown {
  try {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined; // that member can't be read; the others may
  }
}
