/** XState actors as children. The only file of this room that loads XState. */
import type * as XState from "xstate";
import type {
  Actor,
  ActorLogic,
  ActorOptions,
  AnyActorLogic,
  AnyEventObject,
  EventFromLogic,
  InputFrom,
  Snapshot,
} from "xstate";
import type { Clock } from "../ports.ts";
import { currentInstance, runAs } from "./attribution.ts";
import type { Callable, Reply } from "./call.ts";
import { type Child, exitLatch } from "./child.ts";
import { Mailbox, type MailboxOptions } from "./mailbox.ts";

/** How an actor is started and reached. */
export interface ActorChildOptions<L extends AnyActorLogic> {
  readonly input?: InputFrom<L>;
  readonly mailbox?: MailboxOptions;
  /** Times the actor's `after` transitions. Default: XState's own timers. */
  readonly clock?: Clock;
  /** Sent when the child is asked to shut down; the actor then ends by itself. Default: the actor is stopped at once. */
  readonly shutdownEvent?: EventFromLogic<L>;
}

/** A root XState actor owned by a supervisor. */
export interface ActorChild<L extends AnyActorLogic = AnyActorLogic> extends Child, Callable {
  readonly actor: Actor<L>;
  readonly mailboxLength: number;
  /** Messages that the mailbox policy `drop_oldest` has dropped. */
  readonly dropped: number;
  /**
   * Sends an event through the bounded mailbox; the actor takes it after the caller's turn. To an actor that has ended it
   * goes nowhere, as a cast does in OTP.
   *
   * @returns a promise only under the policy `wait` without room
   * @throws MailboxFullError under the policy `reject` without room (code `LEMON_MAILBOX_FULL`)
   */
  send(event: EventFromLogic<L>): Promise<void> | undefined;
}

let loading: Promise<typeof XState> | undefined;
const loadXState = (): Promise<typeof XState> => (loading ??= import("xstate"));

/**
 * Starts an actor of any XState v5 logic as a root actor and makes it a {@link Child}.
 *
 * It ends `normal` when the logic is done, `crash` when it throws, `shutdown` when it was asked to. It is always a root
 * actor: `spawn` under one parent is quadratic in the number of siblings, and a failing parent leaves its children running.
 *
 * @throws what the logic throws while it starts
 * @example
 * ```ts
 * { id: "counter", start: () => actorChild(counterMachine, { input: { from: 0 } }) }
 * ```
 */
export async function actorChild<L extends AnyActorLogic>(
  logic: L,
  options: ActorChildOptions<L> = {},
): Promise<ActorChild<L>> {
  const { createActor } = await loadXState();
  const actor = createActor(spareReducers(logic), actorOptions(options));
  const owner = currentInstance();
  const latch = exitLatch();
  let isStopping = false;
  const mailbox = new Mailbox<EventFromLogic<L>>(options.mailbox ?? {}, (take) => {
    runAs(owner, () => {
      for (let event = take(); event !== undefined; event = take()) actor.send(event);
    });
  });
  // Without an error observer XState raises the error as an uncaught exception and the process dies.
  actor.subscribe({
    error(error: unknown) {
      mailbox.close();
      latch.settle({ kind: "crash", detail: error });
    },
    complete() {
      if (isStopping) return; // `stop` completes too, and has its own reason
      mailbox.close();
      latch.settle({ kind: "normal" });
    },
  });
  actor.start();
  if (latch.ended?.kind === "crash") throw latch.ended.detail; // the logic threw for its initial state

  const stop = (kind: "shutdown" | "killed", detail?: unknown): void => {
    if (latch.ended !== undefined) return;
    isStopping = true;
    mailbox.close();
    actor.stop();
    latch.settle(detail === undefined ? { kind } : { kind, detail });
  };
  return {
    exited: latch.exited,
    actor,
    get mailboxLength() {
      return mailbox.length;
    },
    get dropped() {
      return mailbox.dropped;
    },
    send: (event) => mailbox.send(event),
    // A logic that takes calls declares `reply` in its event; the type of its events can't be checked from here.
    deliverCall: (request: object, reply: Reply) =>
      mailbox.send({ ...request, reply } as unknown as EventFromLogic<L>),
    shutdown(reason) {
      if (options.shutdownEvent === undefined) stop("shutdown", reason.detail);
      else return mailbox.send(options.shutdownEvent);
      return undefined;
    },
    kill: () => stop("killed"),
  };
}

function actorOptions<L extends AnyActorLogic>({ input, clock }: ActorChildOptions<L>): ActorOptions<L> {
  const given = {
    ...(input === undefined ? {} : { input }),
    ...(clock === undefined ? {} : { clock: xstateClock(clock) }),
  };
  return given;
}

/**
 * XState passes its own `xstate.stop` to the reducer of `fromTransition`, which knows nothing of it: it may throw, and an
 * orderly stop would look like a crash. Such a logic is a plain object, and its snapshot has neither input nor machine.
 */
function spareReducers<L extends AnyActorLogic>(logic: L): L {
  if (Object.getPrototypeOf(logic) !== Object.prototype) return logic; // a machine is a class
  const plain: ActorLogic<Snapshot<unknown>, AnyEventObject> = logic;
  const transition: typeof plain.transition = (snapshot, event, scope) =>
    event.type === "xstate.stop" && isReducerSnapshot(snapshot)
      ? snapshot
      : plain.transition(snapshot, event, scope);
  return { ...logic, transition };
}

function isReducerSnapshot(snapshot: object): boolean {
  return "context" in snapshot && !("input" in snapshot) && !("machine" in snapshot);
}

/** XState's clock over ours: it keeps whatever `setTimeout` returned and hands it back. */
function xstateClock(clock: Clock): NonNullable<ActorOptions<AnyActorLogic>["clock"]> {
  return {
    setTimeout: (fire, delayMs) => clock.setTimer(delayMs, () => fire()),
    clearTimeout: (cancel: (() => void) | undefined) => cancel?.(),
  };
}
