/** A tool call in one line. */
import { oneLine } from "./printable.ts";

/** Arguments that say by themselves what a call is about. */
const TELLING = ["command", "path", "pattern"];

/** The tool's name and what it is called with. */
export function describeCall(name: string, args: unknown, width = 100): string {
  return oneLine(`${name} ${describeArgs(args)}`, width);
}

function describeArgs(args: unknown): string {
  if (typeof args !== "object" || args === null) return typeof args === "string" ? args : "";
  const given = args as Readonly<Record<string, unknown>>;
  const telling = TELLING.map((key) => given[key]).filter((value) => typeof value === "string");
  return telling.length > 0 ? telling.join(" ") : JSON.stringify(args);
}
