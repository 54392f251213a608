/** The supervision trees of the runtimes that led a session, and what was started anew in them. */
import type { FactOf, FactType, KnownFact } from "../../events/index.ts";
import { childrenOf, project, supervisionTree } from "../../projections/index.ts";
import type { RestartRow, RuntimeTree } from "../api.ts";
import { shortValue } from "./one-line.ts";

/** Under which path sessions stand. */
const SESSIONS = "runtime/services/sessions";
const MAX_RESTARTS = 200;

/** Types of the facts of a supervision stream. */
export const supervisionTypes = [
  "child.started",
  "child.exited",
  "child.restarted",
  "child.start_failed",
  "child.late_error",
  "supervisor.gave_up",
] as const satisfies readonly FactType[];

/** A fact of a supervision stream. */
export type SupervisionFact = FactOf<(typeof supervisionTypes)[number]>;

/** Whether a fact is one of these. */
export function isSupervisionFact(fact: KnownFact): fact is SupervisionFact {
  return (supervisionTypes as readonly string[]).includes(fact.type);
}

/** Whether a fact tells that a runtime had this session. */
export function isAbout({ data }: SupervisionFact, sessionId: string): boolean {
  return data.supervisor === SESSIONS && data.childId === sessionId;
}

/**
 * The tree of one runtime at a position of the log: what all sessions share, and of the sessions this one.
 *
 * @param facts - of its supervision stream, in order
 */
export function runtimeTree(
  runtimeId: string,
  facts: readonly SupervisionFact[],
  { sessionId, position }: { readonly sessionId: string; readonly position: number },
): RuntimeTree {
  let view = supervisionTree.initial;
  const restarts: RestartRow[] = [];
  const reasons = new Map<string, string>();
  for (const fact of facts) {
    if (fact.position > position) break;
    if (isOfAnother(fact, sessionId)) continue;
    view = project(supervisionTree, view, fact);
    const row = restartOf(fact, reasons);
    if (row !== null) restarts.push(row);
  }
  return { runtimeId, tree: childrenOf(view, "runtime"), restarts: restarts.slice(-MAX_RESTARTS) };
}

function isOfAnother({ data: { supervisor, childId } }: SupervisionFact, sessionId: string): boolean {
  if (supervisor === SESSIONS) return childId !== sessionId;
  const own = `${SESSIONS}/${sessionId}`;
  return supervisor.startsWith(`${SESSIONS}/`) && supervisor !== own && !supervisor.startsWith(`${own}/`);
}

/** @param reasons - why each child ended last, by its path */
function restartOf(fact: SupervisionFact, reasons: Map<string, string>): RestartRow | null {
  const { position, at, data } = fact;
  const path = `${data.supervisor}/${data.childId}`;
  switch (fact.type) {
    case "child.exited":
      reasons.set(path, reasonLine(fact.data.reason));
      return null;
    case "child.restarted": {
      const reason = reasons.get(path) ?? null;
      return { position, at, path, what: "restarted", restarts: fact.data.restarts, reason };
    }
    case "child.start_failed": {
      const reason = reasonLine(fact.data.reason);
      return { position, at, path, what: "start_failed", restarts: 0, reason };
    }
    case "supervisor.gave_up": {
      const reason = reasonLine(fact.data.reason);
      return { position, at, path: data.supervisor, what: "gave_up", restarts: fact.data.intensity, reason };
    }
    default:
      return null;
  }
}

function reasonLine({ kind, detail }: { readonly kind: string; readonly detail?: unknown }): string {
  return detail === undefined || detail === null ? kind : `${kind}: ${shortValue(detail, 180)}`;
}
