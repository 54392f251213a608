/** The checkpoints of a session, and the restores that were begun and have no end yet. */
import type { FactData, FactOf } from "../events/index.ts";
import type { Projection } from "./projection.ts";

/** A checkpoint that is there. */
export interface StoredCheckpoint {
  readonly data: FactData<"checkpoint.created">;
  /** Of the session, with the fact of the checkpoint. */
  readonly version: number;
  /** Of that fact, over the whole log. */
  readonly position: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** In the order of their making. */
export interface Checkpoints {
  readonly live: Readonly<Record<string, StoredCheckpoint>>;
  /** By the id of the restore. */
  readonly open: Readonly<Record<string, FactData<"checkpoint.restore_started">>>;
}

/** How many checkpoints there are, and when the first and the last were made; `null` without any. Epoch milliseconds. */
export interface CheckpointCounts {
  readonly count: number;
  readonly filesystemCount: number;
  readonly oldestAt: number | null;
  readonly newestAt: number | null;
}

type CheckpointFact =
  | "checkpoint.created"
  | "checkpoint.deleted"
  | "checkpoint.restore_started"
  | "checkpoint.restored";

/** Folds the checkpoints of one session. */
export const checkpoints: Projection<Checkpoints, CheckpointFact> = {
  name: "checkpoints",
  version: 1,
  initial: { live: {}, open: {} },
  types: {
    "checkpoint.created": true,
    "checkpoint.deleted": true,
    "checkpoint.restore_started": true,
    "checkpoint.restored": true,
  },
  fold,
};

function fold(state: Checkpoints, fact: FactOf<CheckpointFact>): Checkpoints {
  const { version, position, at } = fact;
  switch (fact.type) {
    case "checkpoint.created": {
      const { data } = fact;
      return { ...state, live: { ...state.live, [data.checkpointId]: { data, version, position, at } } };
    }
    case "checkpoint.deleted": {
      const { [fact.data.checkpointId]: _gone, ...live } = state.live;
      return { ...state, live };
    }
    case "checkpoint.restore_started":
      return { ...state, open: { ...state.open, [fact.data.restoreId]: fact.data } };
    case "checkpoint.restored": {
      const { [fact.data.restoreId ?? ""]: _ended, ...open } = state.open;
      return { ...state, open };
    }
  }
}

/** By position of the log, never by time: a clock may go backwards. */
export function newestFirst({ live }: Checkpoints): StoredCheckpoint[] {
  return Object.values(live).toSorted((a, b) => b.position - a.position);
}

/** Counts those of all kinds. */
export function checkpointCounts(view: Checkpoints): CheckpointCounts {
  const all = newestFirst(view);
  return {
    count: all.length,
    filesystemCount: all.filter(({ data }) => data.kind === "filesystem").length,
    oldestAt: all.at(-1)?.at ?? null,
    newestAt: all[0]?.at ?? null,
  };
}

/** How many guard checkpoints of a session are kept, and how many bytes of files before a change. */
export interface RetentionLimits {
  readonly maxCheckpoints: number;
  readonly maxBytes: number;
}

/**
 * Which checkpoints have to go: the oldest that calls took by themselves, until what is left of those is within the
 * limits. Bytes that several hold count once. Those that a user or a restore took never go by themselves.
 */
export function beyondRetention(
  view: Checkpoints,
  { maxCheckpoints, maxBytes }: RetentionLimits,
): readonly string[] {
  const guards = newestFirst(view).filter(({ data }) => data.origin === "guard");
  const held = new Set<string>();
  let bytes = 0;
  const firstBeyond = guards.findIndex(({ data }, count) => {
    for (const { sha256, size } of data.files) {
      if (sha256 === null || held.has(sha256)) continue;
      held.add(sha256);
      bytes += size ?? 0;
    }
    // The newest stays, however large: what it was taken for is about to happen.
    return count > 0 && (count >= maxCheckpoints || bytes > maxBytes);
  });
  if (firstBeyond === -1) return [];
  return guards
    .slice(firstBeyond)
    .map(({ data }) => data.checkpointId)
    .reverse();
}
