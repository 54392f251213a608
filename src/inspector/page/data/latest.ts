/**
 * Keeps only the newest question. While someone scrubs, questions come with every frame: at most one a frame is asked, one
 * at a time is under way, and one that is no longer wanted and takes long is aborted for the newest.
 */

/** What `Latest` is told and tells. */
export interface LatestOptions<Answer> {
  readonly load: (key: string, signal: AbortSignal) => Promise<Answer>;
  readonly onAnswer: (key: string, answer: Answer) => void;
  readonly onFault: (key: string, error: unknown) => void;
  /** Runs a function with the next frame. */
  readonly nextFrame: (run: () => void) => void;
  readonly now: () => number;
  /** How long a stale question may still be answered before it is aborted. */
  readonly patienceMs: number;
}

/** The newest question of one asker. */
export class Latest<Answer> {
  readonly #options: LatestOptions<Answer>;
  #wanted: string | null = null;
  #running: { readonly key: string; readonly since: number; readonly abort: AbortController } | null = null;
  #answered: string | null = null;
  #isScheduled = false;

  constructor(options: LatestOptions<Answer>) {
    this.#options = options;
  }

  /** Asks for this and nothing else from now on. `null`: for nothing. */
  want(key: string | null): void {
    this.#wanted = key;
    if (key === null) {
      this.#answered = null;
      this.#stop();
      return;
    }
    this.#schedule();
  }

  /** Asks again although it was answered. */
  again(): void {
    this.#answered = null;
    if (this.#wanted !== null) this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.nextFrame(() => {
      this.#isScheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    const key = this.#wanted;
    if (key === null || key === this.#answered || key === this.#running?.key) return;
    if (this.#running !== null) {
      const age = this.#options.now() - this.#running.since;
      if (age < this.#options.patienceMs) {
        this.#schedule();
        return;
      }
      this.#stop();
    }
    void this.#run(key);
  }

  async #run(key: string): Promise<void> {
    const abort = new AbortController();
    const running = { key, since: this.#options.now(), abort };
    this.#running = running;
    try {
      const answer = await this.#options.load(key, abort.signal);
      if (this.#running !== running) return;
      this.#answered = key;
      this.#options.onAnswer(key, answer);
    } catch (error) {
      if (this.#running !== running) return;
      this.#answered = key;
      this.#options.onFault(key, error);
    } finally {
      if (this.#running === running) this.#running = null;
      this.#begin();
    }
  }

  #stop(): void {
    const running = this.#running;
    this.#running = null;
    running?.abort.abort();
  }
}
