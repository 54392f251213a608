/** Supervision, replay, comparing, forking, and what is appended meanwhile. docs/reference/inspector.md */
import type { SupervisionNode } from "../../projections/index.ts";
import type { ForkPoint } from "./sessions.ts";
import type { FactRow } from "./facts.ts";

/** `GET /api/sessions/:id/supervision?at=V`: the trees of the runtimes that led it, when fact V was written. */
export interface SupervisionAnswer {
  readonly version: number;
  readonly position: number;
  /** The runtime that leads or led it last is the last. */
  readonly runtimes: readonly RuntimeTree[];
}

/** The tree of one runtime. */
export interface RuntimeTree {
  readonly runtimeId: string;
  readonly tree: readonly SupervisionNode[];
  /** Up to that position, the newest 200, oldest first. */
  readonly restarts: readonly RestartRow[];
}

/** A child that was started anew, could not be, or was given up on. */
export interface RestartRow {
  readonly position: number;
  readonly at: number;
  readonly path: string;
  readonly what: "restarted" | "gave_up" | "start_failed";
  readonly restarts: number;
  /** Why it ended. */
  readonly reason: string | null;
}

/** `GET /api/sessions/:id/verify`: replays the session. */
export interface VerifyAnswer {
  readonly sessionId: string;
  readonly facts: number;
  readonly divergences: readonly DivergenceRow[];
  readonly stateHash: string;
}

/** How a replay differs from the log. */
export interface DivergenceRow {
  readonly position: number | null;
  readonly version: number;
  readonly kind: string;
  /** As it was recorded; where its old text can't be known, its hash. */
  readonly expected: unknown;
  /** As it is now: decided again, or found in the log. */
  readonly actual: unknown;
  /** The leaves that differ, by JSON Pointer. */
  readonly differences: readonly {
    readonly path: string;
    readonly expected: unknown;
    readonly actual: unknown;
  }[];
  /** Version of the input that led there. */
  readonly cause: number | null;
  /** One sentence for people. */
  readonly explanation: string;
}

/** `GET /api/diff?a=ID@V&b=ID@V` (`@V` may be missing: the last). The same for two sessions as for two versions of one. */
export interface DiffAnswer {
  readonly a: { readonly sessionId: string; readonly version: number };
  readonly b: { readonly sessionId: string; readonly version: number };
  /** JSON Patch (RFC 6902) from state a to state b, at most 2,000 operations. */
  readonly patch: readonly PatchOperation[];
  readonly patchLeftOut: number;
  /** By part of the state (`messages`, `todos`, `files` …): lines for people. */
  readonly summary: Readonly<Record<string, readonly string[]>>;
}

/** One operation of RFC 6902. */
export interface PatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** `POST /api/fork`, a JSON body. `into`: a folder for the files as they were at `at`; default: without files. */
export interface ForkRequest {
  readonly sessionId: string;
  readonly at: number;
  readonly into?: string;
}

/** The new session. */
export interface ForkAnswer {
  readonly sessionId: string;
  readonly forkedFrom: ForkPoint;
  readonly cwd: string;
}

/**
 * `GET /api/live?session=ID&after=V`: server-sent events (read with `fetch`, since the token is a header). Without a session
 * only `sessions` events come. After `ended`, ask again with `after`; a comment line every 15 s is a sign of life.
 */
export type LiveEvent =
  /** Facts of that session, in order, at most 500 in one event; its `id:` is the last version. */
  | {
      readonly event: "facts";
      readonly data: { readonly sessionId: string; readonly rows: readonly FactRow[] };
    }
  /** More than 2,000 facts came while this client was busy: ask for what is shown anew. */
  | { readonly event: "jumped"; readonly data: { readonly sessionId: string; readonly version: number } }
  /** Sessions that have new facts. */
  | {
      readonly event: "sessions";
      readonly data: {
        readonly changed: readonly { readonly sessionId: string; readonly version: number }[];
      };
    }
  | {
      readonly event: "ended";
      readonly data: { readonly reason: "shutting_down" | "slow_client" | "failed" };
    };
