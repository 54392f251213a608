/** Reads checkpoints and file histories out of the log. */
import { upcast, type FactOf } from "../../events/index.ts";
import type { Cursor, EventLog } from "../../log/index.ts";
import {
  checkpoints,
  fileHistoryTypes,
  madeDirectoriesOf,
  project,
  writesOf,
  type Checkpoints,
  type FileWrite,
  type MadeDirectory,
  type StoredCheckpoint,
} from "../../projections/index.ts";
import type { Place } from "../../workspace/index.ts";
import { sessionStreamName } from "../session-id.ts";
import { familyOf } from "../tasks/stored.ts";
import { lastVersionOf } from "../versions.ts";
import { isCheckpointId, noCheckpoint } from "./errors.ts";

/** Folded views that are kept; an edit asks for the one of its session again and again. */
const KEPT_VIEWS = 32;

/** What calls and restores did to files. */
export interface FileHistory {
  readonly writes: readonly FileWrite[];
  readonly dirs: readonly MadeDirectory[];
}

/** A checkpoint and whose it is. */
export interface FoundCheckpoint {
  readonly sessionId: string;
  readonly stored: StoredCheckpoint;
}

/** The checkpoints of a log. */
export class CheckpointStore {
  readonly #log: EventLog;
  readonly #views = new Map<string, { readonly version: number; readonly view: Checkpoints }>();
  readonly #sessions = new Map<string, string>();
  #indexed: Cursor | undefined;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** The checkpoints of a session as they were after a version; default: its last. */
  async of(sessionId: string, to?: number): Promise<Checkpoints> {
    const kept = this.#views.get(sessionId);
    const isUsable = kept !== undefined && (to === undefined || kept.version <= to);
    let view = isUsable ? kept.view : checkpoints.initial;
    const from = isUsable ? kept.version + 1 : 1;
    const stream = sessionStreamName(sessionId);
    const last = to ?? (await lastVersionOf(this.#log, stream));
    const types = Object.keys(checkpoints.types);
    if (last >= from)
      for await (const fact of this.#log.read(stream, { from, to: last, types }))
        view = project(checkpoints, view, fact);
    if (kept === undefined || kept.version <= last) this.#keep(sessionId, { version: last, view });
    return view;
  }

  /**
   * @param of - the session that it must be of; default: whichever
   * @param to - as it was after this version
   * @throws NotFoundError when it is not there, or was deleted by then
   */
  async find(id: unknown, of?: string, to?: number): Promise<FoundCheckpoint> {
    const sessionId = of ?? (await this.sessionOf(id));
    const stored = sessionId === null ? undefined : (await this.of(sessionId, to)).live[String(id)];
    if (sessionId === null || stored === undefined) throw noCheckpoint(id);
    return { sessionId, stored };
  }

  /** Whose checkpoint it is or was; `null` when there never was one of that id. */
  async sessionOf(id: unknown): Promise<string | null> {
    if (!isCheckpointId(id)) return null;
    if (!this.#sessions.has(id)) await this.#index();
    return this.#sessions.get(id) ?? null;
  }

  /** Sessions that ever had a checkpoint. */
  async sessions(): Promise<string[]> {
    await this.#index();
    return [...new Set(this.#sessions.values())];
  }

  /**
   * What was written in a session and by its subagents, in the order of the log: they work for it, so its points cover
   * what they did. Paths get the names that a place has for them.
   */
  async history(sessionId: string, place: Place): Promise<FileHistory> {
    const writes: FileWrite[] = [];
    const dirs: MadeDirectory[] = [];
    const named = <Told extends { readonly path: string }>(told: Told): Told => ({
      ...told,
      path: place.resolve(told.path),
    });
    for (const member of await familyOf(this.#log, sessionId)) {
      for await (const fact of this.#log.read(sessionStreamName(member), { types: fileHistoryTypes })) {
        writes.push(...writesOf(fact).map(named));
        dirs.push(...madeDirectoriesOf(fact).map(named));
      }
    }
    // Stable: what one fact tells stays in its order.
    const inOrder = (a: { position: number }, b: { position: number }): number => a.position - b.position;
    return { writes: writes.toSorted(inOrder), dirs: dirs.toSorted(inOrder) };
  }

  /** Where a session works; `null` when it was never started. */
  async cwdOf(sessionId: string): Promise<string | null> {
    const types = ["session.started", "session.forked"];
    for await (const fact of this.#log.read(sessionStreamName(sessionId), { types }))
      return (upcast(fact) as FactOf<"session.started" | "session.forked">).data.cwd;
    return null;
  }

  /** Ids say nothing of their session, so those that the log holds are learnt as it grows. */
  async #index(): Promise<void> {
    const after = this.#indexed === undefined ? {} : { after: this.#indexed };
    for await (const fact of this.#log.readAll({ ...after, types: ["checkpoint.created"] })) {
      const { checkpointId } = (upcast(fact) as FactOf<"checkpoint.created">).data;
      this.#sessions.set(checkpointId, fact.stream.slice(sessionStreamName("").length));
      this.#indexed = this.#log.cursorOf(fact);
    }
  }

  #keep(sessionId: string, kept: { readonly version: number; readonly view: Checkpoints }): void {
    // The one that was used last stands last.
    this.#views.delete(sessionId);
    this.#views.set(sessionId, kept);
    const [oldest] = this.#views.keys();
    if (this.#views.size > KEPT_VIEWS && oldest !== undefined) this.#views.delete(oldest);
  }
}
