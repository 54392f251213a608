/** The part of a supervision tree that ran a session, as it was at a position of the log. */
import type { FactOf } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import { childrenOf, project, supervisionTree, type SupervisionNode } from "../projections/index.ts";

const PREFIX = "supervision-";

/** Who ran a session. */
export interface SupervisionAt {
  /** The runtime: `rt_…`. */
  readonly runtime: string;
  /** The session's supervisor, with what stands under it. */
  readonly tree: SupervisionNode;
}

/**
 * Of the runtimes that ran it, the one that started last by then.
 *
 * @param position - of the last fact of the whole log that counts
 * @returns `null` when no runtime told that it ran the session
 */
export async function supervisionAt(
  log: EventLog,
  sessionId: string,
  position: number,
): Promise<SupervisionAt | null> {
  for (const stream of await newestFirst(log, position)) {
    const supervisor = await supervisorOf(log, stream, sessionId, position);
    if (supervisor === null) continue;
    let view = supervisionTree.initial;
    for await (const fact of log.read(stream)) {
      if (fact.position > position) break;
      view = project(supervisionTree, view, fact);
    }
    const tree = childrenOf(view, supervisor).find(({ id }) => id === sessionId);
    if (tree !== undefined) return { runtime: stream.slice(PREFIX.length), tree };
  }
  return null;
}

/** The streams of the runtimes that had started by then. */
async function newestFirst(log: EventLog, position: number): Promise<string[]> {
  const started: { readonly stream: string; readonly position: number }[] = [];
  for (const { stream } of await log.streams(PREFIX)) {
    for await (const first of log.read(stream, { to: 1 }))
      if (first.position <= position) started.push({ stream, position: first.position });
  }
  return started.sort((a, b) => b.position - a.position).map(({ stream }) => stream);
}

async function supervisorOf(
  log: EventLog,
  stream: string,
  sessionId: string,
  position: number,
): Promise<string | null> {
  for await (const fact of log.read(stream, { types: ["child.started"] })) {
    if (fact.position > position) return null;
    const { data } = fact as FactOf<"child.started">;
    if (data.childId === sessionId && data.childType === "supervisor") return data.supervisor;
  }
  return null;
}
