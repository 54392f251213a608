/** Facts, and what led to them. docs/reference/inspector.md */
import type { Fact, FactRule } from "../../events/index.ts";
import type { Lane } from "./sessions.ts";

/**
 * `GET /api/sessions/:id/facts?from=V&limit=N&filter=F` (limit 1 to 1,000; default 200): rows in version order from version
 * `from` (default 1); with a filter, only those that match.
 */
export interface FactsAnswer {
  readonly version: number;
  readonly rows: readonly FactRow[];
  /** Version to go on from; `null` at the end. */
  readonly next: number | null;
}

/** A fact in one line. */
export interface FactRow {
  readonly version: number;
  readonly position: number;
  readonly type: string;
  readonly lane: Lane;
  readonly at: number;
  readonly kind: Fact["kind"];
  readonly actor: string;
  readonly causation: number | null;
  /** One line, at most 200 characters. */
  readonly summary: string;
  readonly callId: string | null;
  /** Name of the tool of that call. */
  readonly tool: string | null;
  readonly isError: boolean;
  readonly isBlocked: boolean;
}

/** `GET /api/sessions/:id/facts/matching?filter=F`: the filter language is in docs/reference/inspector.md. */
export interface MatchesAnswer {
  readonly version: number;
  readonly filter: string;
  /** In order. */
  readonly versions: readonly number[];
}

/** `GET /api/sessions/:id/facts/:version` */
export interface FactAnswer {
  readonly fact: Fact;
  /** The catalogue's row; `null` for a type that this version does not know. */
  readonly rule: FactRule | null;
  readonly row: FactRow;
  readonly cause: FactRow | null;
  /** What it caused, at most 500 rows. */
  readonly effects: readonly FactRow[];
  /** The input that led to it with all that followed from that, at most 500 facts. */
  readonly unit: DecisionNode;
  /** Facts of the unit that are not in the tree. */
  readonly unitLeftOut: number;
}

/** A fact and what it caused, down to the next input. */
export interface DecisionNode {
  readonly row: FactRow;
  readonly children: readonly DecisionNode[];
}
