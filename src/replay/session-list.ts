/** The sessions of a log, told by a few facts of each. */
import { upcast, type Fact, type FactData, type FactOf, type SessionLineage } from "../events/index.ts";
import { DataRedactedError, type EventLog } from "../log/index.ts";
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
  /** `null`: it was left out of the bundle that the session came with. So is `model`. */
  readonly cwd: string | null;
  readonly model: string | null;
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

/** One session whose data is there. @throws SessionNotFoundError, DataRedactedError */
export async function requireWhole(
  log: EventLog,
  sessionId: string,
): Promise<SessionSummary & { readonly cwd: string }> {
  const found = await requireSession(log, sessionId);
  const { cwd } = found;
  if (cwd === null) throw new DataRedactedError(STREAM_PREFIX + sessionId);
  return { ...found, cwd };
}

async function summarise(log: EventLog, stream: string, version: number): Promise<SessionSummary | null> {
  const started = await beginningOf(log, stream);
  if (started === null) return null;
  let last: { position: number; at: number } = started;
  let model: string | null = null;
  let status: SessionSummary["status"] | null = null;
  for await (const fact of log.read(stream, { backwards: true })) {
    if (fact.version === version) last = fact;
    if (fact.type === "session.configured" && fact.redacted === undefined)
      model ??= (upcast(fact) as FactOf<"session.configured">).data.model;
    status ??= statusAfter(upcast(fact));
    if (status !== null) break;
  }
  const told = started.redacted === undefined ? started.data : null;
  const sessionId = stream.slice(STREAM_PREFIX.length);
  return {
    sessionId,
    sessionKey: told?.lineage.sessionKey ?? `session:${sessionId}`,
    origin: told?.lineage.origin ?? "session",
    parentSessionId: told?.lineage.parentSessionId ?? null,
    forkedFrom:
      started.type === "session.forked" && started.redacted === undefined
        ? { sessionId: started.data.from, at: started.data.at }
        : null,
    cwd: told?.cwd ?? null,
    model: model ?? told?.model ?? null,
    status: status ?? "idle",
    version,
    position: last.position,
    startedAt: started.at,
    updatedAt: last.at,
  };
}

async function beginningOf(log: EventLog, stream: string): Promise<FactOf<Beginning> | null> {
  // Facts of other rooms may stand before the start, so the first of the stream need not be it.
  for await (const fact of log.read(stream, { types: beginnings })) return upcast(fact) as FactOf<Beginning>;
  for await (const fact of log.read(stream))
    if (fact.redacted !== undefined && beginnings.includes(fact.type as Beginning))
      return fact as FactOf<Beginning>;
  return null;
}

function statusAfter({ type, data, redacted }: Fact): SessionSummary["status"] | null {
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
      return redacted !== undefined || (data as FactData<"session.forked">).runId === null
        ? "idle"
        : "running";
    default:
      return null;
  }
}
