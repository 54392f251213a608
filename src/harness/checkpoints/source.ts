/** What a diff or a restore is about: which paths, and what each held then. */
import type { EventLog } from "../../log/index.ts";
import { heldAt, ledgerOf, type PathContent } from "../../projections/index.ts";
import { placeAt, type FileCalls, type Place } from "../../workspace/index.ts";
import { assertSessionId, idOfKey, sessionStreamName } from "../session-id.ts";
import { familyOf } from "../tasks/stored.ts";
import { versionAt } from "../versions.ts";
import { assertAllEnded } from "./cut-off.ts";
import { CheckpointError } from "./errors.ts";
import type { CheckpointStore } from "./store.ts";
import type { CheckpointOrigin, RestorePoint } from "./types.ts";

/** A path and what it held. */
export interface Target {
  readonly path: string;
  readonly target: PathContent;
  readonly outsideCwd: boolean;
}

/** The files of a checkpoint, or of a version of a session. */
export interface Source {
  readonly sessionId: string;
  readonly checkpointId: string | null;
  readonly at: number | null;
  readonly origin: CheckpointOrigin;
  readonly place: Place;
  /** In the order of the checkpoint; of a point: that of the first writes. */
  readonly targets: readonly Target[];
  /** It stands for all that was written since. */
  readonly isPoint: boolean;
  /** What was last written to each path since. */
  readonly ledger: ReadonlyMap<string, PathContent>;
  /** Directories that calls and restores made since. */
  readonly madeDirs: readonly string[];
}

/** What finding one needs. */
export interface SourceParts {
  readonly log: EventLog;
  readonly store: CheckpointStore;
  readonly files: FileCalls;
  /** For a session that was never started. */
  readonly defaultCwd: string;
  /** Whether this process leads a session: then its calls are at work and not cut off. */
  readonly isOpen: (sessionId: string) => boolean;
}

/** Whose files a restore is about. @throws NotFoundError, InvalidSessionIdError */
export async function sessionOf(point: RestorePoint, { store }: SourceParts): Promise<string> {
  if (typeof point !== "object" || point === null) return (await store.find(point)).sessionId;
  const sessionId: unknown = idOfKey(point.sessionId);
  assertSessionId(sessionId);
  return sessionId;
}

/**
 * @param force - also when it is not known what all calls changed
 * @throws NotFoundError, CheckpointError `not_filesystem_checkpoint`, `conflict`, InvalidVersionError,
 * InvalidSessionIdError
 */
export async function sourceOf(point: RestorePoint, parts: SourceParts, force = false): Promise<Source> {
  const isVersion = typeof point === "object" && point !== null;
  const source = await (isVersion ? sourceAt(point, parts) : sourceIn(point, parts));
  // Named files are what they are; a point is all that calls changed.
  if (!source.isPoint || force) return source;
  for (const member of await familyOf(parts.log, source.sessionId))
    if (!parts.isOpen(member)) await assertAllEnded(parts.log, member);
  return source;
}

async function sourceAt(point: Extract<RestorePoint, object>, parts: SourceParts): Promise<Source> {
  const { log, store, defaultCwd } = parts;
  const sessionId = await sessionOf(point, parts);
  const stream = sessionStreamName(sessionId);
  const at = await versionAt(log, stream, point.at);
  let position = 0;
  for await (const fact of log.read(stream, { from: at, to: at })) ({ position } = fact);
  const cwd = (await store.cwdOf(sessionId)) ?? defaultCwd;
  const base = { sessionId, checkpointId: null, at, origin: "user", isPoint: true } as const;
  return withHistory(base, cwd, position, [], parts);
}

async function sourceIn(id: string, parts: SourceParts): Promise<Source> {
  const { sessionId, stored } = await parts.store.find(id);
  const { kind, origin, point: isPoint, files, cwd } = stored.data;
  if (kind !== "filesystem" || cwd === null)
    throw new CheckpointError(
      "not_filesystem_checkpoint",
      `${id} holds no files: only a checkpoint of files can be compared and restored. ` +
        "Take one with createFilesystem, or with `lemon checkpoint create SESSION --files`",
      { field: "checkpointId", expected: "a checkpoint of files", got: "one of a session" },
    );
  const targets = files.map(({ path, sha256, mode, outsideCwd }) => ({
    path,
    target: sha256 === null ? ({ is: "absent" } as const) : ({ is: "file", sha256, mode } as const),
    outsideCwd,
  }));
  const base = { sessionId, checkpointId: id, at: null, origin, isPoint };
  return withHistory(base, cwd, stored.position, targets, parts);
}

async function withHistory(
  base: Omit<Source, "place" | "targets" | "ledger" | "madeDirs">,
  cwd: string,
  position: number,
  targets: readonly Target[],
  { store, files }: SourceParts,
): Promise<Source> {
  const place = await placeAt(cwd, files);
  const { writes, dirs } = await store.history(base.sessionId, place);
  const held = [...heldAt(writes, position)].map(([path, target]) => ({
    path,
    target,
    outsideCwd: !place.contains(path),
  }));
  const madeDirs = dirs.filter((dir) => dir.position > position).map(({ path }) => path);
  return {
    ...base,
    place,
    targets: base.isPoint ? held : targets,
    ledger: ledgerOf(writes, position),
    madeDirs: [...new Set(madeDirs)],
  };
}

/**
 * The targets that a caller named, or all of them, in the order of the checkpoint.
 *
 * @throws CheckpointError `invalid_paths`, `path_not_in_checkpoint`
 */
export function selected(source: Source, paths: unknown): readonly Target[] {
  if (paths === undefined) return source.targets;
  const wanted = new Set(pathList(paths).map((path) => source.place.resolve(path)));
  const found = source.targets.filter(({ path }) => wanted.delete(path));
  const [missing] = wanted;
  if (missing === undefined) return found;
  throw new CheckpointError(
    "path_not_in_checkpoint",
    `${missing} is not in ${source.checkpointId ?? `what changed after version ${source.at}`}`,
    { field: "paths", expected: "paths of the checkpoint", got: "a path that is not in it" },
  );
}

/** Paths that one checkpoint may name. */
const MAX_PATHS = 10_000;

/** A list of paths as a caller gave it. @throws CheckpointError `invalid_paths` */
export function pathList(paths: unknown): readonly string[] {
  const refuse = (what: string, expected: string): never => {
    throw new CheckpointError("invalid_paths", `paths: ${what}, expected ${expected}`, {
      field: "paths",
      expected,
    });
  };
  if (!Array.isArray(paths)) return refuse("no list", "a list of paths");
  if (paths.length === 0) return refuse("an empty list", "at least one path");
  if (paths.length > MAX_PATHS) return refuse(`${paths.length} paths`, `at most ${MAX_PATHS}`);
  for (const [at, path] of Array.from(paths as readonly unknown[]).entries()) {
    const isName =
      typeof path === "string" && path.trim() !== "" && !path.includes("\0") && path.isWellFormed();
    if (!isName) refuse(`no path at ${at}`, "texts that are not blank and hold no NUL");
  }
  return paths as readonly string[];
}
