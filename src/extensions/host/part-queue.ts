/** Parts that arrive by themselves and are read one after the other. */

/** An async iterable for one reader. What had arrived before a failure is read before it. */
export class PartQueue implements AsyncIterableIterator<unknown> {
  readonly #parts: unknown[] = [];
  #first = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  readonly #onRead: () => void;
  readonly #onStop: () => void;

  /**
   * @param onRead - a part was taken
   * @param onStop - the reader wants no more
   */
  constructor(onRead: () => void, onStop: () => void) {
    this.#onRead = onRead;
    this.#onStop = onStop;
  }

  push(part: unknown): void {
    if (this.#end !== undefined) return;
    this.#parts.push(part);
    this.#wake?.();
  }

  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown, undefined>> {
    for (;;) {
      if (this.#first < this.#parts.length) {
        const value = this.#parts[this.#first];
        this.#first += 1;
        if (this.#first === this.#parts.length) this.#parts.length = this.#first = 0;
        this.#onRead();
        return { done: false, value };
      }
      const end = this.#end;
      if (end !== undefined) {
        this.#end = {}; // told once
        if ("error" in end) throw end.error as Error; // whatever the author threw
        return { done: true, value: undefined };
      }
      await new Promise<void>((wake) => (this.#wake = wake));
      this.#wake = undefined;
    }
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    const wasOver = this.#end !== undefined;
    this.#end = {};
    this.#parts.length = this.#first = 0;
    if (!wasOver) this.#onStop();
    this.#wake?.();
    return { done: true, value: undefined };
  }
}
