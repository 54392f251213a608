/** Where facts live: the EventLog port and its SQLite engine. */
export {
  CursorAheadError,
  FencedError,
  InvalidCursorError,
  InvalidEnvelopeError,
  LogBusyError,
  LogClosedError,
  LogCorruptError,
  LogFullError,
  LogIoError,
  LogNewerError,
  LogReadOnlyError,
  LogUnavailableError,
  SessionBusyError,
  VersionConflictError,
  type FencedBecause,
  type LeaseHolder,
  type UnavailableBecause,
} from "./errors.ts";
export { openEventLog } from "./open.ts";
export { isOwnerGone, leaseOwner, parseLeaseOwner, type LeaseOwner } from "./owner.ts";
export type {
  AppendOptions,
  Cursor,
  Durability,
  EventLog,
  ExpectedVersion,
  Finding,
  FollowOptions,
  Lease,
  LogInfo,
  OpenOptions,
  ReadAllOptions,
  ReadOptions,
  Snapshot,
  StoredFact,
  UnitOfWork,
} from "./port.ts";
