/** Who decides: the machines of a session, and the one shell that runs their stream. */
export {
  AlreadyStreamingError,
  MailboxFullError,
  NotStreamingError,
  PlanModeUnchangedError,
  ReplayDivergedError,
  StreamClosedError,
} from "./errors.ts";
export { JournaledStream } from "./journaled.ts";
export { registryStreamName } from "./extension-registry/actors.ts";
export { openRegistryStream, type RegistryStream } from "./extension-registry/stream.ts";
export { endOfGivenUp } from "./recovery.ts";
export { readSessionViews } from "./session-history.ts";
export { sessionViews, type SessionViews } from "./session-views.ts";
export {
  decideRun,
  ranMs,
  type BackgroundRunDecision,
  type BackgroundRunEvent,
  type RunOutcome,
} from "./background-run/machine.ts";
export { Leadership } from "./leadership.ts";
export type { HookSource } from "./session/hook-source.ts";
export { SessionHooks } from "./session/hooks.ts";
export { sessionActors } from "./session/actors.ts";
export { compactionEffect } from "./session/compaction-effect.ts";
export { modelEffect, retryEffect } from "./session/effects.ts";
export type { CompactionRules } from "./session/overlength.ts";
export { endAbandonedQueries } from "./side-query/abandoned.ts";
export { conversationOf, type SourceConversation } from "./side-query/conversation.ts";
export { Deadline } from "./side-query/deadline.ts";
export type { AskedModel, ReadSource } from "./side-query/effect.ts";
export { asSideQueryError, failedQuery, SideQueryError } from "./side-query/errors.ts";
export { Line } from "./side-query/line.ts";
export { openSideQueryStream, type SideQueryStream } from "./side-query/stream.ts";
export { endOf, type SideQueryEnd } from "./side-query/views.ts";
export type { StreamEvent } from "./subscribers.ts";
export { askInterceptors, hookEffect } from "./tool-runner/hook-effect.ts";
export { approvalEffect, toolEffect } from "./tool-runner/effects.ts";
export { PendingReceipts } from "./tool-runner/pending-receipts.ts";
