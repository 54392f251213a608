/** The sessions of a log, told by a few facts of each. */
import { upcast, type Fact, type FactData, type FactOf, type SessionLineage } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import { SessionNotFoundError } from "./errors.ts";

const STREAM_PREFIX = "session-";

type Beginning = "session.started" | "session.forked";
const beginnings: readonly Beginning[] = ["session.started", "session.forked"];

/** A session at a glance. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** What it is: a session of its own, or the work of a background run or of a subagent. */
  readonly origin: SessionLineage["origin"];
  readonly parentSessionId: string | null;
  /** Which session it was forked from, and the version of that one's last fact in its history; `null` for none. */
  readonly forkedFrom: { readonly sessionId: string; readonly at: number } | null;
  readonly cwd: string;
  readonly model: string;
  readonly status: "idle" | "running" | "shut_down";
  /** Version of its last fact. */
  readonly version: number;
  /** Position of its last fact: what orders sessions by age, since clocks may go backwards. */
  readonly position: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** All started sessions, the one with the newest fact first. */
export async function listSessions(log: EventLog): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  for (const { stream, version } of await log.streams(STREAM_PREFIX)) {
    const summary = await summarise(log, stream, version);
    if (summary !== null) summaries.push(summary);
  }
  return summaries.sort((a, b) => b.position - a.position);
}

/** One session; `null` when it was never started. */
export async function findSession(log: EventLog, sessionId: string): Promise<SessionSummary | null> {
  const name = STREAM_PREFIX + sessionId;
  const found = (await log.streams(name)).find(({ stream }) => stream === name);
  return found === undefined ? null : summarise(log, name, found.version);
}

/** One session. @throws SessionNotFoundError when it was never started, or can't be since that is no session id */
export async function requireSession(log: EventLog, sessionId: string): Promise<SessionSummary> {
  const found = await findSession(log, sessionId);
  if (found === null) throw new SessionNotFoundError(sessionId);
  return found;
}

async function summarise(log: EventLog, stream: string, version: number): Promise<SessionSummary | null> {
  let started: FactOf<Beginning> | null = null;
  // Facts of other rooms may stand before the start, so the first of the stream need not be it.
  for await (const fact of log.read(stream, { types: beginnings })) {
    started = upcast(fact) as FactOf<Beginning>;
    break;
  }
  if (started === null) return null;
  let last: { position: number; at: number } = started;
  let model: string | null = null;
  let status: SessionSummary["status"] | null = null;
  for await (const fact of log.read(stream, { backwards: true })) {
    if (fact.version === version) last = fact;
    if (fact.type === "session.configured")
      model ??= (upcast(fact) as FactOf<"session.configured">).data.model;
    status ??= statusAfter(upcast(fact));
    if (status !== null) break;
  }
  const { sessionId, cwd, lineage } = started.data;
  return {
    sessionId,
    sessionKey: lineage.sessionKey,
    origin: lineage.origin,
    parentSessionId: lineage.parentSessionId,
    forkedFrom:
      started.type === "session.forked" ? { sessionId: started.data.from, at: started.data.at } : null,
    cwd,
    model: model ?? started.data.model,
    status: status ?? "idle",
    version,
    position: last.position,
    startedAt: started.at,
    updatedAt: last.at,
  };
}

function statusAfter({ type, data }: Fact): SessionSummary["status"] | null {
  switch (type) {
    case "session.shut_down":
      return "shut_down";
    case "agent.ended":
    case "session.started":
      return "idle";
    case "prompt.submitted":
      return "running";
    // What was open in its parent is open in it.
    case "session.forked":
      return (data as FactData<"session.forked">).runId === null ? "idle" : "running";
    default:
      return null;
  }
}
