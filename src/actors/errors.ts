/** What a caller of a stream may be told. */
import { LemonError } from "../errors.ts";

/** A run is open, and this input needs none to be. Code `LEMON_ALREADY_STREAMING`. */
export class AlreadyStreamingError extends LemonError {
  constructor(sessionId: string) {
    super(
      "already_streaming",
      `session ${sessionId} is in a run: wait for its end, or use steer or followUp`,
    );
  }
}

/** No run is open, and this input needs one. Code `LEMON_NOT_STREAMING`. */
export class NotStreamingError extends LemonError {
  constructor(sessionId: string) {
    super("not_streaming", `session ${sessionId} is in no run: use prompt`);
  }
}

/** Plan mode is as it was asked to be. Code `LEMON_PLAN_MODE_UNCHANGED`; `session.planMode` says `changed: false` instead. */
export class PlanModeUnchangedError extends LemonError {
  constructor(sessionId: string) {
    super("plan_mode_unchanged", `plan mode of session ${sessionId} is so already`);
  }
}

/** Replaying the log gives other decisions than it holds, so the stream is read-only. Code `LEMON_REPLAY_DIVERGED`. */
export class ReplayDivergedError extends LemonError {
  readonly stream: string;
  readonly version: number;

  constructor(stream: string, version: number) {
    super(
      "replay_diverged",
      `${stream} cannot go on: at version ${version} this version of lemon-runtime decides otherwise than the log ` +
        "says; it stays readable, `lemon replay` shows the difference",
    );
    this.stream = stream;
    this.version = version;
  }
}

/** An actor of the stream crashed on this input, which was not recorded. Code `LEMON_ACTOR_CRASHED`. */
export class ActorCrashError extends LemonError {
  constructor(stream: string, input: string, cause: unknown) {
    super("actor_crashed", `an actor of ${stream} crashed on ${input}; the input was not recorded`, {
      cause,
    });
  }
}

/** Too many inputs wait for the stream. Code `LEMON_MAILBOX_FULL`. */
export class MailboxFullError extends LemonError {
  constructor(stream: string, limit: number) {
    super("mailbox_full", `${stream} has ${limit} inputs waiting: try again when some of them are done`);
  }
}

/** The stream has ended in this process. Code `LEMON_STREAM_CLOSED`. */
export class StreamClosedError extends LemonError {
  constructor(stream: string) {
    super("stream_closed", `${stream} is closed`);
  }
}

/** The log of a stream could not be read or written, for a reason that it has no name for. Code `LEMON_LOG_UNREADABLE`. */
class LogUnreadableError extends LemonError {
  constructor(cause: unknown) {
    super("log_unreadable", "the log could not be read; it is tried again every second", { cause });
  }
}

/** What a caller may be told of a log that could not be read or written. */
export function asLemonError(error: unknown): LemonError {
  return error instanceof LemonError ? error : new LogUnreadableError(error);
}
