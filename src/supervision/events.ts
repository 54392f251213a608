/** What a supervisor tells of its life: plain JSON data, so that it can be stored as a fact. */
import type { ExitReason } from "./child.ts";

/** An exit reason as JSON: an error is its name, message and code, without its stack. */
export interface PlainExitReason {
  readonly kind: ExitReason["kind"];
  readonly detail?: string | PlainError;
}

/** An error as JSON. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: PlainError;
}

interface OfChild {
  /** Path of the supervisor in its tree, such as `runtime/services/sessions`. */
  readonly supervisor: string;
  readonly childId: string;
  /** Grows with every start under one supervisor, so it tells one life of a child from the next. */
  readonly instance: number;
}

/** A child was started for the first time or by an administrator. */
export interface ChildStarted extends OfChild {
  readonly type: "child.started";
  readonly childType: "worker" | "supervisor";
}
/** A child ended, by itself or because it was stopped. One per instance. */
export interface ChildExited extends OfChild {
  readonly type: "child.exited";
  readonly reason: PlainExitReason;
}
/** A child was started again by its supervisor, after its own failure or a sibling's. */
export interface ChildRestarted extends OfChild {
  readonly type: "child.restarted";
  readonly childType: "worker" | "supervisor";
  /** Automatic restarts of this child so far. */
  readonly restarts: number;
}
/** A start function threw, rejected or returned something that is not a child. */
export interface ChildStartFailed extends OfChild {
  readonly type: "child.start_failed";
  readonly reason: PlainExitReason;
}
/** More than `intensity` restarts within `periodSeconds`: the supervisor stops its children and ends. */
export interface SupervisorGaveUp extends OfChild {
  readonly type: "supervisor.gave_up";
  readonly reason: PlainExitReason;
  readonly intensity: number;
  readonly periodSeconds: number;
}
/** An error came out of code of an instance that has ended: it crashes nothing, and is told rather than dropped. */
export interface ChildLateError extends OfChild {
  readonly type: "child.late_error";
  readonly reason: PlainExitReason;
}

/** Every event of a supervisor. `onEvent` is called synchronously, in the order in which things happened. */
export type SupervisionEvent =
  | ChildStarted
  | ChildExited
  | ChildRestarted
  | ChildStartFailed
  | SupervisorGaveUp
  | ChildLateError;

const longestText = 2_000; // an error message can hold a whole document; a fact should not

/** An exit reason as JSON data. */
export function plainReason(reason: ExitReason): PlainExitReason {
  if (reason.detail === undefined) return { kind: reason.kind };
  return { kind: reason.kind, detail: plainDetail(reason.detail) };
}

function plainDetail(detail: unknown): string | PlainError {
  if (detail instanceof Error) return plainError(detail, 4);
  if (typeof detail === "string") return detail.slice(0, longestText);
  return describe(detail).slice(0, longestText);
}

/** A value that is no error, as text; one that can't be shown gives its kind. */
function describe(detail: unknown): string {
  if (typeof detail !== "object" || detail === null) return String(detail);
  try {
    return JSON.stringify(detail) ?? typeof detail;
  } catch {
    return Object.prototype.toString.call(detail); // a cycle or a BigInt: the reason is told without its content
  }
}

function plainError(error: Error, depth: number): PlainError {
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  const cause =
    error.cause instanceof Error && depth > 0 ? { cause: plainError(error.cause, depth - 1) } : {};
  return {
    name: String(error.name),
    message: String(error.message).slice(0, longestText),
    ...code,
    ...cause,
  };
}
