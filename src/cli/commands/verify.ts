/** `lemon verify` */
import type { Finding } from "../../log/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";

/** Checks the log's integrity. An error, which a warning is not, is status 1. */
export async function verify(context: Context): Promise<Status> {
  const { out } = context;
  const { info, findings } = await readingLog(context, async (log) => {
    const found: Finding[] = [];
    for await (const finding of log.verify()) found.push(finding);
    return { findings: found, info: found.some(isError) ? null : await log.info() };
  });
  const errors = findings.filter(isError).length;
  if (out.json) {
    const { facts = null, streams = null, location = context.log } = info ?? {};
    out.document({ location, facts, streams, findings });
  } else {
    for (const { level, code, message } of findings) {
      out.line(`${out.paint(level === "error" ? "red" : "yellow", level)}  ${code}  ${message}`);
    }
    const size = info === null ? "" : `${info.facts} facts in ${info.streams} streams, `;
    out.line(`${size}${count(errors, "error")}, ${count(findings.length - errors, "warning")}`);
  }
  return errors === 0 ? statuses.done : statuses.failed;
}

function isError({ level }: Finding): boolean {
  return level === "error";
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
