/** The runtime's log lines, on standard error: warnings always, the rest under `--verbose`. */
import type { Logger } from "../ports.ts";
import type { Output } from "./output.ts";

/** A logger that writes lines for people. */
export function loggerOf(out: Output): Logger {
  const detail = (fields: object, message: string): void => {
    if (out.verbose) out.note(lineOf(fields, message));
  };
  const warn = (fields: object, message: string): void => out.warn(lineOf(fields, message));
  return { debug: detail, info: detail, warn, error: warn };
}

function lineOf(fields: object, message: string): string {
  return Object.keys(fields).length === 0 ? message : `${message} ${JSON.stringify(fields)}`;
}
