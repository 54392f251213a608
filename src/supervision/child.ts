/** What a supervisor asks of a child, and how the end of a child is told. */

/**
 * Why a child ended, in OTP's classes (stdlib `supervisor`, "restart"):
 * `normal` and `shutdown` are clean ends, after which a transient child stays down; `killed` and `crash` are not.
 */
export interface ExitReason {
  readonly kind: "normal" | "shutdown" | "killed" | "crash";
  /** The error of a crash, or what the one who asked for the shutdown had to say. */
  readonly detail?: unknown;
}

/**
 * A started thing that a supervisor can watch, stop and kill. Anything with these three members is one.
 *
 * The contract: `exited` resolves once (it never rejects), `shutdown` asks and returns, and after `kill` the promise
 * `exited` resolves soon, whatever the child was doing.
 */
export interface Child {
  readonly exited: Promise<ExitReason>;
  /** Asks for an orderly end. A promise that it returns may reject: the child is then killed and counts as crashed. */
  shutdown(reason: ExitReason): unknown;
  /** Ends the child now: its mailbox is closed, its abort signal fired, and what it still produces is dropped. */
  kill(): void;
  /** Messages that wait, where the child knows. */
  readonly mailboxLength?: number;
}

/** A clean end: OTP's `normal`, `shutdown` and `{shutdown, Term}`. */
export function isCleanExit(reason: ExitReason): boolean {
  return reason.kind === "normal" || reason.kind === "shutdown";
}

/** Whether a value keeps the shape of {@link Child}. */
export function isChild(value: unknown): value is Child {
  if (typeof value !== "object" || value === null) return false;
  const { exited, shutdown, kill } = value as Partial<Record<keyof Child, unknown>>; // read as unknown, checked below
  const isThenable = typeof (exited as PromiseLike<unknown> | undefined)?.then === "function";
  return isThenable && typeof shutdown === "function" && typeof kill === "function";
}

const kinds: ReadonlySet<unknown> = new Set<ExitReason["kind"]>(["normal", "shutdown", "killed", "crash"]);

/** The exit reason that a child told, or a crash that says what it told instead. */
export function toExitReason(told: unknown): ExitReason {
  const kind = typeof told === "object" && told !== null && "kind" in told ? told.kind : undefined;
  if (kinds.has(kind)) return told as ExitReason; // its kind is one of the four
  if (told instanceof Error) return { kind: "crash", detail: told };
  return {
    kind: "crash",
    detail: new TypeError("the child's `exited` did not resolve to an exit reason", { cause: told }),
  };
}

/** A promise of an exit that is settled once; the first reason wins. */
export interface ExitLatch {
  readonly exited: Promise<ExitReason>;
  readonly ended: ExitReason | undefined;
  /** Returns false when the end had been told before: a late result of a life that is over. */
  settle(reason: ExitReason): boolean;
}

/** Makes an {@link ExitLatch}: what a child of your own needs for its `exited`. */
export function exitLatch(): ExitLatch {
  return new Latch();
}

class Latch implements ExitLatch {
  readonly exited: Promise<ExitReason>;
  ended: ExitReason | undefined;
  #resolve: (reason: ExitReason) => void = ignore;

  constructor() {
    this.exited = new Promise((resolve) => (this.#resolve = resolve));
  }

  settle(reason: ExitReason): boolean {
    if (this.ended !== undefined) return false;
    this.ended = reason;
    this.#resolve(reason);
    return true;
  }
}

function ignore(): void {}
