/**
 * What the log says of a feature file, and the facts that say it.
 *
 * A write is a fact with the digests before and after, then the change of the file, then a fact that tells the outcome.
 * While it has no outcome nobody begins another: whoever comes next ends it first.
 */
import type { Fact, FactData, FactOf, FactType, Json, NewFact } from "../../events/index.ts";
import { VersionConflictError, type EventLog } from "../../log/index.ts";
import type { Place } from "./file.ts";

/** A write whose outcome is not recorded. */
export interface OpenWrite {
  /** Of its fact. */
  readonly version: number;
  readonly hash: string;
  readonly previousSha256: string | null;
  readonly sha256: string;
}

/** The file by its newest facts. */
export interface FileState {
  /** Of the stream, to append at; 0 for none. */
  readonly version: number;
  /** Digest that was last seen or written; `null` when nothing is known. */
  readonly recorded: string | null;
  readonly open: OpenWrite | null;
}

/** How a write ended. */
export type WriteOutcome = "finished" | "abandoned";

type FileFact = FactOf<
  | "feature_file.written"
  | "feature_file.write_finished"
  | "feature_file.write_abandoned"
  | "feature_file.changed_outside"
>;

/** Reads back from the end, to the newest fact about the file: however long the stream, it is near. */
export async function fileState(log: EventLog, stream: string): Promise<FileState> {
  let version = 0;
  for await (const fact of log.read(stream, { backwards: true })) {
    if (version === 0) version = fact.version;
    const known = stateBy(fact);
    if (known !== null) return { version, ...known };
  }
  return { version, recorded: null, open: null };
}

function stateBy(fact: Fact): Omit<FileState, "version"> | null {
  // Types tie data to their names; others fall through.
  const { type, data } = fact as FileFact;
  switch (type) {
    case "feature_file.written": {
      const { previousSha256, sha256 } = data;
      const open = { version: fact.version, hash: fact.hash, previousSha256, sha256 };
      return { recorded: previousSha256, open };
    }
    case "feature_file.write_abandoned":
      return { recorded: data.previousSha256, open: null };
    case "feature_file.write_finished":
    case "feature_file.changed_outside":
      return { recorded: data.sha256, open: null };
    default:
      return null;
  }
}

/** Hides secrets in what is recorded. */
export type Mask = <Value extends Json>(value: Value) => Value;

/** Appends facts of one place. */
export class Journal {
  readonly place: Place;
  readonly #log: EventLog;
  readonly #mask: Mask;

  constructor(log: EventLog, place: Place, mask: Mask) {
    this.#log = log;
    this.place = place;
    this.#mask = mask;
  }

  state(): Promise<FileState> {
    return fileState(this.#log, this.place.stream);
  }

  /** A fact about this place. @param causation - version of the fact that it answers */
  fact<Type extends FactType>(
    type: Type,
    data: Omit<FactData<Type>, "cwd">,
    causation: number | null = null,
  ): NewFact {
    // The data of facts is JSON by their schemas.
    const whole: unknown = { cwd: this.place.folder, ...data };
    const masked = this.#mask(whole as Json);
    return { type, data: masked, kind: "input", actor: "caller", causation, correlation: null };
  }

  /** @returns `null` when somebody else appended first */
  async append(version: number | "any", facts: readonly NewFact[]): Promise<Fact[] | null> {
    try {
      return await this.#log.append(this.place.stream, version, facts);
    } catch (error) {
      if (error instanceof VersionConflictError) return null;
      throw error;
    }
  }

  /** What became of a write that somebody else has ended. */
  async outcomeOf(write: OpenWrite): Promise<WriteOutcome> {
    for await (const { type, causation } of this.#log.read(this.place.stream, { from: write.version + 1 })) {
      if (causation !== write.version) continue;
      if (type === "feature_file.write_finished") return "finished";
      if (type === "feature_file.write_abandoned") return "abandoned";
    }
    throw new Error(`${this.place.stream}: write ${write.version} has no outcome`);
  }

  async keep(...contents: readonly Uint8Array[]): Promise<void> {
    await Promise.all(contents.map((bytes) => this.#log.putBlob(bytes)));
  }

  bytes(digest: string): Promise<Uint8Array> {
    return this.#log.getBlob(digest);
  }
}
