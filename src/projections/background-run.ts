/** A background run, as the facts of its own stream tell it. docs/reference/background-runs.md */
import type { FactData, FactOf, FactType } from "../events/index.ts";
import type { Projection } from "./projection.ts";

/** How a run is. The last five are final. */
export type BackgroundRunStatus =
  | "queued"
  | "running"
  | "completed"
  | "timeout"
  | "cancelled"
  | "failed"
  | "lost";

/** All of them, in the order of a run's life. */
export const backgroundRunStatuses: readonly BackgroundRunStatus[] = [
  "queued",
  "running",
  "completed",
  "timeout",
  "cancelled",
  "failed",
  "lost",
];

/** What the attempt that is going on, or was the last, is done by. */
export type BackgroundRunStart = FactData<"background_run.started">;

/** The state of a run's stream. */
export interface BackgroundRunView {
  /** `null` before it was queued. */
  readonly queued: FactData<"background_run.queued"> | null;
  readonly status: BackgroundRunStatus;
  /** Version of the last fact. */
  readonly version: number;
  /** Epoch milliseconds, as all times here. */
  readonly queuedAt: number;
  readonly updatedAt: number;
  /** Of the first attempt. */
  readonly startedAt: number | null;
  /** Of the attempt that is going on. */
  readonly attemptAt: number | null;
  readonly endedAt: number | null;
  readonly start: BackgroundRunStart | null;
  /** How often its process was lost. */
  readonly losses: number;
  /** Milliseconds of work in the attempts that have ended. */
  readonly ranMs: number;
  readonly failure: FactData<"background_run.failed">["class"] | null;
  /** What its own facts kept of the model's words. */
  readonly partialText: string | null;
}

type RunFact = Extract<FactType, `background_run.${string}`>;

/** The types of the facts of runs. */
export const backgroundRunFacts = {
  "background_run.queued": true,
  "background_run.started": true,
  "background_run.requeued": true,
  "background_run.approval_answered": true,
  "background_run.text_recorded": true,
  "background_run.completed": true,
  "background_run.timed_out": true,
  "background_run.cancelled": true,
  "background_run.failed": true,
  "background_run.lost": true,
} as const satisfies Record<RunFact, true>;

/** The state of the stream of a background run. */
export const backgroundRunView: Projection<BackgroundRunView, RunFact> = {
  name: "background_run",
  version: 1,
  initial: {
    queued: null,
    status: "queued",
    version: 0,
    queuedAt: 0,
    updatedAt: 0,
    startedAt: null,
    attemptAt: null,
    endedAt: null,
    start: null,
    losses: 0,
    ranMs: 0,
    failure: null,
    partialText: null,
  },
  types: backgroundRunFacts,
  fold: (view, fact) => foldRun({ ...view, version: fact.version, updatedAt: fact.at }, fact),
};

/** Whether a run in this status stays as it is for ever. */
export function isFinalRun({ status }: Pick<BackgroundRunView, "status">): boolean {
  return status !== "queued" && status !== "running";
}

function foldRun(view: BackgroundRunView, fact: FactOf<RunFact>): BackgroundRunView {
  switch (fact.type) {
    case "background_run.queued":
      return { ...view, queued: fact.data, queuedAt: fact.at };
    case "background_run.started":
      return {
        ...view,
        status: "running",
        start: fact.data,
        startedAt: view.startedAt ?? fact.at,
        attemptAt: fact.at,
      };
    case "background_run.requeued":
      return {
        ...view,
        status: "queued",
        attemptAt: null,
        ranMs: fact.data.ranMs,
        losses: view.losses + (fact.data.cause === "owner_lost" ? 1 : 0),
      };
    case "background_run.approval_answered":
      return view;
    case "background_run.text_recorded":
      return { ...view, partialText: fact.data.partialText };
    case "background_run.completed":
      return ended(view, "completed", fact);
    case "background_run.timed_out":
      return { ...ended(view, "timeout", fact), partialText: fact.data.partialText };
    case "background_run.cancelled":
      return ended(view, "cancelled", fact);
    case "background_run.failed":
      return {
        ...ended(view, "failed", fact),
        failure: fact.data.class,
        partialText: fact.data.partialText,
      };
    case "background_run.lost":
      return ended(view, "lost", fact);
  }
}

function ended(
  view: BackgroundRunView,
  status: BackgroundRunStatus,
  fact: { readonly at: number; readonly data: { readonly ranMs: number } },
): BackgroundRunView {
  return { ...view, status, attemptAt: null, endedAt: fact.at, ranMs: fact.data.ranMs };
}
