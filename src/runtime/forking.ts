/** What the runtime adds to a fork: an id, the secrets of the folder, and the words in which it is told. */
import path from "node:path";
import { LemonError } from "../errors.ts";
import type { FactOf } from "../events/index.ts";
import { forkSession, requireSession, type Materialised } from "../replay/index.ts";
import type { SessionsDeps } from "./sessions-deps.ts";

/** Which fork is made. */
export interface ForkOptions {
  /** Version of the parent's last fact that belongs to its history, from 1. */
  readonly at: number;
  /** An absent or empty folder for it. Default: the folder of its parent. */
  readonly cwd?: string;
}

/** What was brought into a folder of its own; absent without one. docs/reference/forks.md, "Files" */
export type ForkedFiles = Partial<Pick<Materialised, "filesUnavailable" | "coverage" | "coverageReasons">>;

/** A fork in the log. */
export interface RecordedFork {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** Version of its last fact. */
  readonly version: number;
  readonly cwd: string;
  readonly told: ForkedFiles;
}

/** Records a fork, which nobody leads yet. @throws the errors of `forkSession` */
export async function recordFork(
  { factory, cwd: home }: Pick<SessionsDeps, "factory" | "cwd">,
  id: string,
  options: ForkOptions,
): Promise<RecordedFork> {
  const { log, ids, clock } = factory.world;
  const { at, cwd } = options;
  if (cwd !== undefined && (typeof cwd !== "string" || cwd.trim() === "" || cwd.includes("\0"))) {
    const told = { field: "cwd", expected: "the path of a folder" };
    throw new LemonError("invalid_cwd", "cwd: expected the path of a folder", told);
  }
  const folder = cwd === undefined ? null : path.resolve(home, cwd);
  const sessionId = ids("ses");
  const mask = await factory.maskOf(folder ?? (await requireSession(log, id)).cwd ?? home);
  const parts = { clock, mask, skipped: [factory.home] };
  const { files, ...made } = await forkSession(log, id, { sessionId, at, cwd: folder }, parts);
  // Whoever watches sessions sees their streams only while they are open.
  for await (const fact of log.read(`session-${sessionId}`, { to: 1 }))
    factory.world.watch(sessionId, fact, (fact as FactOf<"session.forked">).data.lineage);
  if (files === undefined) return { ...made, told: {} };
  const { filesUnavailable, coverage, coverageReasons } = files;
  return { ...made, told: { filesUnavailable, coverage, coverageReasons } };
}
