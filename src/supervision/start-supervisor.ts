/** The front door: how a supervisor is started. */
import { messageOf } from "../errors.ts";
import { SupervisorError } from "./errors.ts";
import {
  checkDynamicOptions,
  checkOptions,
  type DynamicSupervisorOptions,
  type Setup,
  type SupervisorEnvironment,
  type SupervisorOptions,
} from "./options.ts";
import type { Supervisor } from "./supervisor.ts";
import { SupervisorProcess } from "./supervisor-process.ts";

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
