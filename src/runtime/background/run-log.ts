/**
 * Records what becomes of runs: decides on how a run stands, and appends at that version together with what it does to
 * the run's place in line. When somebody else was first, it decides again. docs/reference/background-runs.md, "Lifecycle"
 */
import { decideRun, type BackgroundRunDecision, type BackgroundRunEvent } from "../../actors/index.ts";
import {
  upcast,
  type Fact,
  type FactData,
  type FactOf,
  type FactType,
  type Json,
} from "../../events/index.ts";
import { BACKGROUND_QUEUE, readRun, runStreamName } from "../../harness/index.ts";
import {
  JobTakenError,
  LaneFullError,
  VersionConflictError,
  type EventLog,
  type Lease,
  type UnitOfWork,
} from "../../log/index.ts";
import type { Clock } from "../../ports.ts";
import { backgroundRunView, project, type BackgroundRunView } from "../../projections/index.ts";
import type { Masker } from "../../secrets/index.ts";

type RunFactType = Extract<FactType, `background_run.${string}`>;

/** What recording needs. */
export interface RunLogDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly mask: Masker;
  /** Told of each step of a run that this process recorded, once it is durable. */
  readonly onStep?: (id: string, before: BackgroundRunView, fact: Fact) => void;
}

/** On whose behalf a run is written to, and when. */
export interface Writing {
  /** The lease under which it is done: the owner's. Refused when that is not live any more. */
  readonly lease?: Lease;
  /** Whether what is to be recorded still holds for the run as it stands. */
  readonly holds?: (view: BackgroundRunView) => boolean;
}

/** Appends to the streams of runs. */
export class RunLog {
  readonly #deps: RunLogDeps;

  constructor(deps: RunLogDeps) {
    this.#deps = deps;
  }

  /** A run as it stands. */
  viewOf(id: string): Promise<BackgroundRunView> {
    return readRun(this.#deps.log, id);
  }

  /** A new run, at the end of the line. @throws JobQueueFullError when `limit` wait */
  async enqueue(
    id: string,
    data: FactData<"background_run.queued">,
    { bound, limit }: { readonly bound: string | null; readonly limit: number },
  ): Promise<void> {
    await this.#deps.log.commit((work) => {
      work.append(runStreamName(id), "none", [this.#fact("background_run.queued", data)]);
      work.enqueueJob({ queue: BACKGROUND_QUEUE, key: id, bound, limit });
    });
  }

  /** Takes a run that waits. @returns how it stands now that it is ours; else why it isn't */
  async claim(
    id: string,
    event: Extract<BackgroundRunEvent, { type: "claimed" }>,
    { lease, slots, holds }: Required<Writing> & { readonly slots: number },
  ): Promise<BackgroundRunView | "taken" | "lane_full"> {
    try {
      const taken = await this.#decide(id, event, { lease, holds }, (work) =>
        work.claimJob({ queue: BACKGROUND_QUEUE, key: id, lease, slots }),
      );
      return taken === null ? "taken" : taken.view;
    } catch (error) {
      if (error instanceof JobTakenError) return "taken";
      if (error instanceof LaneFullError) return "lane_full";
      throw error;
    }
  }

  /** What happened to a run. @returns what was decided, `null` when it changes nothing */
  async record(
    id: string,
    event: BackgroundRunEvent,
    writing: Writing = {},
  ): Promise<BackgroundRunDecision | null> {
    return (await this.#decide(id, event, writing, () => undefined))?.decision ?? null;
  }

  /** A fact that changes nothing of the lifecycle. */
  async note<Type extends "background_run.approval_answered" | "background_run.text_recorded">(
    id: string,
    type: Type,
    data: FactData<Type>,
  ): Promise<void> {
    await this.#deps.log.append(runStreamName(id), "any", [this.#fact(type, data)]);
  }

  /** What persons have answered, in their order. */
  async answers(id: string): Promise<FactData<"background_run.approval_answered">[]> {
    const types = ["background_run.approval_answered"];
    const found: FactData<"background_run.approval_answered">[] = [];
    for await (const fact of this.#deps.log.read(runStreamName(id), { types }))
      found.push((upcast(fact) as FactOf<"background_run.approval_answered">).data);
    return found;
  }

  /** Its end is recorded, and this process can't tidy up after it: another one will, or this one later. */
  async leaveUntidy(id: string): Promise<void> {
    await this.#deps.log.commit((work) => work.releaseJob(BACKGROUND_QUEUE, id));
  }

  /** Nothing is left to be done for the run. */
  async settle(id: string): Promise<void> {
    await this.#deps.log.commit((work) => work.settleJob(BACKGROUND_QUEUE, id));
  }

  async #decide(
    id: string,
    event: BackgroundRunEvent,
    { lease, holds }: Writing,
    also: (work: UnitOfWork) => void,
  ): Promise<{ readonly decision: BackgroundRunDecision; readonly view: BackgroundRunView } | null> {
    for (;;) {
      const view = await readRun(this.#deps.log, id);
      if (holds !== undefined && !holds(view)) return null;
      const decision = decideRun(view, event);
      if (decision === null) return null;
      try {
        const facts = await this.#deps.log.commit((work) => {
          const options = lease === undefined ? {} : { fence: lease };
          work.append(
            runStreamName(id),
            view.version,
            [this.#fact(decision.type, decision.data, view.version)],
            options,
          );
          moveJob(work, id, decision.job);
          also(work);
        });
        for (const fact of facts) this.#deps.onStep?.(id, view, fact);
        const after = facts.reduce((seen, fact) => project(backgroundRunView, seen, fact), view);
        return { decision, view: after };
      } catch (error) {
        // Each time somebody else got a fact in, and a run has few.
        if (!(error instanceof VersionConflictError)) throw error;
      }
    }
  }

  #fact<Type extends RunFactType>(
    type: Type,
    data: FactData<Type>,
    causation: number | null = null,
  ): {
    readonly type: Type;
    readonly data: Json;
    readonly kind: "input";
    readonly actor: "background";
    readonly causation: number | null;
    readonly correlation: null;
    readonly at: number;
  } & Pick<Fact, "kind"> {
    const { clock, mask } = this.#deps;
    // What the schema allows is JSON, and stays so when its secrets are hidden.
    const masked = mask.json(data as unknown as Json);
    return {
      type,
      data: masked,
      kind: "input",
      actor: "background",
      causation,
      correlation: null,
      at: clock.now(),
    };
  }
}

function moveJob(work: UnitOfWork, id: string, job: BackgroundRunDecision["job"]): void {
  switch (job) {
    case "taken":
      return;
    case "back":
      return work.releaseJob(BACKGROUND_QUEUE, id);
    case "ending":
      return work.endJob(BACKGROUND_QUEUE, id);
    case "done":
      return work.settleJob(BACKGROUND_QUEUE, id);
  }
}
