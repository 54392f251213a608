/** Checkpoints of the sessions of a log: taken, listed, compared, restored, deleted. docs/reference/checkpoints.md */
import { NotFoundError } from "../../errors.ts";
import { newestFirst } from "../../projections/index.ts";
import { systemFiles, type CheckpointFile, type FileCalls } from "../../workspace/index.ts";
import { isoTime } from "../iso-time.ts";
import { sessionStreamName } from "../session-id.ts";
import { versionAt } from "../versions.ts";
import { diffFiles } from "./diff.ts";
import { CheckpointError, noCheckpoint } from "./errors.ts";
import { CheckpointExports } from "./exports.ts";
import { contentOf, recordOf, summaryOf } from "./record.ts";
import { settleRestores } from "./recover.ts";
import { CheckpointRemoval } from "./removal.ts";
import { previewRestore, restoreFiles } from "./restore.ts";
import type { RestoreOptions } from "./restore-options.ts";
import type {
  AtVersion,
  CheckpointsDeps,
  CreateFilesystemOptions,
  CreateOptions,
  GuardRequest,
  ResumedCheckpoint,
} from "./service-options.ts";
import { sessionOf, sourceOf, type SourceParts } from "./source.ts";
import { statsOf } from "./stats.ts";
import { CheckpointStore } from "./store.ts";
import { checkedId, CheckpointTaking } from "./taking.ts";
import type {
  CheckpointDiff,
  CheckpointRecord,
  CheckpointStats,
  CheckpointSummary,
  RestorePoint,
  RestoreResult,
} from "./types.ts";
import type { Recorder } from "./writing.ts";

/** `runtime.checkpoints` */
export class CheckpointService {
  readonly #deps: CheckpointsDeps;
  readonly #store: CheckpointStore;
  readonly #exports: CheckpointExports;
  readonly #files: FileCalls;
  readonly #removal: CheckpointRemoval;
  readonly #taking: CheckpointTaking;
  readonly #running = new Set<string>();

  /** @internal */
  constructor(deps: CheckpointsDeps) {
    const { log, logger, settings } = deps;
    this.#deps = deps;
    this.#store = new CheckpointStore(log);
    this.#exports = new CheckpointExports({ log, logger, settings });
    this.#files = deps.files ?? systemFiles;
    const { sessions } = deps;
    this.#taking = new CheckpointTaking(deps, this.#store, this.#exports);
    this.#removal = new CheckpointRemoval({ sessions, store: this.#store, exports: this.#exports, settings });
  }

  /**
   * Keeps state, todos and requirements of a session. @returns the record
   *
   * @throws InvalidSessionIdError, SessionBusyError, CheckpointError `invalid_state`, `invalid_metadata`
   */
  create(sessionIdOrKey: string, options: CreateOptions = {}): Promise<CheckpointRecord> {
    return this.#taking.session(sessionIdOrKey, options);
  }

  /**
   * Keeps files as they are now.
   *
   * @param paths - exactly those; left out: a point, which stands for every path that calls of the session change from
   * now on, and costs nothing
   * @returns the record
   * @throws InvalidSessionIdError, SessionBusyError, CheckpointError `invalid_paths`, `invalid_metadata`; CaptureError
   */
  createFilesystem(
    sessionIdOrKey: string,
    paths?: readonly string[],
    options: CreateFilesystemOptions = {},
  ): Promise<CheckpointRecord> {
    return this.#taking.files(sessionIdOrKey, paths, options);
  }

  /**
   * Keeps what a call is about to change, from within that call, and lets old ones of that kind go.
   *
   * @returns the id and the files; they are durable
   * @throws CaptureError when one can't be kept
   * @internal
   */
  async guard(
    sessionId: string,
    request: GuardRequest,
    recorder: Recorder,
  ): Promise<{ readonly checkpointId: string; readonly files: readonly CheckpointFile[] }> {
    const taken = await this.#taking.guard(sessionId, request, recorder);
    await this.#removal.retain(sessionId, recorder);
    return taken;
  }

  /** All checkpoints of a session, the newest first. @throws InvalidSessionIdError, InvalidVersionError */
  async list(sessionIdOrKey: string, { at }: AtVersion = {}): Promise<CheckpointSummary[]> {
    const sessionId = checkedId(sessionIdOrKey);
    const view = await this.#store.of(sessionId, await this.#version(sessionId, at));
    return newestFirst(view).map((stored) => summaryOf(sessionId, stored));
  }

  /** The newest checkpoint of a session. @throws NotFoundError, InvalidSessionIdError, InvalidVersionError */
  async latest(sessionIdOrKey: string, options: AtVersion = {}): Promise<CheckpointSummary> {
    const [newest] = await this.list(sessionIdOrKey, options);
    if (newest !== undefined) return newest;
    throw new NotFoundError(`session ${checkedId(sessionIdOrKey)} has no checkpoint`, { field: "sessionId" });
  }

  /** A whole checkpoint, without the bytes of files. @throws NotFoundError, InvalidVersionError */
  async get(id: string, { at }: AtVersion = {}): Promise<CheckpointRecord> {
    const { log } = this.#deps;
    const sessionId = await this.#store.sessionOf(id);
    if (sessionId === null) throw noCheckpoint(id);
    return recordOf(await this.#store.find(id, sessionId, await this.#version(sessionId, at)), log);
  }

  /** Counts the checkpoints of a session. @throws InvalidSessionIdError, InvalidVersionError */
  async stats(sessionIdOrKey: string, { at }: AtVersion = {}): Promise<CheckpointStats> {
    const sessionId = checkedId(sessionIdOrKey);
    const view = await this.#store.of(sessionId, await this.#version(sessionId, at));
    return statsOf(view);
  }

  /**
   * Puts the todo list of a session checkpoint in the place of its session's, and gives back all that it holds. Files,
   * messages and other sessions stay as they are.
   *
   * @throws NotFoundError, SessionBusyError, CheckpointError `not_session_checkpoint`, `content_unavailable`
   */
  async resume(id: string): Promise<ResumedCheckpoint> {
    const found = await this.#store.find(id);
    const { sessionId, stored } = found;
    if (stored.data.kind !== "session")
      throw new CheckpointError(
        "not_session_checkpoint",
        `${id} holds files and no state: restore it instead, with restoreFilesystem or \`lemon checkpoint restore\``,
        { field: "checkpointId", expected: "a checkpoint of a session", got: "one of files" },
      );
    const content = await contentOf(stored, this.#deps.log);
    const list = Array.isArray(content.todos) ? this.#deps.todosFrom(sessionId, content.todos) : null;
    await this.#deps.sessions.lead(sessionId, async (write) => {
      if (list !== null)
        await write({ type: "todos.written", data: { action: "resume", todos: [...list], callId: null } });
      await write({ type: "checkpoint.resumed", data: { checkpointId: id } });
    });
    return { sessionId, ...content, resumedFrom: id, timestamp: isoTime(stored.at) };
  }

  /** Deletes a checkpoint. @returns whether there was one. @throws SessionBusyError */
  delete(id: string): Promise<boolean> {
    return this.#removal.one(id);
  }

  /** Deletes all checkpoints of a session. @returns how many. @throws InvalidSessionIdError, SessionBusyError */
  deleteAll(sessionId: string): Promise<number> {
    return this.prune(sessionId, 0);
  }

  /**
   * Deletes all checkpoints of a session but the newest.
   *
   * @param keep - how many stay; a whole number, 0 or more
   * @returns how many were deleted
   * @throws CheckpointError `invalid_keep`; InvalidSessionIdError, SessionBusyError
   */
  async prune(sessionIdOrKey: string, keep = 10): Promise<number> {
    return this.#removal.allBut(checkedId(sessionIdOrKey), keep);
  }

  /** Deletes one of a session's own, from within a call. @returns whether there was one. @internal */
  deleteWithin(sessionId: string, id: string, recorder: Recorder): Promise<boolean> {
    return this.#removal.within(sessionId, id, recorder);
  }

  /**
   * How files differ from a checkpoint. Changes nothing.
   *
   * @throws NotFoundError, CheckpointError `not_filesystem_checkpoint`, `invalid_paths`, `path_not_in_checkpoint`;
   * InvalidVersionError
   */
  async diffFilesystem(
    point: RestorePoint,
    { paths, force }: { readonly paths?: readonly string[] | undefined; readonly force?: boolean } = {},
  ): Promise<CheckpointDiff> {
    const { log } = this.#deps;
    return diffFiles(await sourceOf(point, this.#sources, force), paths, { log, files: this.#files });
  }

  /**
   * Brings files back as they were at a checkpoint, or just after a fact of a session. What others wrote since stays,
   * unless it is forced; what stood there before is kept in a checkpoint of its own.
   *
   * @returns what became of each path: conflicts and failures are results
   * @throws NotFoundError, SessionBusyError, InvalidVersionError; CheckpointError `capture_failed`, `aborted`,
   * `not_filesystem_checkpoint`, `invalid_paths`, `path_not_in_checkpoint`: then nothing was touched
   */
  async restoreFilesystem(point: RestorePoint, options: RestoreOptions = {}): Promise<RestoreResult> {
    if (options.dryRun === true) return this.previewFilesystem(point, options);
    const sessionId = await sessionOf(point, this.#sources);
    return this.#deps.sessions.lead(sessionId, (write) =>
      this.restoreWithin(sessionId, point, options, { write, callId: null }),
    );
  }

  /** What a restore would do; `restoreFilesystem` with `dryRun` is the same. @internal */
  async previewFilesystem(point: RestorePoint, options: RestoreOptions = {}): Promise<RestoreResult> {
    const { log } = this.#deps;
    return previewRestore(await sourceOf(point, this.#sources, options.force), options, {
      log,
      files: this.#files,
    });
  }

  /** The same on behalf of who leads the session. @internal */
  async restoreWithin(
    sessionId: string,
    point: RestorePoint,
    options: RestoreOptions,
    recorder: Recorder,
  ): Promise<RestoreResult> {
    await this.recoverWithin(sessionId, recorder);
    // Only now: what an earlier restore had written before it was cut off counts.
    const source = await sourceOf(point, this.#sources, options.force);
    const { log, ids } = this.#deps;
    const parts = { log, ids, files: this.#files, running: this.#running };
    const result = await restoreFiles(source, options, recorder, parts);
    if (result.preRestoreCheckpointId !== null)
      await this.#taking.exported(sessionId, result.preRestoreCheckpointId);
    return result;
  }

  /** Settles restores of a session whose process is gone; leads the session for that if there are any. @internal */
  async recover(sessionId: string): Promise<void> {
    if (Object.keys((await this.#store.of(sessionId)).open).length === 0) return;
    await this.#deps.sessions.lead(sessionId, (write) =>
      this.recoverWithin(sessionId, { write, callId: null }),
    );
  }

  /** The same, asked for by who leads the session. @internal */
  recoverWithin(sessionId: string, recorder: Recorder): Promise<void> {
    return settleRestores(sessionId, recorder, {
      store: this.#store,
      files: this.#files,
      running: this.#running,
    });
  }

  /** Writes the exported file of every checkpoint again. @returns how many were written */
  async rebuildExports(): Promise<number> {
    let count = 0;
    for (const sessionId of await this.#store.sessions()) {
      const { live } = await this.#store.of(sessionId);
      for (const stored of Object.values(live))
        if (await this.#exports.write({ sessionId, stored })) count += 1;
    }
    return count;
  }

  async #version(sessionId: string, at: number | undefined): Promise<number | undefined> {
    return at === undefined ? undefined : versionAt(this.#deps.log, sessionStreamName(sessionId), at);
  }

  get #sources(): SourceParts {
    const { log, cwd, sessions } = this.#deps;
    const isOpen = (sessionId: string): boolean => sessions.isOpen(sessionId);
    return { log, store: this.#store, files: this.#files, defaultCwd: cwd, isOpen };
  }
}
