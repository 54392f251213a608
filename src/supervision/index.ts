/** OTP supervision for XState actors, promises and worker threads; usable without the rest of the runtime. */
export { actorChild, type ActorChild, type ActorChildOptions } from "./actor-child.ts";
export { currentChild, type CurrentChild } from "./attribution.ts";
export { call, type Callable, type CallOptions, type Reply } from "./call.ts";
export { type Child, type ExitReason, exitLatch, type ExitLatch, isCleanExit } from "./child.ts";
export { systemClock } from "./clock.ts";
export {
  CallError,
  MailboxFullError,
  SupervisorError,
  type SupervisorErrorDetails,
  type SupervisorErrorReason,
} from "./errors.ts";
export type {
  ChildExited,
  ChildLateError,
  ChildRestarted,
  ChildStarted,
  ChildStartFailed,
  PlainError,
  PlainExitReason,
  SupervisionEvent,
  SupervisorGaveUp,
} from "./events.ts";
export type { Backoff } from "./intensity.ts";
export { Mailbox, type MailboxOptions } from "./mailbox.ts";
export { type Down, monitor } from "./monitor.ts";
export type {
  AutoShutdown,
  DynamicSupervisorOptions,
  SupervisorEnvironment,
  SupervisorOptions,
} from "./options.ts";
export { promiseChild } from "./promise-child.ts";
export { Registry } from "./registry.ts";
export type { ChildCounts, ChildRow, ChildState, ChildTree, SupervisorTree } from "./roster.ts";
export {
  type ActorStart,
  checkChildSpec,
  checkChildSpecs,
  type ChildId,
  type ChildSpec,
  type ChildType,
  type DynamicChildSpec,
  type FullChildSpec,
  type RestartType,
  type Shutdown,
  type Start,
  type Started,
  type StartFunction,
  type ThreadStart,
} from "./spec.ts";
export type { Strategy } from "./strategy.ts";
export { startDynamicSupervisor, startSupervisor } from "./start-supervisor.ts";
export type { StartChildResult, Supervisor } from "./supervisor.ts";
export { threadChild, type ThreadChild, type ThreadChildOptions } from "./thread-child.ts";
