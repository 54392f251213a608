import { LemonError, type LemonErrorDetails } from "../errors.ts";
import type { Child, ExitReason } from "./child.ts";

/** Why a supervisor refused. OTP's words where OTP has one. */
export type SupervisorErrorReason =
  | "already_started"
  | "already_present"
  | "running"
  | "restarting"
  | "not_found"
  | "max_children"
  | "start_failed"
  | "invalid_spec"
  | "noproc";

/** What a {@link SupervisorError} may carry besides its message. */
export interface SupervisorErrorDetails extends LemonErrorDetails {
  readonly childId?: string;
  readonly child?: Child;
}

/**
 * A supervisor refused a call, or could not start. `reason` tells why; `code` is `LEMON_` and that word in upper case.
 *
 * `child` is the one that is there already (`already_started`); `cause` is what the start function threw
 * (`start_failed`); `field`, `expected` and `got` say what is wrong with a spec (`invalid_spec`).
 */
export class SupervisorError extends LemonError {
  declare readonly reason: SupervisorErrorReason;
  readonly childId?: string;
  readonly child?: Child;

  constructor(reason: SupervisorErrorReason, message: string, details: SupervisorErrorDetails = {}) {
    super(reason, message, details);
    if (details.childId !== undefined) this.childId = details.childId;
    if (details.child !== undefined) this.child = details.child;
  }
}

/**
 * A call got no answer: `call_timeout` (code `LEMON_CALL_TIMEOUT`: the deadline passed; the callee was not told and may
 * still do the work), `call_exited` (code `LEMON_CALL_EXITED`: it ended first; see `exit`).
 */
export class CallError extends LemonError {
  declare readonly reason: "call_timeout" | "call_exited";
  readonly exit?: ExitReason;

  constructor(reason: "call_timeout" | "call_exited", message: string, exit?: ExitReason) {
    super(reason, message, exit?.detail === undefined ? {} : { cause: exit.detail });
    if (exit !== undefined) this.exit = exit;
  }
}

/** A bounded mailbox with the policy `reject` is full. Code `LEMON_MAILBOX_FULL`. */
export class MailboxFullError extends LemonError {
  readonly capacity: number;

  constructor(capacity: number) {
    super(
      "mailbox_full",
      `the mailbox is full: ${capacity} messages wait; send less, or await the ones you sent`,
    );
    this.capacity = capacity;
  }
}

/** What was thrown, as an error. @internal */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
