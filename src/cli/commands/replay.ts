/** `lemon replay ID` */
import type { Divergence } from "../../replay/index.ts";
import { requireSession, verifyReplay } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { oneLine } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** Decides a session again and compares with what was recorded. A divergence is status 1. */
export async function replay(context: Context, id: string): Promise<Status> {
  const { out } = context;
  const report = await readingLog(context, async (log) => {
    const { sessionId } = await requireSession(log, id);
    return verifyReplay(log, sessionId);
  });
  const { facts, unavailable, divergences, stateHash } = report;
  if (out.json) out.document(report);
  else {
    out.line(
      `${facts} facts, ${divergences.length} ${divergences.length === 1 ? "divergence" : "divergences"}`,
    );
    if (unavailable > 0)
      out.line(`${unavailable} unavailable: their data was left out, their hashes are right`);
    for (const divergence of divergences) await describe(context, divergence);
    out.line(`state ${stateHash}`);
  }
  return divergences.length === 0 ? statuses.done : statuses.failed;
}

async function describe({ out }: Context, divergence: Divergence): Promise<void> {
  const { version, position, kind, expected, actual, differences, cause, explanation } = divergence;
  const { diffLines } = await import("diff");
  out.line("");
  out.line(`version ${version}${position === null ? "" : `, position ${position}`}: ${kind}`);
  out.line(oneLine(explanation, 400));
  if (cause !== null) out.line(`cause   version ${cause}`);
  for (const { path, expected: was, actual: now } of differences)
    out.line(`differs ${path}: ${short(was)} → ${short(now)}`);
  out.line(`${out.paint("red", "- as recorded")}   ${out.paint("green", "+ as it is now")}`);
  for (const { value, added, removed } of diffLines(pretty(expected), pretty(actual))) {
    const [sign, colour] = added
      ? (["+", "green"] as const)
      : removed
        ? (["-", "red"] as const)
        : ([" ", "dim"] as const);
    for (const line of value.trimEnd().split("\n")) out.line(out.paint(colour, `${sign} ${line}`));
  }
  out.line("");
}

function short(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? "nothing", 80);
}

function pretty(value: unknown): string {
  return value === null ? "(nothing)\n" : `${JSON.stringify(value, null, 2)}\n`;
}
