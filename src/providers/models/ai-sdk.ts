/** Any language model of the AI SDK behind the port. Imports nothing of the SDK but types. */
import type { LanguageModelV2, LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { promptOf, toolsOf } from "./ai-sdk-prompt.ts";
import type { Model, ModelContext, ModelRequestOptions, ProviderMetadata } from "./port.ts";
import { readAnswer } from "./read-answer.ts";
import { thinkingOptions } from "./thinking.ts";

/** A language model object of the AI SDK, specification version 2 or 3. */
export type LanguageModel = LanguageModelV3 | LanguageModelV2;

const EPHEMERAL: ProviderMetadata = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * A model that asks through `doStream`, which neither retries nor runs tools.
 *
 * @param ref - how the model is called, `<provider>/<model id>`
 * @param load - called for each request, so that a provider's code is loaded by the first one and a key that is set
 * later is found; what it throws becomes a failure
 */
export function languageModel(ref: string, load: () => LanguageModel | Promise<LanguageModel>): Model {
  return {
    ref,
    request: (context, options) => {
      const modelId = ref.slice(ref.indexOf("/") + 1);
      const { signal, onDelta, clock } = options;
      const open = async (): Promise<unknown> => {
        const model = await load();
        // The two versions differ in parts that are not used here, and in their types throughout.
        const { stream } = await (model as LanguageModelV3).doStream(callOptionsOf(model, context, options));
        return stream;
      };
      return readAnswer(open, { modelId, signal, onDelta, clock });
    },
  };
}

function callOptionsOf(
  model: LanguageModel,
  context: ModelContext,
  options: ModelRequestOptions,
): LanguageModelV3CallOptions {
  const isAnthropic = model.provider.startsWith("anthropic");
  const isResponses = model.provider === "openai.responses";
  const prompt = promptOf(context, {
    imagesInResults: model.specificationVersion === "v3" && (isAnthropic || isResponses),
    ...(isAnthropic ? { cacheMark: EPHEMERAL } : {}),
  });
  const tools = toolsOf(context);
  const { maxOutputTokens, temperature, thinkingLevel } = options;
  const thinking =
    thinkingLevel === undefined ? {} : thinkingOptions(model.provider, model.modelId, thinkingLevel);
  // The log is the only memory of a session: forks and resumed sessions must not depend on what a server kept.
  const kept = isResponses ? { openai: { ...thinking["openai"], store: false } } : {};
  return {
    prompt,
    abortSignal: options.signal,
    ...(tools === undefined ? {} : { tools, toolChoice: { type: "auto" } }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(isResponses || thinkingLevel !== undefined ? { providerOptions: { ...thinking, ...kept } } : {}),
  };
}
