/** What was used last, up to a size: the rest is let go. */

interface Held<Value> {
  readonly value: Value;
  readonly size: number;
}

/** A cache by key. */
export class RecentlyUsed<Key, Value> {
  readonly #held = new Map<Key, Held<Value>>();
  readonly #limit: number;
  #size = 0;

  /** @param limit - of the sizes together; the newest entry stays whatever its size */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, held);
    return held.value;
  }

  set(key: Key, value: Value, size: number): void {
    this.delete(key);
    this.#held.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#held.keys()) {
      if (this.#size <= this.#limit || this.#held.size === 1) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.#size -= this.#held.get(key)?.size ?? 0;
    this.#held.delete(key);
  }

  *entries(): Generator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#held) yield [key, value];
  }
}
