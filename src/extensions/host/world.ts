/** What the workers of a runtime's extensions share. */
import type { Clock, Logger } from "../../ports.ts";
import type { Supervisor } from "../../supervision/index.ts";
import type { HostEvents, Zombie } from "../port.ts";
import { EvaluationQueue } from "./evaluation-queue.ts";
import { MemoryWatch } from "./memory-watch.ts";

/** What a world is made of. */
export interface HostWorldOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A worker gets a copy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where bundled code is kept; absolute. */
  readonly cacheDir: string;
  /** A dynamic supervisor, on the same clock: the supervisor of each extension is its child. */
  readonly supervisor: Supervisor;
  /** Growth of the process in MiB at which a worker is ended. Default 512. */
  readonly memoryLimitMib?: number;
  readonly events: HostEvents;
}

/** One for each runtime. */
export interface HostWorld extends HostWorldOptions {
  readonly watch: MemoryWatch;
  readonly evaluations: EvaluationQueue;
  /** An extension that {@link HostWorld.close} ends. @returns forgets it */
  enter(extension: { end(now: boolean): Promise<void> }): () => void;
  /** A thread was told to end; `gone` resolves when it has. */
  leaving(module: string, gone: Promise<void>): void;
  /** Threads that were told to end and have not: they are inside native calls. */
  zombies(): readonly Zombie[];
  /** Ends every extension and waits for the threads, at most 2,000 ms. Resolves to those that are left. */
  close(): Promise<readonly Zombie[]>;
}

const closeMs = 2000;
const defaultMemoryLimitMib = 512;

/** Makes the one {@link HostWorld} of a runtime. */
export function createHostWorld(options: HostWorldOptions): HostWorld {
  const { clock, memoryLimitMib: limitMib = defaultMemoryLimitMib } = options;
  const extensions = new Set<{ end(now: boolean): Promise<void> }>();
  const leaving = new Map<Promise<void>, Zombie>();
  const zombies = (): readonly Zombie[] => [...leaving.values()];
  return {
    ...options,
    watch: new MemoryWatch({ clock, limitMib }),
    evaluations: new EvaluationQueue(clock),
    enter: (extension) => {
      extensions.add(extension);
      return () => extensions.delete(extension);
    },
    leaving: (module, gone) => {
      leaving.set(gone, { module, since: clock.now() });
      void gone.then(() => leaving.delete(gone)); // never rejects
    },
    zombies,
    close: async () => {
      await Promise.all([...extensions].map((extension) => extension.end(true)));
      await within(closeMs, clock, Promise.all(leaving.keys()));
      return zombies();
    },
  };
}

function within(limitMs: number, clock: Clock, done: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(limitMs, resolve);
    void done.then(() => {
      cancel();
      resolve();
    }); // never rejects
  });
}
