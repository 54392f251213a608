/**
 * Inputs as they were before their secrets were hidden, while calls that need the real values are open. Only memory
 * holds them: after a restart such a call is interrupted instead of run with masked arguments.
 */
import type { Fact } from "../events/index.ts";
import type { Unit } from "./unit.ts";

/** Real data of masked inputs, by version. */
export class Unmasked {
  readonly #data = new Map<number, unknown>();

  /** `null` when nothing of the input was hidden, or it was taken by another process. */
  get(version: number): unknown {
    return this.#data.get(version) ?? null;
  }

  /** A unit is durable: keeps what it hid, and forgets what no open call can need any more. */
  take(unit: Unit, recorded: readonly Fact[]): void {
    for (const { verdict } of unit.verdicts) {
      if (verdict.kind === "taken" && verdict.unmasked !== null)
        this.#data.set(verdict.version, verdict.unmasked);
    }
    for (const { type, version } of recorded) {
      if (type !== "model.responded" && type !== "agent.ended") continue;
      for (const held of this.#data.keys()) if (held < version) this.#data.delete(held);
    }
  }
}
