/** Who decides: the machines of a session, and the one shell that runs their stream. */
export {
  ActorCrashError,
  AlreadyStreamingError,
  MailboxFullError,
  NotStreamingError,
  ReplayDivergedError,
  StreamClosedError,
} from "./errors.ts";
export { Cascade, type CascadeSnapshot, type StreamActors } from "./cascade.ts";
export { factOf, Feed, type Divergence } from "./feed.ts";
export { JournaledStream } from "./journaled.ts";
export { Leadership, LEASE_TTL_MS } from "./leadership.ts";
export { loadStream, type LoadedStream } from "./load.ts";
export { machineVersion } from "./machine-version.ts";
export { sessionActors } from "./session/actors.ts";
export { modelEffect, retryEffect } from "./session/effects.ts";
export { requestDigest } from "./session/request.ts";
export { SessionViews } from "./session-views.ts";
export type { StreamEvent } from "./subscribers.ts";
export { approvalEffect, toolEffect } from "./tool-runner/effects.ts";
