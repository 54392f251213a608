import type { Clock } from "../ports.ts";

interface Group {
  readonly fires: Set<() => void>;
  cancel: () => void;
}

/**
 * A clock on which timers of one length that are set in the same turn share one timer of `clock`: a supervisor that asks
 * 100,000 children to stop arms one deadline, not 100,000. They fire in the order in which they were set.
 */
export function sharedTimers(clock: Clock): Clock {
  const groups = new Map<number, Group>();
  const open = (delayMs: number): Group => {
    const fires = new Set<() => void>();
    const cancel = clock.setTimer(delayMs, () => {
      for (const fire of fires) fire();
    });
    const group = { fires, cancel };
    groups.set(delayMs, group);
    queueMicrotask(() => groups.delete(delayMs)); // what is set later is due later
    return group;
  };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer(delayMs, fire) {
      const group = groups.get(delayMs) ?? open(delayMs);
      const own = (): void => fire(); // the same function may be set twice
      group.fires.add(own);
      return () => {
        if (group.fires.delete(own) && group.fires.size === 0) {
          group.cancel();
          if (groups.get(delayMs) === group) groups.delete(delayMs); // a timer that is cancelled takes no one more
        }
      };
    },
  };
}
