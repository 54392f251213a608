/** Takes checkpoints: of what a session knows, and of files. */
import {
  captureFiles,
  placeAt,
  systemFiles,
  type CheckpointFile,
  type FileCalls,
} from "../../workspace/index.ts";
import { assertSessionId, idOfKey } from "../session-id.ts";
import { assertContent, checkedMetadata, filesCheckpoint, sessionCheckpoint } from "./create.ts";
import type { CheckpointExports } from "./exports.ts";
import { recordOf } from "./record.ts";
import type {
  CheckpointsDeps,
  CreateFilesystemOptions,
  CreateOptions,
  GuardRequest,
} from "./service-options.ts";
import { pathList } from "./source.ts";
import type { CheckpointStore } from "./store.ts";
import type { CheckpointRecord } from "./types.ts";
import type { Recorder } from "./writing.ts";

/** The beginning of checkpoints. Each is durable, and exported, when its promise resolves. */
export class CheckpointTaking {
  readonly #deps: CheckpointsDeps;
  readonly #store: CheckpointStore;
  readonly #exports: CheckpointExports;
  readonly #files: FileCalls;

  constructor(deps: CheckpointsDeps, store: CheckpointStore, exports: CheckpointExports) {
    this.#deps = deps;
    this.#store = store;
    this.#exports = exports;
    this.#files = deps.files ?? systemFiles;
  }

  /** State, todos and requirements of a session. */
  async session(sessionIdOrKey: string, options: CreateOptions = {}): Promise<CheckpointRecord> {
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
    return this.exported(sessionId, checkpointId);
  }

  /** Files as they are now, or a point. */
  async files(
    sessionIdOrKey: string,
    paths: readonly string[] | undefined,
    options: CreateFilesystemOptions,
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
    return this.exported(sessionId, checkpointId);
  }

  /** What a call is about to change, from within that call. */
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
    await this.exported(sessionId, checkpointId);
    return { checkpointId, files };
  }

  /** Writes the exported file of a checkpoint. @returns its record */
  async exported(sessionId: string, id: string): Promise<CheckpointRecord> {
    const found = await this.#store.find(id, sessionId);
    await this.#exports.write(found);
    return recordOf(found, this.#deps.log);
  }

  #capture(paths: readonly string[], cwd: string): Promise<CheckpointFile[]> {
    const { log } = this.#deps;
    return captureFiles(paths, { cwd, files: this.#files, putBlob: (bytes) => log.putBlob(bytes) });
  }

  async #cwdOf(sessionId: string): Promise<string> {
    return (await this.#store.cwdOf(sessionId)) ?? this.#deps.cwd;
  }
}

/** The id of a session that is named by its id or its key. @throws InvalidSessionIdError */
export function checkedId(sessionIdOrKey: unknown): string {
  const sessionId = idOfKey(sessionIdOrKey);
  assertSessionId(sessionId);
  return sessionId;
}
