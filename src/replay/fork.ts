/** Forks of sessions: new ones that go on from what another was at a version. docs/reference/forks.md */
import path from "node:path";
import { planFork, type ForkParts } from "../actors/fork.ts";
import { loadSchemas, type SessionLineage } from "../events/index.ts";
import { InvalidVersionError, type EventLog } from "../log/index.ts";
import type { SessionView } from "../projections/index.ts";
import { materialise, type Materialised, type MaterialiseOptions } from "./materialise/materialise.ts";
import { requireSession } from "./session-list.ts";

/** Which fork is made. */
export interface ForkRequest {
  /** Id of the new session, which must not exist. */
  readonly sessionId: string;
  /** Version of the parent's last fact in its history. */
  readonly at: number;
  /**
   * Absolute path of the folder where it works, absent or empty: its parent's files are brought there as they were.
   * `null`: its parent's folder, in which no file is touched.
   */
  readonly cwd: string | null;
}

/** A fork that was made. */
export interface ForkedSession {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** Version of its last fact. */
  readonly version: number;
  /** Where it works. */
  readonly cwd: string;
  /** What was brought into a folder of its own; absent when it shares its parent's. */
  readonly files?: Materialised;
}

/**
 * Makes a fork. The parent is only read, and nobody leads the fork yet.
 *
 * @param from - id of the parent
 * @throws SessionNotFoundError, InvalidVersionError, FolderNotEmptyError, ReplayDivergedError; VersionConflictError when
 * there is a session of that id
 */
export async function forkSession(
  log: EventLog,
  from: string,
  { sessionId, at, cwd }: ForkRequest,
  parts: Pick<ForkParts, "clock" | "mask"> & Pick<MaterialiseOptions, "skipped">,
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
  const { parent, facts } = await planFork(
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
  // Before the session is there: a fork with half its files would be none.
  const { skipped = [] } = parts;
  const files = cwd === null ? null : await materialise(log, from, at, cwd, { skipped });
  const recorded = await log.append(`session-${sessionId}`, "none", facts);
  const made = {
    sessionId,
    sessionKey: `session:${sessionId}`,
    version: recorded.length,
    cwd: cwd ?? parent.cwd,
  };
  return files === null ? made : { ...made, files };
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
