/** The shutdown protocol: ask, wait until the deadline, kill (stdlib `supervisor`, "shutdown"). */
import type { Clock } from "../ports.ts";
import type { ExitReason } from "./child.ts";
import type { Instance } from "./instance.ts";
import type { Shutdown } from "./spec.ts";

/** How long a killed child may take to say so before it is given up for dead, in milliseconds of the injected clock. */
const killGraceMs = 5000;

/**
 * Stops one life of a child and calls `done` once, when its end is known.
 *
 * Always ends, even for a child that breaks its contract: one that says nothing {@link killGraceMs} after its kill is
 * abandoned; its number fences out whatever it still does. Only `infinity` waits as long as the child likes.
 */
export function stopInstance(instance: Instance, shutdown: Shutdown, clock: Clock, done: () => void): void {
  if (instance.ended !== undefined) return done();
  instance.isStopping = true;
  let disarm: (() => void) | undefined;
  instance.whenEnded(() => {
    disarm?.();
    done();
  });
  const kill = (verdict?: ExitReason): void => {
    disarm?.();
    instance.kill(verdict);
    disarm = clock.setTimer(killGraceMs, () => {
      instance.conclude({ kind: "killed", detail: `no exit within ${killGraceMs} ms of its kill` });
    });
  };
  if (shutdown === "brutal_kill") return kill();
  if (shutdown !== "infinity") disarm = clock.setTimer(shutdown, kill);
  ask(instance, (error) => kill({ kind: "crash", detail: error }));
}

function ask(instance: Instance, failed: (error: unknown) => void): void {
  try {
    const asked = instance.child?.shutdown({ kind: "shutdown" });
    if (asked instanceof Promise) void asked.catch(failed); // handled by `failed`
  } catch (error) {
    failed(error);
  }
}
