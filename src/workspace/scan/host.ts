/** Where the work of a scanner is done: in a thread, or for tests in the calling one. */
import { ScanEngine, type EngineOptions } from "./engine.ts";
import type { ScanOutcome } from "./types.ts";

/** The work of an engine, from afar. Every promise rejects when the place where it is done has ended. */
export interface ScanHost {
  open(named: string, marker: string): Promise<number>;
  recover(marker: string): Promise<number | null>;
  close(window: number): Promise<ScanOutcome>;
  discard(window: number): Promise<void>;
  bytes(sha256: string): Promise<Uint8Array | null>;
  shutDown(): Promise<void>;
  /** Whether it has ended; another takes its place then. */
  readonly isOver: boolean;
}

/** An engine in this thread. */
export function inProcessHost(options: EngineOptions): ScanHost {
  const engine = new ScanEngine(options);
  let isOver = false;
  return {
    open: async (named, marker) => engine.open(named, marker),
    recover: async (marker) => engine.recover(marker),
    close: async (window) => engine.close(window),
    discard: async (window) => engine.discard(window),
    bytes: async (sha256) => engine.bytes(sha256),
    shutDown: async () => {
      isOver = true;
      engine.shutDown();
    },
    get isOver() {
      return isOver;
    },
  };
}
