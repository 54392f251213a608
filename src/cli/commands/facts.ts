/** `lemon facts ID` */
import { isKnownType, type Fact } from "../../events/index.ts";
import { requireSession } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { oneLine, timeOf, UNAVAILABLE } from "../printable.ts";
import type { FactsFlags } from "../flags.ts";
import { followStream, readingLog } from "../reading.ts";

/** Prints the facts of a session, oldest first; with `--follow` also each new one, until interrupted. */
export async function facts(context: Context, id: string, flags: FactsFlags): Promise<Status> {
  const { from = 1, type: types, follow = false } = flags;
  for (const type of types ?? [])
    if (!isKnownType(type)) context.out.warn(`--type: no fact is called ${type}`);
  await readingLog(context, async (log) => {
    const { sessionId } = await requireSession(log, id);
    const stream = `session-${sessionId}`;
    let last: Fact | null = null;
    const take = (fact: Fact): void => {
      if (fact.version >= from && (types === undefined || types.includes(fact.type))) print(context, fact);
    };
    // From the first when following, so that the place to go on from is known even where nothing is printed.
    for await (const fact of log.read(stream, follow ? {} : { from })) {
      last = fact;
      take(fact);
    }
    if (follow) await followStream(log, stream, last, take);
  });
  return statuses.done;
}

function print({ out }: Context, fact: Fact): void {
  if (out.json) return out.document(fact);
  const { version, at, kind, type, actor, causation, data } = fact;
  const cause = causation === null ? "" : ` after ${causation}`;
  const title = `${String(version).padStart(5)}  ${timeOf(at)}  ${kind.padEnd(8)}  ${type}`;
  const shown = fact.redacted === undefined ? oneLine(JSON.stringify(data), 160) : UNAVAILABLE;
  out.line(`${title}  ${out.paint("dim", `${actor}${cause}  ${shown}`)}`);
}
