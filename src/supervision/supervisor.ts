/** The front door: what a supervisor answers, and how one is started. */
import { messageOf } from "../errors.ts";
import type { Child, ExitReason } from "./child.ts";
import { SupervisorError } from "./errors.ts";
import {
  checkDynamicOptions,
  checkOptions,
  type DynamicSupervisorOptions,
  type Setup,
  type SupervisorEnvironment,
  type SupervisorOptions,
} from "./options.ts";
import type { ChildCounts, ChildRow, SupervisorTree } from "./roster.ts";
import type { ChildId, ChildSpec, DynamicChildSpec, FullChildSpec } from "./spec.ts";
import { SupervisorProcess } from "./supervisor-process.ts";

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
 * Every call rejects with {@link SupervisorError} `noproc` once the supervisor has ended.
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

/**
 * Starts a supervisor and its children, one after the other; resolves when the last one is up.
 *
 * When one does not start, those before it are stopped in reverse, the name is given back, and the promise rejects.
 * Started inside a start function, it belongs under that child: its path, clock, registry and `onEvent` follow from there.
 *
 * Defaults are OTP's: `one_for_one`, 1 restart within 5 s, no auto-shutdown.
 *
 * @param options - the flags, or a function that gives them or says `ignore`
 * @throws SupervisorError `invalid_spec`, `start_failed` (`cause` is the error, `childId` the child), or `already_started`
 * @example
 * ```ts
 * const supervisor = await startSupervisor({
 *   strategy: "rest_for_one",
 *   children: [{ id: "store", start: storeMachine }, { id: "poller", start: () => promiseChild(poll) }],
 * });
 * ```
 */
export function startSupervisor(
  options: SupervisorOptions,
  environment?: SupervisorEnvironment,
): Promise<Supervisor>;
export function startSupervisor(
  options: () => SupervisorOptions | "ignore" | Promise<SupervisorOptions | "ignore">,
  environment?: SupervisorEnvironment,
): Promise<Supervisor | "ignore">;
export function startSupervisor(
  options: SupervisorOptions | (() => SupervisorOptions | "ignore" | Promise<SupervisorOptions | "ignore">),
  environment: SupervisorEnvironment = {},
): Promise<Supervisor | "ignore"> {
  return start(options, environment, checkOptions);
}

/**
 * Starts a supervisor for a population: children come and go, have no names, share no fate and stop all at once.
 *
 * Defaults are those of Elixir's `DynamicSupervisor`: 3 restarts within 5 s, no limit to the number of children.
 *
 * @throws SupervisorError `invalid_spec` or `already_started`
 */
export function startDynamicSupervisor(
  options: DynamicSupervisorOptions,
  environment?: SupervisorEnvironment,
): Promise<Supervisor>;
export function startDynamicSupervisor(
  options: () => DynamicSupervisorOptions | "ignore" | Promise<DynamicSupervisorOptions | "ignore">,
  environment?: SupervisorEnvironment,
): Promise<Supervisor | "ignore">;
export function startDynamicSupervisor(
  options:
    | DynamicSupervisorOptions
    | (() => DynamicSupervisorOptions | "ignore" | Promise<DynamicSupervisorOptions | "ignore">),
  environment: SupervisorEnvironment = {},
): Promise<Supervisor | "ignore"> {
  return start(options, environment, (given) => ({ flags: checkDynamicOptions(given), children: [] }));
}

async function start(
  options: unknown,
  environment: SupervisorEnvironment,
  check: (options: unknown) => Setup,
): Promise<Supervisor | "ignore"> {
  const supervisor = new SupervisorProcess(environment);
  const isUp = await supervisor.boot(async () => {
    const given: unknown =
      typeof options === "function" ? await initialise(options as () => unknown) : options; // an init takes nothing
    return given === "ignore" ? "ignore" : check(given);
  });
  return isUp ? supervisor : "ignore";
}

async function initialise(init: () => unknown): Promise<unknown> {
  try {
    return await init();
  } catch (error) {
    throw new SupervisorError("start_failed", `the supervisor's init function failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
