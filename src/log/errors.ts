/** What can go wrong with a log. docs/reference/log-format.md says which rule each of them guards. */
import { LemonError } from "../errors.ts";
import { parseLeaseOwner } from "./owner.ts";
import type { ExpectedVersion, Lease } from "./port.ts";

/** The stream is not at the version that the append expected; nothing was added. Code `LEMON_VERSION_CONFLICT`. */
export class VersionConflictError extends LemonError {
  readonly stream: string;
  declare readonly expected: ExpectedVersion;
  /** The stream's last version; 0 when it does not exist. */
  readonly actual: number;

  constructor(stream: string, expected: ExpectedVersion, actual: number) {
    super(
      "version_conflict",
      `${stream} is at version ${actual}, the append expected ${expected}: read what was added and decide again`,
      { field: "expected", expected, got: String(actual) },
    );
    this.stream = stream;
    this.actual = actual;
  }
}

/** Not a version of the stream. Code `LEMON_INVALID_VERSION`. */
export class InvalidVersionError extends LemonError {
  /** @param first - the first that is of use for what was asked */
  constructor(stream: string, asked: number, last: number, first = 1) {
    const what =
      first === 1 ? `has the versions 1 to ${last}` : `began at version ${first} and is at ${last}`;
    super("invalid_version", `${stream} ${what}: there is no version ${asked} to ask for`, {
      field: "at",
      expected: `${first} to ${last}`,
      got: String(asked),
    });
  }
}

/** Why a lease no longer gives the right to lead. */
export type FencedBecause = "expired" | "changed_hands";

/** One's own lease has expired or changed hands; nothing was added. Code `LEMON_FENCED`. */
export class FencedError extends LemonError {
  readonly lease: Lease;
  readonly because: FencedBecause;

  constructor(lease: Lease, because: FencedBecause) {
    const happened = because === "expired" ? "has expired" : "was released or has changed hands";
    super(
      "fenced",
      `lease ${lease.key} (fence ${lease.fence}) ${happened}: acquire it again and claim again`,
    );
    this.lease = lease;
    this.because = because;
  }
}

/** Who holds a live lease. Times are epoch milliseconds of the log's clock. */
export interface LeaseHolder {
  readonly owner: string;
  readonly fence: number;
  readonly since: number;
  readonly expiresAt: number;
}

/** Another live lease leads the stream, or holds the key that was asked for. Code `LEMON_SESSION_BUSY`. */
export class SessionBusyError extends LemonError {
  readonly holder: LeaseHolder;

  /** @param subject - the stream or lease key that is held */
  constructor(subject: string, holder: LeaseHolder) {
    super(
      "session_busy",
      `${subject} is held by ${describeHolder(holder)}: end that one, or wait for it to go`,
    );
    this.holder = holder;
  }
}

function describeHolder({ owner, since, expiresAt }: LeaseHolder): string {
  const process = parseLeaseOwner(owner);
  const who = process === null ? owner : `process ${process.pid} on ${process.host}`;
  return `${who} since ${isoTime(since)}, until ${isoTime(expiresAt)} unless renewed`;
}

/** A clock of a test may give times that `Date` can't hold. */
function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** Bytes of the log are not what was written. Code `LEMON_LOG_CORRUPT`. */
export class LogCorruptError extends LemonError {
  /** First position that can't be trusted; `null` when not known: `verify` finds it. */
  readonly position: number | null;

  constructor(location: string, what: string, position: number | null, cause?: unknown) {
    const where = position === null ? "" : ` at position ${position}`;
    super(
      "log_corrupt",
      `${location} is corrupt${where}: ${what}. What stands before can be read; \`lemon verify\` lists the damage`,
      { cause },
    );
    this.position = position;
  }
}

/**
 * What is to be read or gone on with was left out of the bundle that it came with. Code `LEMON_DATA_REDACTED`.
 * docs/reference/bundles.md, "Redacted facts"
 */
export class DataRedactedError extends LemonError {
  readonly stream: string;

  constructor(stream: string) {
    super(
      "data_redacted",
      `the data of ${stream} was left out of the bundle that it came with: it can be listed, shown and verified, ` +
        "and nothing can go on from it; a bundle that was made without --redact can be imported into another log",
    );
    this.stream = stream;
  }
}

/** No space left for the log; nothing was added, reading goes on. Code `LEMON_LOG_FULL`. */
export class LogFullError extends LemonError {
  constructor(location: string, cause?: unknown) {
    super(
      "log_full",
      `no space left to write ${location}: free some and try again, nothing was half-written`,
      {
        cause,
      },
    );
  }
}

/** The log can be read and not written. Code `LEMON_LOG_READ_ONLY`. */
export class LogReadOnlyError extends LemonError {
  constructor(location: string, why: string, cause?: unknown) {
    super("log_read_only", `${location} can't be written: ${why}`, { cause });
  }
}

/** The log was written by a newer version of lemon-runtime; it was not touched. Code `LEMON_LOG_NEWER`. */
export class LogNewerError extends LemonError {
  readonly found: number;
  readonly supported: number;

  constructor(location: string, found: number, supported: number) {
    super(
      "log_newer",
      `${location} has format version ${found}, this lemon-runtime knows ${supported}: use a newer lemon-runtime`,
      { expected: `at most ${supported}`, got: String(found) },
    );
    this.found = found;
    this.supported = supported;
  }
}

/** Another process kept the log locked for too long; nothing was added. Code `LEMON_LOG_BUSY`. */
export class LogBusyError extends LemonError {
  constructor(location: string, cause?: unknown) {
    super("log_busy", `another process kept ${location} locked for too long: try again`, { cause });
  }
}

/** The disk refused; whether anything was added is only known after opening again. Code `LEMON_LOG_IO`. */
export class LogIoError extends LemonError {
  constructor(location: string, cause: unknown) {
    super("log_io", `could not read or write ${location}: ${String(cause)}`, { cause });
  }
}

/** The log was closed before this was asked for. Code `LEMON_LOG_CLOSED`. */
export class LogClosedError extends LemonError {
  constructor(location: string) {
    super("log_closed", `${location} is closed: open it again`);
  }
}

/** Why a place can't be opened as a log. */
export type UnavailableBecause =
  | "unknown_scheme"
  | "no_directory"
  | "not_a_file"
  | "no_permission"
  | "not_a_log"
  | "already_exists"
  | "cannot_open";

/** There is no log at that place and none can be made; what is there was not touched. Code `LEMON_LOG_UNAVAILABLE`. */
export class LogUnavailableError extends LemonError {
  readonly because: UnavailableBecause;

  constructor(because: UnavailableBecause, message: string, cause?: unknown) {
    super("log_unavailable", message, { cause });
    this.because = because;
  }
}

/** A cursor was not made by this engine. Code `LEMON_INVALID_CURSOR`. */
export class InvalidCursorError extends LemonError {
  constructor(got: string) {
    super("invalid_cursor", "after: expected a cursor that this log gave out", {
      field: "after",
      expected: "a cursor of this log",
      got: got.slice(0, 40),
    });
  }
}

/** A cursor lies beyond the log's end: it belongs to another log, or this one lost facts. Code `LEMON_CURSOR_AHEAD`. */
export class CursorAheadError extends LemonError {
  constructor(position: number, head: number) {
    super(
      "cursor_ahead",
      `after: the log ends at ${head}, the cursor stands at ${position}: read from the start`,
      {
        field: "after",
        expected: `at most ${head}`,
        got: String(position),
      },
    );
  }
}

/** A stream name or a field of the envelope can't be recorded; nothing was added. Code `LEMON_INVALID_ENVELOPE`. */
export class InvalidEnvelopeError extends LemonError {
  constructor(subject: string, details: { field: string; expected: string; got: string }) {
    super(
      "invalid_envelope",
      `${subject}: ${details.field}: expected ${details.expected}, got ${details.got}`,
      details,
    );
  }
}

/** Why a job can't be enqueued or claimed. */
export type JobTakenBecause = "there_already" | "not_there" | "ending" | "held" | "bound";

const JOB_IS: Readonly<Record<JobTakenBecause, string>> = {
  there_already: "is there already",
  not_there: "is not there: it was settled, or never enqueued",
  ending: "has its outcome already",
  held: "is being done under another live lease",
  bound: "is bound to another lease that is live",
};

/** A job can't be enqueued, since it is there, or claimed, since it is another's; nothing was changed. Code `LEMON_JOB_TAKEN`. */
export class JobTakenError extends LemonError {
  readonly queue: string;
  readonly key: string;
  readonly because: JobTakenBecause;

  constructor(queue: string, key: string, because: JobTakenBecause) {
    super("job_taken", `job ${key} of queue ${queue} ${JOB_IS[because]}`);
    this.queue = queue;
    this.key = key;
    this.because = because;
  }
}

/** As many jobs wait in the queue as may; nothing was changed. Code `LEMON_QUEUE_FULL`. */
export class JobQueueFullError extends LemonError {
  readonly queue: string;
  readonly limit: number;

  constructor(queue: string, limit: number) {
    super("queue_full", `${limit} jobs wait in queue ${queue} already: try again when some are done`, {
      field: "limit",
      expected: limit,
    });
    this.queue = queue;
    this.limit = limit;
  }
}

/** As many jobs of the queue are being done as may be at once; nothing was changed. Code `LEMON_LANE_FULL`. */
export class LaneFullError extends LemonError {
  readonly queue: string;
  readonly slots: number;

  constructor(queue: string, slots: number) {
    super(
      "lane_full",
      `${slots} jobs of queue ${queue} are being done already: claim again when one is done`,
      {
        field: "slots",
        expected: slots,
      },
    );
    this.queue = queue;
    this.slots = slots;
  }
}
