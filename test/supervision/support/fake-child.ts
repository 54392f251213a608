import { type Child, exitLatch, type ExitReason } from "../../../src/supervision/index.ts";

/** A child whose every act the test decides. */
export interface FakeChild extends Child {
  /** Ends with this reason. */
  exit(reason: ExitReason): void;
  crash(message?: string): void;
  readonly wasAsked: boolean;
  readonly wasKilled: boolean;
}

/** @param manners - `stubborn`: does not answer a request to shut down; `undead`: not even a kill */
export function fakeChild(manners: "polite" | "stubborn" | "undead" = "polite"): FakeChild {
  const latch = exitLatch();
  let wasAsked = false;
  let wasKilled = false;
  return {
    exited: latch.exited,
    exit: (reason) => void latch.settle(reason),
    crash: (message = "boom") => void latch.settle({ kind: "crash", detail: new Error(message) }),
    shutdown() {
      wasAsked = true;
      if (manners === "polite") latch.settle({ kind: "shutdown" });
    },
    kill() {
      wasKilled = true;
      if (manners !== "undead") latch.settle({ kind: "killed" });
    },
    get wasAsked() {
      return wasAsked;
    },
    get wasKilled() {
      return wasKilled;
    },
  };
}

/** A start function that keeps every child it has made, the latest last. */
export interface Maker {
  readonly start: (...args: unknown[]) => FakeChild;
  readonly made: FakeChild[];
  readonly latest: FakeChild;
}

/** @param plan - thrown by the start with that number, counted from 1 */
export function maker(
  plan: {
    readonly failAt?: (start: number) => boolean;
    readonly manners?: "polite" | "stubborn" | "undead";
  } = {},
): Maker {
  const made: FakeChild[] = [];
  let starts = 0;
  return {
    made,
    start() {
      starts += 1;
      if (plan.failAt?.(starts) === true) throw new Error(`start ${starts} fails`);
      const child = fakeChild(plan.manners);
      made.push(child);
      return child;
    },
    get latest() {
      const child = made.at(-1);
      if (child === undefined) throw new Error("nothing was started");
      return child;
    },
  };
}

/** Lets everything happen that needs neither time nor I/O: promises settle, queued operations run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
