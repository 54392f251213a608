/**
 * The decisions whose outcome is awaited, as long as this process may need them: an outcome that cannot be taken is
 * replaced by the error of its slot, and the effect that makes that error wants the decision.
 */
import { catalogue, type Fact } from "../events/index.ts";
import type { EffectRunner } from "./effect-runner.ts";
import type { Envelope } from "./mailbox.ts";

/** Open decisions of one stream, by version. */
export class OpenDecisions {
  readonly #facts = new Map<number, Fact>();

  add(fact: Fact): void {
    this.#facts.set(fact.version, fact);
  }

  /** Forgets those that are settled. */
  keepOnly(open: ReadonlySet<number>): void {
    for (const version of this.#facts.keys()) if (!open.has(version)) this.#facts.delete(version);
  }

  /**
   * What takes the place of an outcome that an actor crashed on or that cannot be recorded; `null` when its sender
   * has to be told instead: it is a caller's, it only belongs to a slot, or it is such a replacement itself.
   */
  replacementOf(envelope: Envelope, error: unknown, runner: EffectRunner): Envelope | null {
    const { input, substitute } = envelope;
    const { belongsTo, mayBelongTo } = catalogue[input.type];
    if (input.causation === null || substitute || (belongsTo ?? mayBelongTo) !== undefined) return null;
    const cause = this.#facts.get(input.causation);
    const effect = cause === undefined ? undefined : runner.effectOf(cause.type);
    if (cause === undefined || effect === undefined) return null;
    const { type, data } = effect.failed(cause as Parameters<typeof effect.failed>[0], error);
    return { ...envelope, input: { ...input, type, data }, substitute: true };
  }
}
