/** How hard a model thinks, in the words of each provider. docs/reference/models.md, "Thinking" */
import type { ThinkingLevel } from "../../events/index.ts";

/** Provider options of a request, by the provider's name. */
type ProviderOptions = Readonly<Record<string, Readonly<Record<string, Effort | Thinking>>>>;

type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
type Thinking =
  | { readonly type: "disabled" | "adaptive" }
  | { readonly type: "enabled"; readonly budgetTokens: number };

/** Tokens that Anthropic's models may think with; 1,024 is the least that they take. */
const BUDGETS: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
};

/** Anthropic's models that refuse a budget: they decide by themselves how much, and are told an effort. */
const WITHOUT_BUDGET = /claude-(?:[a-z]+-5-5|fable-5)/;

/** From the least to the most. */
const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/**
 * The options that stand for a level.
 *
 * @param provider - as the AI SDK's model calls it, such as `anthropic.messages` or `openai.responses`
 */
export function thinkingOptions(provider: string, modelId: string, level: ThinkingLevel): ProviderOptions {
  if (provider.startsWith("anthropic")) return { anthropic: anthropicThinking(modelId, level) };
  const effort = level === "off" ? "none" : level;
  // A server that is asked through OpenAI's protocol calls its models as it likes: it is told the word as it is.
  if (!/^openai\.(?:responses|chat|completion)$/.test(provider))
    return { openaiCompatible: { reasoningEffort: effort } };
  return { openai: { reasoningEffort: nearest(effort, effortsOf(modelId)) } };
}

function anthropicThinking(
  modelId: string,
  level: ThinkingLevel,
): Readonly<Record<string, Effort | Thinking>> {
  if (level === "off") return { thinking: { type: "disabled" } };
  if (WITHOUT_BUDGET.test(modelId))
    return { thinking: { type: "adaptive" }, effort: level === "minimal" ? "low" : level };
  return { thinking: { type: "enabled", budgetTokens: BUDGETS[level] } };
}

/** What OpenAI's own models take; a word that a model does not know is refused with the whole request. */
function effortsOf(modelId: string): readonly Effort[] {
  if (/^o\d/.test(modelId)) return ["low", "medium", "high"];
  const gpt = /^gpt-(\d+)(?:\.(\d+))?/.exec(modelId);
  if (gpt === null) return EFFORTS;
  const [major, minor] = [Number(gpt[1]), Number(gpt[2] ?? 0)];
  if (major > 5) return ["low", "medium", "high", "xhigh"];
  if (minor === 0) return ["minimal", "low", "medium", "high"];
  return minor === 1 ? ["none", "low", "medium", "high"] : ["none", "low", "medium", "high", "xhigh"];
}

/** The wanted effort, or the next one that there is: more rather than less, but never more than the most. */
function nearest(wanted: Effort, known: readonly Effort[]): Effort {
  const rank = EFFORTS.indexOf(wanted);
  return known.find((effort) => EFFORTS.indexOf(effort) >= rank) ?? known.at(-1) ?? wanted;
}
