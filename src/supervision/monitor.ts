import type { Child, ExitReason } from "./child.ts";

/** What a monitor is told, once. */
export interface Down {
  readonly child: Child;
  /** `{ kind: "crash", detail: "noproc" }` when the child had ended before it was monitored. */
  readonly reason: ExitReason;
}

/** The watchers of one child. One reaction on `exited` serves them all, so that watching and leaving again leaks nothing. */
interface Watch {
  readonly watchers: Set<(down: Down) => void>;
  state: "asked" | "alive" | "gone";
}

const watches = new WeakMap<Child, Watch>();

/** The reason that stands for a child that is not there: OTP's `noproc`. */
export const noproc: ExitReason = { kind: "crash", detail: "noproc" };

/**
 * Tells `notify` once when a child ends; with reason `noproc` when it had ended already (OTP `erlang:monitor/2`).
 *
 * Monitors are one-way and stack: each one gets its own message. It comes after the current turn, never inside this call.
 *
 * @returns a function that ends the monitor; afterwards nothing is told
 */
export function monitor(child: Child, notify: (down: Down) => void): () => void {
  const watch = watches.get(child) ?? startWatch(child);
  const watcher = (down: Down): void => notify(down); // one per monitor, even for the same function
  watch.watchers.add(watcher);
  if (watch.state === "gone") {
    queueMicrotask(() => watch.watchers.delete(watcher) && notify({ child, reason: noproc }));
  }
  return () => void watch.watchers.delete(watcher);
}

function startWatch(child: Child): Watch {
  const watch: Watch = { watchers: new Set(), state: "asked" };
  watches.set(child, watch);
  const end = (reason: ExitReason): void => {
    // An `exited` that had resolved before gets here ahead of the microtask below.
    const told = watch.state === "asked" ? noproc : reason;
    watch.state = "gone";
    const watchers = [...watch.watchers];
    watch.watchers.clear();
    for (const watcher of watchers) watcher({ child, reason: told });
  };
  child.exited.then(end, (error: unknown) => end({ kind: "crash", detail: error }));
  queueMicrotask(() => {
    if (watch.state === "asked") watch.state = "alive";
  });
  return watch;
}
