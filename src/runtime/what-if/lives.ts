/**
 * When the extensions of a stored session were started: at its start, at each resume, and at a reload. Its status reports
 * tell. docs/reference/what-if.md, "Lives"
 */
import type { FactOf, KnownFact } from "../../events/index.ts";
import type { ExtensionStatusReport } from "../../projections/index.ts";
import type { RecordedReload } from "./recorded.ts";

/** What a fact means for the extensions. `started`: of the session; then they are told of it. */
export type LifeEvent =
  | { readonly is: "started"; readonly isFresh: boolean }
  | { readonly is: "reloaded" }
  | { readonly is: "shut_down"; readonly reason: string };

/** Follows a session. */
export class Lives {
  readonly #reloads: readonly RecordedReload[];
  #isRunning = false;
  #loadedAt: number | null = null;

  constructor(reloads: readonly RecordedReload[]) {
    this.#reloads = reloads;
  }

  /** @param isReloading - a call that reloads extensions runs */
  take(fact: KnownFact, isReloading: boolean): LifeEvent | null {
    switch (fact.type) {
      case "extension_status_report.published":
        return this.#report(fact, isReloading);
      case "session.shut_down":
        this.#isRunning = false;
        return { is: "shut_down", reason: fact.data.reason };
      case "prompt.submitted":
        if (this.#isRunning) return null;
        this.#isRunning = true;
        return { is: "started", isFresh: true };
      default:
        return null;
    }
  }

  #report(fact: FactOf<"extension_status_report.published">, isReloading: boolean): LifeEvent | null {
    const { loadedAt = null } = fact.data.report as Partial<ExtensionStatusReport>;
    const isFresh = loadedAt !== this.#loadedAt;
    const wasRunning = this.#isRunning;
    this.#loadedAt = loadedAt;
    this.#isRunning = true;
    if (!wasRunning) return { is: "started", isFresh };
    // Such a report says that an extension was quarantined.
    if (!isFresh) return null;
    const isReload = this.#reloads.some(
      ({ position, loadedAt: at }) => position < fact.position && at === loadedAt,
    );
    return isReload || isReloading ? { is: "reloaded" } : { is: "started", isFresh };
  }
}
