/** What a supervisor answers. */
import type { Child, ExitReason } from "./child.ts";
import type { ChildCounts, ChildRow, SupervisorTree } from "./roster.ts";
import type { ChildId, ChildSpec, DynamicChildSpec, FullChildSpec } from "./spec.ts";

/** What came of `startChild` or `restartChild`. `info` is what the start function had to tell besides. */
export interface StartChildResult<C extends Child = Child> {
  readonly status: "started" | "ignored";
  readonly child?: C;
  readonly info?: unknown;
}

/**
 * A running supervisor, which is itself a child. Calls are answered one after the other, in order; a child whose start
 * is slow delays them all, and so a start function must not await a call of its own supervisor. None has a time limit.
 *
 * Every call rejects with `SupervisorError` `noproc` once the supervisor has ended.
 */
export interface Supervisor extends Child, AsyncDisposable {
  /** Where it is in its tree, such as `runtime/services`. */
  readonly path: string;
  readonly name: string | undefined;
  /**
   * Starts a child: from a spec, or under `simple_one_for_one` from the extra arguments of the template's start.
   *
   * @throws SupervisorError `already_started`, `already_present`, `max_children`, `start_failed` or `invalid_spec`
   */
  startChild<C extends Child = Child>(
    spec: ChildSpec<C> | DynamicChildSpec<C> | readonly unknown[],
  ): Promise<StartChildResult<C>>;
  /**
   * Stops a child by its shutdown protocol; a stopped one is left as it is. By id, under a dynamic supervisor by the child.
   *
   * @throws SupervisorError `not_found`
   */
  terminateChild(child: ChildId | Child): Promise<void>;
  /**
   * Starts a stopped child again.
   *
   * @throws SupervisorError `running`, `restarting`, `not_found` (always under a dynamic supervisor) or `start_failed`
   */
  restartChild<C extends Child = Child>(id: ChildId): Promise<StartChildResult<C>>;
  /**
   * Forgets a stopped child.
   *
   * @throws SupervisorError `running`, `restarting` or `not_found` (always under a dynamic supervisor)
   */
  deleteChild(id: ChildId): Promise<void>;
  /** Newest first. */
  whichChildren(): Promise<ChildRow[]>;
  /**
   * One row of {@link Supervisor.whichChildren}.
   *
   * @throws SupervisorError `not_found`
   */
  whichChild(child: ChildId | Child): Promise<ChildRow>;
  countChildren(): Promise<ChildCounts>;
  /**
   * The spec with its defaults filled in.
   *
   * @throws SupervisorError `not_found`
   */
  childSpec(child: ChildId | Child): Promise<FullChildSpec>;
  /** Forgets every stopped child and tells how many there were. OTP keeps them (erlang/otp#1287). */
  sweepStopped(): Promise<number>;
  /** All that is below, now. Synchronous, and answered even after the end. */
  tree(): SupervisorTree;
  /** Stops the children, the newest first (a dynamic supervisor: all at once), and ends. Resolves to the exit reason. */
  shutdown(reason?: ExitReason): Promise<ExitReason>;
}
