/** The calls that are inside an extension of this process, and its end. */

/** Counts calls in and out. */
export class Life {
  readonly #cuts = new Set<() => void>();
  readonly #waiting: (() => void)[] = [];
  #hasEnded = false;

  /** Whether new calls are refused. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * A call goes in.
   *
   * @param cut - settles the call at once, whatever the author's code still does
   * @returns to be called when it has settled; a second time does nothing
   */
  enter(cut: () => void): () => void {
    // Its own function: one `cut` may stand for several calls.
    const entry = (): void => cut();
    this.#cuts.add(entry);
    return () => {
      this.#cuts.delete(entry);
      if (this.#cuts.size === 0) for (const go of this.#waiting.splice(0)) go();
    };
  }

  /** Refuses new calls. Resolves when those inside have settled; with `now` they are settled here. */
  async end(now: boolean): Promise<void> {
    this.#hasEnded = true;
    if (now) for (const cut of this.#cuts) cut();
    if (this.#cuts.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Why a call was refused or cut. */
export const unloaded = "its extension has been unloaded";
