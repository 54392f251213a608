/** The view of a side query's stream: whether it has ended, and how. */
import type { Fact, FactOf } from "../../events/index.ts";
import type { StreamViews, ViewsKind } from "../stream-views.ts";

/** How a side query ended. */
export type SideQueryEnd = FactOf<"side_query.answered" | "side_query.failed">;

/** A side query as of its last durable fact. */
export class SideQueryViews implements StreamViews {
  end: SideQueryEnd | null = null;

  fold(fact: Fact): void {
    this.end ??= endOf(fact);
  }

  store(): Map<string, string> {
    return new Map([["end", JSON.stringify(this.end)]]);
  }

  forgetStored(): void {
    // Each time everything is given.
  }
}

/** The views of side queries. */
export const sideQueryViews: ViewsKind<SideQueryViews> = {
  version: "side_query.1",
  create: () => new SideQueryViews(),
  restore: (stored) => {
    const text = stored.get("end")?.text;
    if (text === undefined) return null;
    const views = new SideQueryViews();
    views.end = JSON.parse(text) as SideQueryEnd | null;
    return views;
  },
};

/** The fact, if it ends a side query. */
export function endOf(fact: Fact): SideQueryEnd | null {
  const isEnd = fact.type === "side_query.answered" || fact.type === "side_query.failed";
  return isEnd ? (fact as SideQueryEnd) : null;
}
