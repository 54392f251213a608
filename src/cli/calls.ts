/** A tool call in one line. */
import { oneLine, printable } from "./printable.ts";

/** Arguments that say by themselves what a call is about. */
const TELLING = ["command", "path", "pattern"];

/** The tool's name and what it is called with. */
export function describeCall(name: string, args: unknown, width = 100): string {
  return oneLine(`${name} ${describeArgs(args)}`, width);
}

/** A call as a person must see it to allow it: nothing of a command, and no argument, is left out of sight. */
export function describeWhole(name: string, args: Readonly<Record<string, unknown>> | null): string {
  const command = args?.["command"];
  const whole =
    typeof command === "string" && Object.keys(args ?? {}).length === 1 ? command : JSON.stringify(args);
  return printable(`${name} ${whole}`);
}

function describeArgs(args: unknown): string {
  if (typeof args !== "object" || args === null) return typeof args === "string" ? args : "";
  const given = args as Readonly<Record<string, unknown>>;
  const telling = TELLING.map((key) => given[key]).filter((value) => typeof value === "string");
  return telling.length > 0 ? telling.join(" ") : JSON.stringify(args);
}
