/** What the log knows of the files of a session's workspace, over its whole history. docs/reference/bisect.md */
import { sep } from "node:path";
import { upcast, type Fact, type FactData, type FactOf } from "../../events/index.ts";
import { familyOf, sessionStreamName, versionAt } from "../../harness/index.ts";
import { forkOf, type EventLog } from "../../log/index.ts";
import { fileHistoryTypes, madeDirectoriesOf, writesOf, type FileWrite } from "../../projections/index.ts";
import { SessionNotFoundError } from "../errors.ts";
import { placeAt, within, type CoverageReason, type Place } from "../../workspace/index.ts";

/** A fact that tells of changes to the workspace. Its paths are relative, with `/`. */
export interface Step {
  readonly position: number;
  readonly stream: string;
  /** Within that stream. */
  readonly version: number;
  readonly writes: readonly FileWrite[];
  readonly madeDirs: readonly string[];
  readonly removedDirs: readonly string[];
}

/** A workspace through time. */
export interface WorkspaceHistory {
  readonly sessionId: string;
  /** Absolute, no link. It need not exist any more. */
  readonly cwd: string;
  /** In the order of the log. */
  readonly steps: readonly Step[];
  /** Why receipts may not name everything, each once. */
  readonly reasons: ReadonlySet<CoverageReason>;
}

/** A session whose calls worked in the same files, up to a position of the log. */
interface Source {
  readonly sessionId: string;
  readonly until: number;
}

/**
 * Reads what calls and restores of a session, of its subagents and of its ancestors did to the workspace.
 *
 * @throws SessionNotFoundError
 */
export async function workspaceHistory(log: EventLog, sessionId: string): Promise<WorkspaceHistory> {
  const cwd = await cwdOf(log, sessionId);
  if (cwd === null) throw new SessionNotFoundError(sessionId);
  const steps: Step[] = [];
  const reasons = new Set<CoverageReason>();
  for (const source of await sourcesOf(log, sessionId)) {
    for (const member of await familyOf(log, source.sessionId)) {
      const place = await placeAt((await cwdOf(log, member)) ?? cwd);
      const stream = sessionStreamName(member);
      for await (const fact of log.read(stream, { types: fileHistoryTypes })) {
        if (fact.position > source.until) break;
        const step = stepOf(fact, place);
        if (step !== null) steps.push(step);
        for (const reason of receiptReasons(fact)) reasons.add(reason);
      }
    }
  }
  const { cwd: real } = await placeAt(cwd);
  return { sessionId, cwd: real, steps: steps.toSorted((a, b) => a.position - b.position), reasons };
}

/** Position of a version of a session. @throws InvalidVersionError when there is no such version */
export async function positionOf(log: EventLog, sessionId: string, version: number): Promise<number> {
  const stream = sessionStreamName(sessionId);
  const at = await versionAt(log, stream, version);
  let position = 0;
  for await (const fact of log.read(stream, { from: at, to: at })) ({ position } = fact);
  return position;
}

/**
 * The session and what it was forked from. A fork that shares the folder of its parent sees all that is done there; one
 * with a folder of its own began with the files of the version that it was forked at.
 */
async function sourcesOf(log: EventLog, sessionId: string): Promise<Source[]> {
  const sources: Source[] = [{ sessionId, until: Number.POSITIVE_INFINITY }];
  for (const { sessionId: id, until } of sources) {
    const forked = await forkOf(log, sessionStreamName(id));
    if (forked === null || sources.some((source) => source.sessionId === forked.from)) continue;
    const parentCwd = await cwdOf(log, forked.from);
    if (parentCwd === null) continue; // Its facts are not in this log.
    const isShared = forked.cwd === parentCwd;
    const end = isShared ? until : Math.min(until, await positionOf(log, forked.from, forked.at));
    sources.push({ sessionId: forked.from, until: end });
  }
  return sources;
}

async function cwdOf(log: EventLog, sessionId: string): Promise<string | null> {
  const types = ["session.started", "session.forked"];
  for await (const fact of log.read(sessionStreamName(sessionId), { types }))
    return (upcast(fact) as FactOf<"session.started" | "session.forked">).data.cwd;
  return null;
}

function stepOf(fact: Fact, place: Place): Step | null {
  const { position, stream, version } = fact;
  const inside = (path: string): string | null => {
    const below = within(place.cwd, place.resolve(path));
    return below === null || below === "" ? null : below.split(sep).join("/");
  };
  const named = (paths: readonly string[]): string[] => paths.flatMap((path) => inside(path) ?? []);
  const writes = writesOf(fact).flatMap((write) => {
    const path = inside(write.path);
    return path === null ? [] : [{ ...write, path }];
  });
  const madeDirs = named(madeDirectoriesOf(fact).map(({ path }) => path));
  const removedDirs = named(fact.type === "checkpoint.restored" ? restored(fact).removedDirs : []);
  if (writes.length + madeDirs.length + removedDirs.length === 0) return null;
  return { position, stream, version, writes, madeDirs, removedDirs };
}

function restored(fact: Fact): FactData<"checkpoint.restored"> {
  return (upcast(fact) as FactOf<"checkpoint.restored">).data;
}

function receiptReasons(fact: Fact): readonly CoverageReason[] {
  if (fact.type === "checkpoint.restored") return [];
  const { data } = upcast(fact) as FactOf<"tool_call.returned" | "tool_call.receipt_recorded">;
  return data.receipt?.coverageReasons ?? [];
}
