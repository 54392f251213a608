/**
 * Resuming a long session from its stored states, to where its whole transcript can be read, against replaying it from
 * its first fact. The session was left as a kill leaves it, with facts behind the last stored state.
 */
import { loadStream } from "../../dist/actors/load.js";
import { sessionViews } from "../../dist/actors/session-views.js";
import { sessionActors } from "../../dist/actors/session/actors.js";
import { openEventLog } from "../../dist/log/index.js";
import { messagesOf } from "../../dist/projections/index.js";
import { bigSession, sessionId, stream } from "../lib/big-session.mjs";
import { compare, cpuMillisecondsOf, figure, ratioAtMost } from "../lib/compare.mjs";

export async function measure() {
  const log = await openEventLog(await bigSession(), { readOnly: true });
  let resumed = await load(log, {});
  if (resumed.fromVersion === 0) throw new Error("no stored state was used");
  const measured = await compare(
    () =>
      cpuMillisecondsOf(async () => {
        resumed = await load(log, {});
      }),
    () => cpuMillisecondsOf(() => load(log, { snapshots: false })),
    { rounds: 5 },
  );
  // Stored pages are parsed when they are looked at: this is the time until the next prompt can be taken.
  const ready = await compare(
    () => cpuMillisecondsOf(() => load(log, {}, false)),
    () => measured.floor,
    { rounds: 5 },
  );
  await log.close();
  const behind = resumed.version - resumed.fromVersion;
  return [
    figure({
      name: `resume of ${resumed.version.toLocaleString("en")} facts`,
      unit: "ms of CPU",
      ...measured,
      goal: ratioAtMost(1 / 100),
      note: `aim 1/300; every message read; ${behind} facts behind the stored state, ${resumed.messages} messages`,
    }),
    figure({ name: "the same until it takes a prompt", unit: "ms of CPU", ...ready }),
  ];
}

async function load(log, options, isRead = true) {
  const { version, fromVersion, divergence, views } = await loadStream(
    log,
    stream,
    sessionActors(sessionId),
    sessionViews,
    options,
  );
  if (divergence !== null) throw new Error(`it diverges: ${JSON.stringify(divergence)}`);
  return { version, fromVersion, messages: isRead ? messagesOf(views.transcript).length : null };
}
