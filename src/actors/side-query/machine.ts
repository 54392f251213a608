/**
 * A side query: it is asked once and ends once. Pure. All that it does beside that is its effect.
 * docs/reference/side-queries.md
 */
import { setup } from "xstate";
import type { Decision, FactEvent } from "../../events/index.ts";

const query = setup({
  types: {
    events: {} as FactEvent,
    emitted: {} as Decision,
  },
});

/** The decider of a side query's stream. */
export const sideQueryMachine = query.createMachine({
  id: "side_query",
  initial: "new",
  states: {
    new: { on: { "side_query.asked": "asking" } },
    asking: { on: { "side_query.answered": "ended", "side_query.failed": "ended" } },
    ended: {},
  },
});
