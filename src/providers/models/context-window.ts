/** How many tokens a model has room for. docs/reference/models.md, "Context windows" */
import type { Model } from "./port.ts";

/**
 * By provider, where nobody says more. The smallest that the models of now have, so that a guess errs on the side that
 * costs a summary and no refusal.
 */
const BY_PROVIDER: Readonly<Record<string, number>> = { anthropic: 200_000, openai: 128_000 };

/** Of all others: what most models that are served elsewhere have by now. */
const OTHERS = 128_000;

/**
 * The room of a model, its answer included.
 *
 * @param configured - `[models.NAME]` of the configuration; NAME is the provider's, or a whole reference, which wins
 */
export function contextWindowOf(
  model: Pick<Model, "ref" | "contextWindow">,
  configured: Readonly<Record<string, { readonly contextWindow?: number | null }>>,
): number {
  const slash = model.ref.indexOf("/");
  const provider = slash < 0 ? model.ref : model.ref.slice(0, slash);
  const told = (name: string): number | null =>
    Object.hasOwn(configured, name) ? (configured[name]?.contextWindow ?? null) : null;
  const known = Object.hasOwn(BY_PROVIDER, provider) ? BY_PROVIDER[provider] : undefined;
  return told(model.ref) ?? told(provider) ?? model.contextWindow ?? known ?? OTHERS;
}
