/**
 * Which calls change files at the same time in the same place. What a look at the workspace before and after a call
 * finds may be another's doing; each then says so of the other. docs/reference/receipts.md, "Overlapping calls"
 */
import { relative, sep, isAbsolute } from "node:path";

/** The time in which a call may change files. */
export interface CallWindow {
  /** Calls that were at work in the same place meanwhile, each once. */
  readonly overlapping: ReadonlySet<string>;
  /** It is over. */
  end(): void;
}

interface OpenWindow {
  readonly callId: string;
  readonly places: readonly string[];
  readonly overlapping: Set<string>;
}

/** The windows of a runtime. */
export class CallWindows {
  readonly #open = new Set<OpenWindow>();

  /** @param places - real paths of files, and of folders with all that is below them */
  begin(callId: string, places: readonly string[]): CallWindow {
    const window: OpenWindow = { callId, places, overlapping: new Set() };
    for (const other of this.#open) {
      if (other.callId === callId || !meet(places, other.places)) continue;
      other.overlapping.add(callId);
      window.overlapping.add(other.callId);
    }
    this.#open.add(window);
    return { overlapping: window.overlapping, end: () => void this.#open.delete(window) };
  }
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => holds(one, other) || holds(other, one)));
}

function holds(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
