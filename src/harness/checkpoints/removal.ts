/** Lets checkpoints go: those that somebody names, and the oldest guards of a session that has too many. */
import { beyondRetention, newestFirst } from "../../projections/index.ts";
import { CheckpointError } from "./errors.ts";
import type { CheckpointExports } from "./exports.ts";
import type { CheckpointSettings } from "./service-options.ts";
import type { CheckpointStore } from "./store.ts";
import type { CheckpointFact, Recorder, SessionFacts } from "./writing.ts";

/** What letting go needs. */
interface RemovalParts {
  readonly sessions: SessionFacts;
  readonly store: CheckpointStore;
  readonly exports: CheckpointExports;
  readonly settings: CheckpointSettings;
}

/** The end of checkpoints. What they held stays in the log. */
export class CheckpointRemoval {
  readonly #parts: RemovalParts;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** @returns whether there was one */
  async one(id: string): Promise<boolean> {
    const { store, sessions, exports } = this.#parts;
    const sessionId = await store.sessionOf(id);
    if (sessionId === null) return false;
    const written = await sessions.update(sessionId, async () =>
      (await this.#isLive(sessionId, id)) ? deleted(id, "user") : null,
    );
    if (written === null) return false;
    await exports.remove(id);
    return true;
  }

  /** All of a session but the newest. @returns how many. @throws CheckpointError `invalid_keep` */
  async allBut(sessionId: string, keep: number): Promise<number> {
    const { store, sessions, exports } = this.#parts;
    if (!Number.isSafeInteger(keep) || keep < 0)
      throw new CheckpointError("invalid_keep", "keep: expected a whole number, 0 or more", {
        field: "keep",
        expected: "a whole number, 0 or more",
      });
    if (newestFirst(await store.of(sessionId)).length <= keep) return 0;
    const gone = await sessions.lead(sessionId, async (write) => {
      const beyond = newestFirst(await store.of(sessionId)).slice(keep);
      const ids = beyond.map(({ data }) => data.checkpointId).toReversed();
      for (const id of ids) await write(deleted(id, "user"));
      return ids;
    });
    for (const id of gone) await exports.remove(id);
    return gone.length;
  }

  /** One of a session's own, from within a call. @returns whether there was one */
  async within(sessionId: string, id: string, { write, callId }: Recorder): Promise<boolean> {
    if (!(await this.#isLive(sessionId, id))) return false;
    await write(deleted(id, "user", callId));
    await this.#parts.exports.remove(id);
    return true;
  }

  /** The oldest guards of a session that has more than is configured. */
  async retain(sessionId: string, { write }: Recorder): Promise<void> {
    const { store, exports, settings } = this.#parts;
    const limits = { maxCheckpoints: settings.maxPerSession, maxBytes: settings.maxBytesPerSession };
    for (const id of beyondRetention(await store.of(sessionId), limits)) {
      await write(deleted(id, "retention"));
      await exports.remove(id);
    }
  }

  async #isLive(sessionId: string, id: string): Promise<boolean> {
    return Object.hasOwn((await this.#parts.store.of(sessionId)).live, id);
  }
}

function deleted(
  checkpointId: string,
  cause: "user" | "retention",
  callId: string | null = null,
): CheckpointFact {
  return { type: "checkpoint.deleted", data: { checkpointId, cause, callId } };
}
