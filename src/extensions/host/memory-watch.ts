/**
 * V8 aborts the whole process when a worker's heap limit is reached by a growing `Map`, set or array, so that limit is
 * set out of reach and the process's own size is watched instead. docs/reference/extensions.md, "Workers"
 */
import type { Clock } from "../../ports.ts";

/** A worker, as the watch sees it. */
export interface Watched {
  /** An evaluation, hook or call is under way. */
  readonly isBusy: boolean;
  /** What the worker last said of itself. */
  readonly reportedKib: number;
  /** Heap and external memory in bytes, where this Node can tell them from outside. */
  heapBytes?(): Promise<number>;
  ping(limitMs: number): Promise<boolean>;
  endForMemory(grownMib: number): void;
}

/** How often the size is read while something is under way, and else; and how long a suspect has to answer. */
const busyMs = 50;
const idleMs = 1000;
const pingMs = 50;
const mib = 1024 * 1024;

/** What a watch needs. */
export interface MemoryWatchOptions {
  readonly clock: Clock;
  /** Growth that is too much, in MiB. */
  readonly limitMib: number;
  /** Resident size of this process in bytes. */
  readonly residentBytes?: () => number;
}

/** Watches the process's size while workers are there, and ends the worker that most likely made it grow. */
export class MemoryWatch {
  readonly #clock: Clock;
  readonly #limitBytes: number;
  readonly #residentBytes: () => number;
  readonly #workers = new Set<Watched>();
  #lowest = Infinity;
  #cancel: (() => void) | undefined;
  #armedFor = 0;
  #isJudging = false;

  constructor({ clock, limitMib, residentBytes = () => process.memoryUsage.rss() }: MemoryWatchOptions) {
    this.#clock = clock;
    this.#limitBytes = limitMib * mib;
    this.#residentBytes = residentBytes;
  }

  /** A worker was started: growth counts from here. */
  add(worker: Watched): void {
    this.#workers.add(worker);
    this.#lowest = this.#residentBytes();
    this.busy();
  }

  /** A worker has ended: growth counts from here. */
  remove(worker: Watched): void {
    if (!this.#workers.delete(worker)) return;
    this.#lowest = this.#residentBytes();
    if (this.#workers.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Something is under way in a worker: the next look is soon. */
  busy(): void {
    if (this.#cancel !== undefined && this.#armedFor === busyMs) return;
    this.#arm(busyMs);
  }

  #arm(delayMs: number): void {
    this.#cancel?.();
    this.#armedFor = delayMs;
    this.#cancel = this.#clock.setTimer(
      delayMs,
      () => {
        this.#cancel = undefined;
        this.#look();
        if (this.#workers.size > 0) this.#arm(this.#isAnyBusy() ? busyMs : idleMs);
      },
      true,
    );
  }

  #isAnyBusy(): boolean {
    for (const worker of this.#workers) if (worker.isBusy) return true;
    return false;
  }

  #look(): void {
    const bytes = this.#residentBytes();
    this.#lowest = Math.min(this.#lowest, bytes);
    const grown = bytes - this.#lowest;
    if (grown <= this.#limitBytes || this.#isJudging) return;
    this.#isJudging = true;
    void this.#suspect()
      .then((suspect) => suspect?.endForMemory(Math.round(grown / mib)))
      .finally(() => (this.#isJudging = false)); // `suspect` never rejects
  }

  /** The one with the most memory, the busy one that does not answer, or the one that last reported the most. */
  async #suspect(): Promise<Watched | undefined> {
    const workers = [...this.#workers];
    const measured = await Promise.all(workers.map(measure));
    if (measured.some((bytes) => bytes !== undefined)) return largest(workers, measured);
    const answered = await Promise.all(workers.map(async (worker) => !worker.isBusy || worker.ping(pingMs)));
    const silent = workers.filter((_, index) => answered[index] === false);
    const among = silent.length > 0 ? silent : workers;
    return largest(
      among,
      among.map(({ reportedKib }) => reportedKib),
    );
  }
}

async function measure(worker: Watched): Promise<number | undefined> {
  try {
    return await worker.heapBytes?.();
  } catch {
    return undefined; // it has just ended
  }
}

function largest(workers: readonly Watched[], sizes: readonly (number | undefined)[]): Watched | undefined {
  let found: Watched | undefined;
  let size = -1;
  workers.forEach((worker, index) => {
    const own = sizes[index] ?? 0;
    if (own > size) [found, size] = [worker, own];
  });
  return found;
}
