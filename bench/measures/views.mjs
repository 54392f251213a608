/** Folding state and transcript of a long session from its log, against a raw scan that parses each fact's data. */
import { SessionViews } from "../../dist/actors/session-views.js";
import { openEventLog } from "../../dist/log/index.js";
import { messageCount } from "../../dist/projections/index.js";
import { bigSession, stream } from "../lib/big-session.mjs";
import { compare, cpuMillisecondsOf, figure, rateOf, ratioAtLeast } from "../lib/compare.mjs";
import { rawScan } from "../lib/raw-log.mjs";

export async function measure() {
  const file = await bigSession();
  const log = await openEventLog(file, { readOnly: true });
  const scan = rawScan(file, stream);
  const { facts, characters } = scan.run();
  let messages = 0;
  const foldAll = async () => {
    const views = new SessionViews();
    for await (const fact of log.read(stream)) views.fold(fact);
    messages = messageCount(views.transcript);
  };
  const measured = await compare(
    () => rateOf(facts, foldAll, cpuMillisecondsOf),
    () => rateOf(facts, () => scan.run(), cpuMillisecondsOf),
  );
  scan.close();
  await log.close();
  return [
    figure({
      name: "fold of views",
      unit: "facts per CPU s",
      ...measured,
      goal: ratioAtLeast(0.65),
      note: `${facts} facts, ${Math.round(characters / facts)} characters of data each, ${messages} messages`,
    }),
  ];
}
