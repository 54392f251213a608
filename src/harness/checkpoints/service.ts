/** Checkpoints of the sessions of a log: taken, listed, compared, restored, deleted. docs/reference/checkpoints.md */
import { NotFoundError } from "../../errors.ts";
import type { Json } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import type { Ids, Logger } from "../../ports.ts";
import { beyondRetention, newestFirst, type Todo } from "../../projections/index.ts";
import {
  captureFiles,
  placeAt,
  systemFiles,
  type CheckpointFile,
  type FileCalls,
} from "../../workspace/index.ts";
import { isoTime } from "../iso-time.ts";
import { assertSessionId, idOfKey, sessionStreamName } from "../session-id.ts";
import { versionAt } from "../versions.ts";
import { assertContent, checkedMetadata, filesCheckpoint, sessionCheckpoint } from "./create.ts";
import { diffFiles } from "./diff.ts";
import { CheckpointError, noCheckpoint } from "./errors.ts";
import { CheckpointExports, type ExportSettings } from "./exports.ts";
import { contentOf, recordOf, summaryOf } from "./record.ts";
import { settleRestores } from "./recover.ts";
import { previewRestore, restoreFiles, type RestoreOptions } from "./restore.ts";
import { pathList, sessionOf, sourceOf, type SourceParts } from "./source.ts";
import { statsOf } from "./stats.ts";
import { CheckpointStore } from "./store.ts";
import type {
  CheckpointDiff,
  CheckpointRecord,
  CheckpointStats,
  CheckpointSummary,
  RestorePoint,
  RestoreResult,
} from "./types.ts";
import type { CheckpointFact, Recorder, SessionFacts } from "./writing.ts";

/** What checkpoints need of their runtime. */
export interface CheckpointsDeps {
  readonly log: EventLog;
  readonly sessions: SessionFacts;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Hides secrets. */
  readonly mask: <Value extends Json>(value: Value) => Value;
  readonly settings: CheckpointSettings;
  /** For a session that was never started. */
  readonly cwd: string;
  /** The todo list of a session after a version. */
  readonly todosOf: (sessionId: string, to: number) => Promise<readonly Todo[]>;
  /** A list as it may be written, out of what a checkpoint holds. @throws LemonError */
  readonly todosFrom: (sessionId: string, given: readonly unknown[]) => readonly Todo[];
  /** The feature requirements of a folder; `null` without any, or when they can't be read. */
  readonly requirementsOf: (cwd: string) => Promise<unknown>;
  /** Default: the system's. */
  readonly files?: FileCalls | undefined;
}

/** What is configured of checkpoints. */
export interface CheckpointSettings extends ExportSettings {
  /** Guard checkpoints of a session that are kept. */
  readonly maxPerSession: number;
  /** Bytes before a change that those hold together, each counted once. */
  readonly maxBytesPerSession: number;
}

/** What a session checkpoint holds. */
export interface CreateOptions {
  /** Default `{}`. */
  readonly state?: unknown;
  /** Default `{}`. */
  readonly context?: unknown;
  /** Default: the todo list of the session. */
  readonly todos?: readonly unknown[] | null;
  /** Default: those in the working directory. */
  readonly requirements?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Where the requirements are. Default: the session's. */
  readonly cwd?: string;
}

/** How a checkpoint of files is taken. */
export interface CreateFilesystemOptions {
  /** Where relative paths start. Default: the session's. */
  readonly cwd?: string;
  /** The tool that it is taken for. */
  readonly tool?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly runId?: string | null;
}

/** What a session checkpoint gives back. */
export interface ResumedCheckpoint {
  readonly sessionId: string;
  readonly state: unknown;
  readonly context: unknown;
  readonly todos: unknown;
  readonly requirements: unknown;
  /** The id of the checkpoint. */
  readonly resumedFrom: string;
  /** When it was taken. */
  readonly timestamp: string;
}

/** To read as it was after an earlier version of the session. */
export interface AtVersion {
  readonly at?: number | undefined;
}

/** What the checkpoints of a call are taken for. */
export interface GuardRequest {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly tool: string;
  readonly runId: string | null;
}

/** `runtime.checkpoints` */
export class CheckpointService {
  readonly #deps: CheckpointsDeps;
  readonly #store: CheckpointStore;
  readonly #exports: CheckpointExports;
  readonly #files: FileCalls;
  readonly #running = new Set<string>();

  /** @internal */
  constructor(deps: CheckpointsDeps) {
    const { log, logger, settings } = deps;
    this.#deps = deps;
    this.#store = new CheckpointStore(log);
    this.#exports = new CheckpointExports({ log, logger, settings });
    this.#files = deps.files ?? systemFiles;
  }

  /**
   * Keeps state, todos and requirements of a session. @returns the record
   *
   * @throws InvalidSessionIdError, SessionBusyError, CheckpointError `invalid_state`, `invalid_metadata`
   */
  async create(sessionIdOrKey: string, options: CreateOptions = {}): Promise<CheckpointRecord> {
    const sessionId = checkedId(sessionIdOrKey);
    const metadata = checkedMetadata(options.metadata);
    const { state = {}, context = {} } = options;
    assertContent({
      state,
      context,
      todos: options.todos ?? null,
      requirements: options.requirements ?? null,
    });
    const { log, ids, mask, requirementsOf, todosOf } = this.#deps;
    const requirements =
      options.requirements === undefined
        ? await requirementsOf(options.cwd ?? (await this.#cwdOf(sessionId)))
        : options.requirements;
    const checkpointId = ids("chk");
    await this.#deps.sessions.update(sessionId, async (to) => {
      const todos = options.todos === undefined ? await todosOf(sessionId, to) : options.todos;
      const content = { state, context, todos, requirements };
      const storing = { mask, putBlob: (bytes: Uint8Array) => log.putBlob(bytes) };
      const data = await sessionCheckpoint(checkpointId, content, metadata, storing);
      return { type: "checkpoint.created", data };
    });
    return this.#exported(sessionId, checkpointId);
  }

  /**
   * Keeps files as they are now.
   *
   * @param paths - exactly those; left out: a point, which stands for every path that calls of the session change from
   * now on, and costs nothing
   * @returns the record
   * @throws InvalidSessionIdError, SessionBusyError, CheckpointError `invalid_paths`, `invalid_metadata`; CaptureError
   */
  async createFilesystem(
    sessionIdOrKey: string,
    paths?: readonly string[],
    options: CreateFilesystemOptions = {},
  ): Promise<CheckpointRecord> {
    const sessionId = checkedId(sessionIdOrKey);
    const metadata = checkedMetadata(options.metadata);
    const wanted = paths === undefined ? null : pathList(paths);
    const { tool, runId } = options;
    const given = options.cwd ?? (await this.#cwdOf(sessionId));
    const { cwd } = await placeAt(given, this.#files);
    const files = wanted === null ? null : await this.#capture(wanted, given);
    const checkpointId = this.#deps.ids("chk");
    const data = filesCheckpoint({ checkpointId, origin: "user", cwd, files, tool, runId, metadata });
    await this.#deps.sessions.update(sessionId, () => Promise.resolve({ type: "checkpoint.created", data }));
    return this.#exported(sessionId, checkpointId);
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
    { paths, cwd, tool, runId }: GuardRequest,
    recorder: Recorder,
  ): Promise<{ readonly checkpointId: string; readonly files: readonly CheckpointFile[] }> {
    const files = await this.#capture(paths, cwd);
    const checkpointId = this.#deps.ids("chk");
    const place = await placeAt(cwd, this.#files);
    const { callId } = recorder;
    const kept = { checkpointId, origin: "guard", cwd: place.cwd, files, tool, callId, runId } as const;
    await recorder.write({ type: "checkpoint.created", data: filesCheckpoint(kept) });
    await this.#exported(sessionId, checkpointId);
    await this.#retain(sessionId, recorder);
    return { checkpointId, files };
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
        { field: "checkpointId" },
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
  async delete(id: string): Promise<boolean> {
    const sessionId = await this.#store.sessionOf(id);
    if (sessionId === null) return false;
    const written = await this.#deps.sessions.update(sessionId, async () =>
      (await this.#isLive(sessionId, id)) ? deleted(id, "user") : null,
    );
    if (written === null) return false;
    await this.#exports.remove(id);
    return true;
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
    const sessionId = checkedId(sessionIdOrKey);
    if (!Number.isSafeInteger(keep) || keep < 0)
      throw new CheckpointError("invalid_keep", "keep: expected a whole number, 0 or more", {
        field: "keep",
        expected: "a whole number, 0 or more",
      });
    if (newestFirst(await this.#store.of(sessionId)).length <= keep) return 0;
    const gone = await this.#deps.sessions.lead(sessionId, async (write) => {
      const beyond = newestFirst(await this.#store.of(sessionId)).slice(keep);
      const ids = beyond.map(({ data }) => data.checkpointId).toReversed();
      for (const id of ids) await write(deleted(id, "user"));
      return ids;
    });
    for (const id of gone) await this.#exports.remove(id);
    return gone.length;
  }

  /**
   * How files differ from a checkpoint. Changes nothing.
   *
   * @throws NotFoundError, CheckpointError `not_filesystem_checkpoint`, `invalid_paths`, `path_not_in_checkpoint`;
   * InvalidVersionError
   */
  async diffFilesystem(
    point: RestorePoint,
    { paths }: { readonly paths?: readonly string[] | undefined } = {},
  ): Promise<CheckpointDiff> {
    const { log } = this.#deps;
    return diffFiles(await sourceOf(point, this.#sources), paths, { log, files: this.#files });
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
    return previewRestore(await sourceOf(point, this.#sources), options, { log, files: this.#files });
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
    const source = await sourceOf(point, this.#sources);
    const { log, ids } = this.#deps;
    const parts = { log, ids, files: this.#files, running: this.#running };
    const result = await restoreFiles(source, options, recorder, parts);
    if (result.preRestoreCheckpointId !== null)
      await this.#exported(sessionId, result.preRestoreCheckpointId);
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

  /** Deletes one of a session's own, from within a call. @returns whether there was one. @internal */
  async deleteWithin(sessionId: string, id: string, recorder: Recorder): Promise<boolean> {
    if (!(await this.#isLive(sessionId, id))) return false;
    await recorder.write(deleted(id, "user", recorder.callId));
    await this.#exports.remove(id);
    return true;
  }

  /** Whether it is a checkpoint of that session. @internal */
  async #isLive(sessionId: string, id: string): Promise<boolean> {
    return Object.hasOwn((await this.#store.of(sessionId)).live, id);
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

  async #retain(sessionId: string, recorder: Recorder): Promise<void> {
    const { maxPerSession, maxBytesPerSession } = this.#deps.settings;
    const limits = { maxCheckpoints: maxPerSession, maxBytes: maxBytesPerSession };
    for (const id of beyondRetention(await this.#store.of(sessionId), limits)) {
      await recorder.write(deleted(id, "retention"));
      await this.#exports.remove(id);
    }
  }

  #capture(paths: readonly string[], cwd: string): Promise<CheckpointFile[]> {
    const { log } = this.#deps;
    return captureFiles(paths, { cwd, files: this.#files, putBlob: (bytes) => log.putBlob(bytes) });
  }

  async #exported(sessionId: string, id: string): Promise<CheckpointRecord> {
    const found = await this.#store.find(id, sessionId);
    await this.#exports.write(found);
    return recordOf(found, this.#deps.log);
  }

  async #cwdOf(sessionId: string): Promise<string> {
    return (await this.#store.cwdOf(sessionId)) ?? this.#deps.cwd;
  }

  async #version(sessionId: string, at: number | undefined): Promise<number | undefined> {
    return at === undefined ? undefined : versionAt(this.#deps.log, sessionStreamName(sessionId), at);
  }

  get #sources(): SourceParts {
    const { log, cwd } = this.#deps;
    return { log, store: this.#store, files: this.#files, defaultCwd: cwd };
  }
}

function checkedId(sessionIdOrKey: unknown): string {
  const sessionId = idOfKey(sessionIdOrKey);
  assertSessionId(sessionId);
  return sessionId;
}

function deleted(
  checkpointId: string,
  cause: "user" | "retention",
  callId: string | null = null,
): CheckpointFact {
  return { type: "checkpoint.deleted", data: { checkpointId, cause, callId } };
}
