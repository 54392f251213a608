/** `lemon replay ID` */
import type { ReplayReport } from "../../replay/index.ts";
import { requireSession, verifyReplay } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";

/** Decides a session again and compares with what was recorded. A divergence is status 1. */
export async function replay(context: Context, id: string): Promise<Status> {
  const { out } = context;
  const report = await readingLog(context, async (log) => {
    const { sessionId } = await requireSession(log, id);
    return verifyReplay(log, sessionId);
  });
  const { facts, divergences, stateHash } = report;
  if (out.json) out.document(report);
  else {
    out.line(
      `${facts} facts, ${divergences.length} ${divergences.length === 1 ? "divergence" : "divergences"}`,
    );
    for (const divergence of divergences) await describe(context, divergence);
    out.line(`state ${stateHash}`);
  }
  return divergences.length === 0 ? statuses.done : statuses.failed;
}

const kinds: Readonly<Record<ReplayReport["divergences"][number]["kind"], string>> = {
  prompt_changed: "a prompt, or what the model is sent, is another one",
  decision_changed: "the log and the machines differ",
  decision_missing: "a decision is taken now that the log does not hold",
  decision_extra: "the log holds a decision that is not taken now",
  hook_verdict_changed: "what hooks answered, or what follows from it, is another",
  extension_changed: "another version of an extension",
  input_changed: "an input is not the one that was recorded",
  order_changed: "facts stand in another order, or one is gone",
  clock_changed: "another time",
  hash_changed: "the hash is not the one of this fact",
  crashed: "an actor crashes on this input now",
};

async function describe({ out }: Context, divergence: ReplayReport["divergences"][number]): Promise<void> {
  const { version, position, kind, expected, actual } = divergence;
  const { diffLines } = await import("diff");
  out.line("");
  out.line(`version ${version}${position === null ? "" : `, position ${position}`}: ${kinds[kind]}`);
  out.line(`${out.paint("red", "- the log holds")}   ${out.paint("green", "+ decided now")}`);
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

function pretty(value: unknown): string {
  return value === null ? "(nothing)\n" : `${JSON.stringify(value, null, 2)}\n`;
}
