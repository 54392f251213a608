import type { Child } from "./child.ts";
import { SupervisorError } from "./errors.ts";

/**
 * Names of living children: each belongs to one at a time.
 *
 * A supervisor that is started with a name holds it from before its first child starts until after its last child has
 * ended, and gives it back before anybody hears of its end or of its failed start, so an immediate retry finds it free.
 */
export class Registry {
  readonly #holders = new Map<string, Child>();

  /**
   * Takes a name for a child until {@link Registry.release}.
   *
   * @throws SupervisorError `already_started` with the `child` that holds it (code `LEMON_ALREADY_STARTED`)
   */
  register(name: string, child: Child): void {
    const holder = this.#holders.get(name);
    if (holder !== undefined) {
      throw new SupervisorError("already_started", `the name ${JSON.stringify(name)} is taken`, {
        field: "name",
        child: holder,
      });
    }
    this.#holders.set(name, child);
  }

  /** Gives a name back. Ignored when somebody else holds it by now. */
  release(name: string, child: Child): void {
    if (this.#holders.get(name) === child) this.#holders.delete(name);
  }

  /** Who holds a name. */
  whereIs(name: string): Child | undefined {
    return this.#holders.get(name);
  }

  /** The names that are held, oldest first. */
  names(): string[] {
    return [...this.#holders.keys()];
  }
}
