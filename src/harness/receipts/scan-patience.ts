/**
 * When to leave a workspace unscanned: one that is too large to be looked at in time, such as `/` or a home folder, would
 * hold up every call by two scans, for little.
 */

/** So many calls in a row whose scans ran out of time … */
const SLOW_CALLS = 2;
/** … and so many after them are not scanned. Then it is tried again. */
const SPARED_CALLS = 20;

interface Pace {
  readonly slow: number;
  readonly spared: number;
}

/** What is known of the workspaces of a runtime. */
export class ScanPatience {
  readonly #paces = new Map<string, Pace>();

  /** Whether the next call there is spared the scan. Counts it. */
  spares(root: string): boolean {
    const pace = this.#paces.get(root);
    if (pace === undefined || pace.slow < SLOW_CALLS) return false;
    if (pace.spared < SPARED_CALLS) this.#paces.set(root, { ...pace, spared: pace.spared + 1 });
    // One more slow call is then enough.
    else this.#paces.set(root, { slow: SLOW_CALLS - 1, spared: 0 });
    return pace.spared < SPARED_CALLS;
  }

  /** A call there was scanned. @param isSlow - the time did not suffice */
  note(root: string, isSlow: boolean): void {
    const { slow = 0 } = this.#paces.get(root) ?? {};
    if (isSlow) this.#paces.set(root, { slow: slow + 1, spared: 0 });
    else this.#paces.delete(root);
  }
}
