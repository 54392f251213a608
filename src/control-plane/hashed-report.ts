/** A status report for callers who need not know where anything lies, or what an author wrote. */
import { hash } from "node:crypto";
import type { Json } from "../events/index.ts";
import { redactJson } from "../secrets/index.ts";

const PATHS = new Set(["sourcePath", "keptSourcePath", "path", "runtimePath"]);
const MESSAGES = new Set([
  "error",
  "errorMessage",
  "errors",
  "warnings",
  "reason",
  "discoverWarnings",
  "discoverErrors",
]);
/** Words of ours within an error. */
const WORDS = new Set(["type", "kind", "code"]);

/** The report with every path and message as the first 16 digits of its SHA-256; equal ones stay equal. */
export function hashedReport(report: object): { readonly [key: string]: Json } {
  // A report is JSON and an object, and stays one.
  return redactJson(hashed(report as Json, false)).value as { readonly [key: string]: Json };
}

function hashed(value: Json, isHidden: boolean): Json {
  if (typeof value === "string") return isHidden ? hash16(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => hashed(item, isHidden));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (isHidden && WORDS.has(key)) return [key, member];
      return [key, hashed(member, isHidden || PATHS.has(key) || MESSAGES.has(key))];
    }),
  );
}

function hash16(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}
