/** A side query's stream: one for each, ended with it. */
import { LemonError } from "../../errors.ts";
import { loadSchemas } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Logger } from "../../ports.ts";
import type { Masker } from "../../secrets/index.ts";
import type { StreamActors } from "../cascade.ts";
import { noMember } from "../extension-registry/machine.ts";
import { JournaledStream } from "../journaled.ts";
import type { Leadership } from "../leadership.ts";
import { sideQueryEffect, type SideQueryParts } from "./effect.ts";
import { sideQueryMachine } from "./machine.ts";
import { sideQueryViews, type SideQueryViews } from "./views.ts";

/** What streams of side queries begin with. */
export const SIDE_QUERY_STREAMS = "side_query-";

/** The stream of a side query. */
export type SideQueryStream = JournaledStream<SideQueryViews>;

/** What a side query's stream needs. */
export interface SideQueryStreamParts extends SideQueryParts {
  readonly id: string;
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly logger: Logger;
  readonly mask: Masker;
}

/** The stream, not started yet. */
export async function openSideQueryStream(parts: SideQueryStreamParts): Promise<SideQueryStream> {
  const { checkFact: check } = await loadSchemas();
  const { id, log, leadership, clock, logger, mask } = parts;
  return new JournaledStream({
    stream: `${SIDE_QUERY_STREAMS}${id}`,
    log,
    leadership,
    actors: { ...sideQueryActors(id), check },
    effects: () => ({ "side_query.asked": sideQueryEffect(parts) }),
    views: sideQueryViews,
    lastWords: () => null,
    clock,
    logger,
    mask,
    check,
    refuse: (type) => new LemonError("internal", `a side query takes no ${type} now`),
  });
}

/** The actors of a side query: itself alone. */
function sideQueryActors(id: string): StreamActors {
  const rootPath = `side_queries/${id}`;
  return { root: sideQueryMachine, rootPath, member: noMember, memberPath: () => rootPath };
}
