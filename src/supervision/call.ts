import type { Clock } from "../ports.ts";
import type { Child } from "./child.ts";
import { systemClock } from "./clock.ts";
import { CallError, SupervisorError, toError } from "./errors.ts";
import { monitor, noproc } from "./monitor.ts";

/** How the receiver of a call answers it. Only the first answer counts, and only before the deadline. */
export interface Reply {
  answer(value: unknown): void;
  /** The call rejects with `error`. */
  refuse(error: Error): void;
}

/** A child that takes calls. An actor gets `{ ...request, reply }` as an event; a thread a message, see `threadChild`. */
export interface Callable extends Child {
  /**
   * Hands a request over. May return a function that forgets it, called when the call is over, or a promise that
   * resolves when the request is in the mailbox.
   */
  deliverCall(request: object, reply: Reply): (() => void) | Promise<void> | undefined;
}

/** Limits of a call. */
export interface CallOptions {
  /** Milliseconds of `clock` until the call gives up, or `infinity`. Default 5000 (OTP `gen_server:call/2`). */
  readonly timeoutMs?: number | "infinity";
  readonly clock?: Clock;
}

/**
 * Sends a request and awaits the answer.
 *
 * The callee is not told of a time-out and may still do the work; its late answer is dropped.
 *
 * @throws CallError `call_timeout` or `call_exited` (codes `LEMON_CALL_TIMEOUT`, `LEMON_CALL_EXITED`)
 * @throws SupervisorError `noproc` when the child had ended before (code `LEMON_NOPROC`)
 * @throws MailboxFullError when its mailbox is full and rejects (code `LEMON_MAILBOX_FULL`)
 */
export function call<Answer = unknown>(
  child: Callable,
  request: object,
  options: CallOptions = {},
): Promise<Answer> {
  const { timeoutMs = 5000, clock = systemClock } = options;
  return new Promise<Answer>((resolve, reject) => {
    let forget: (() => void) | undefined;
    let cancelTimer = (): void => undefined;
    let isOpen = true;
    const close = (settle: () => void): void => {
      if (!isOpen) return;
      isOpen = false;
      cancelTimer();
      demonitor();
      forget?.();
      settle();
    };
    const refuse = (error: Error): void => close(() => reject(error));
    const demonitor = monitor(child, ({ reason }) => {
      if (reason === noproc) refuse(new SupervisorError("noproc", "call: the child has ended", { child }));
      else
        refuse(new CallError("call_exited", `the child ended (${reason.kind}) before it answered`, reason));
    });
    if (timeoutMs !== "infinity") {
      cancelTimer = clock.setTimer(timeoutMs, () =>
        refuse(new CallError("call_timeout", `no answer within ${timeoutMs} ms`)),
      );
    }
    try {
      // The answer's type is what the caller says it is: a message carries none.
      const delivery = child.deliverCall(request, {
        answer: (value) => close(() => resolve(value as Answer)),
        refuse,
      });
      if (typeof delivery === "function") forget = delivery;
      else void delivery?.catch((error: unknown) => refuse(toError(error)));
    } catch (error) {
      refuse(toError(error));
    }
  });
}
