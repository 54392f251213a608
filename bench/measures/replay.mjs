/**
 * Replaying a long session through its machines (every decision compared, every request to the model rebuilt and
 * compared) against the raw fold: a scan that parses each fact's data.
 */
import { openEventLog } from "../../dist/log/index.js";
import { verifyReplay } from "../../dist/replay/index.js";
import { bigSession, sessionId, stream } from "../lib/big-session.mjs";
import { compare, cpuMillisecondsOf, figure, rateOf, ratioAtLeast } from "../lib/compare.mjs";
import { rawScan } from "../lib/raw-log.mjs";

export async function measure() {
  const file = await bigSession();
  const log = await openEventLog(file, { readOnly: true });
  const scan = rawScan(file, stream);
  const { facts, characters } = scan.run();
  const replay = async () => {
    const { divergences } = await verifyReplay(log, sessionId);
    if (divergences.length > 0) throw new Error(`it diverges: ${JSON.stringify(divergences[0])}`);
  };
  const measured = await compare(
    () => rateOf(facts, replay, cpuMillisecondsOf),
    () => rateOf(facts, () => scan.run(), cpuMillisecondsOf),
    { rounds: 5 },
  );
  scan.close();
  await log.close();
  return [
    figure({
      name: "verify-replay over the raw fold",
      unit: "facts per CPU s",
      ...measured,
      goal: ratioAtLeast(0.15),
      note: `aim 0.3; ${Math.round(characters / facts)} characters of data a fact`,
    }),
  ];
}
