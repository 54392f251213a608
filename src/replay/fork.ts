/** Forks of sessions: new ones that go on from what another was at a version. docs/reference/forks.md */
import path from "node:path";
import { planFork, type ForkParts } from "../actors/fork.ts";
import { loadSchemas, type SessionLineage } from "../events/index.ts";
import { InvalidVersionError, type EventLog } from "../log/index.ts";
import type { SessionView } from "../projections/index.ts";
import { requireSession } from "./session-list.ts";

/** Which fork is made. */
export interface ForkRequest {
  /** Id of the new session, which must not exist. */
  readonly sessionId: string;
  /** Version of the parent's last fact in its history. */
  readonly at: number;
  /** Absolute path of the folder where it works; `null`: its parent's. */
  readonly cwd: string | null;
}

/** A fork that was made. */
export interface ForkedSession {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** Version of its last fact. */
  readonly version: number;
}

/**
 * Makes a fork. The parent is only read, and nobody leads the fork yet.
 *
 * @param from - id of the parent
 * @throws SessionNotFoundError, InvalidVersionError, ReplayDivergedError; VersionConflictError when there is a session of that id
 */
export async function forkSession(
  log: EventLog,
  from: string,
  { sessionId, at, cwd }: ForkRequest,
  parts: Pick<ForkParts, "clock" | "mask">,
): Promise<ForkedSession> {
  await assertVersion(log, from, at);
  const { checkFact } = await loadSchemas();
  const lineage = (parent: SessionView): SessionLineage => ({
    origin: "session",
    sessionKey: `session:${sessionId}`,
    parentSessionId: null,
    parentSessionKey: null,
    agentId: parent.lineage.agentId,
    depth: 0,
    ownSystemPrompt: parent.lineage.ownSystemPrompt,
  });
  const { facts } = await planFork(
    log,
    { sessionId, from, at },
    { ...parts, check: checkFact },
    (parent) => ({
      ...parent.settings,
      cwd: cwd ?? parent.cwd,
      systemPrompt: cwd === null ? null : promptIn(parent, cwd),
      lineage: lineage(parent),
    }),
  );
  const recorded = await log.append(`session-${sessionId}`, "none", facts);
  return { sessionId, sessionKey: `session:${sessionId}`, version: recorded.length };
}

/** Facts of other rooms may stand before the start, and nothing can be forked from those. */
async function assertVersion(log: EventLog, id: string, at: number): Promise<void> {
  const { version } = await requireSession(log, id);
  const stream = `session-${id}`;
  const types = ["session.started", "session.forked"];
  for await (const { version: first } of log.read(stream, { types, to: version })) {
    if (Number.isSafeInteger(at) && at >= first && at <= version) return;
    throw new InvalidVersionError(stream, at, version, first);
  }
}

/** The built prompt names the folder; one that a program gave is its own. `null`: nothing in it changes. */
function promptIn({ systemPrompt, cwd, lineage }: SessionView, folder: string): string | null {
  if (lineage.ownSystemPrompt) return null;
  const linesFor = (place: string): string[] => [
    `Working directory: ${place}`,
    `Instructions from ${path.join(place, "AGENTS.md")}:`,
  ];
  const [was, is] = [linesFor(cwd), linesFor(folder)];
  const named = systemPrompt
    .split("\n")
    .map((line) => is[was.indexOf(line)] ?? line)
    .join("\n");
  return named === systemPrompt ? null : named;
}
