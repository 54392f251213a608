/** Models that an extension brings along. */
import type { ThinkingLevel } from "../../events/index.ts";
import type { Model, ModelContext } from "./port.ts";
import { readAnswer } from "./read-answer.ts";

/** What a provider is told besides the context. */
export interface ModelProviderOptions {
  /** Fires when the request is aborted, and when nobody reads the stream any more. */
  readonly signal: AbortSignal;
  /** The provider's settings. */
  readonly config: Readonly<Record<string, unknown>>;
  /** At most so many tokens of output. Default: the provider's. */
  readonly maxOutputTokens?: number;
  /** Default: the provider's. */
  readonly temperature?: number;
  /** How hard the model shall think. Default: the provider's. */
  readonly thinkingLevel?: ThinkingLevel;
}

/** A source of models, chosen as `<provider name>/<model id>`. */
export interface ModelProvider {
  /**
   * Asks once.
   *
   * @param model - the model id, without the provider's name
   * @returns the AI SDK's language-model stream parts (specification 2 or 3), ending with `finish`
   */
  stream(
    model: string,
    context: ModelContext,
    options: ModelProviderOptions,
  ): AsyncIterable<unknown> | PromiseLike<AsyncIterable<unknown>>;
  /** Default: the provider's name. */
  readonly providerId?: string;
  /** Default: the provider's name. */
  readonly apiId?: string;
  getEnvApiKey?(): string | undefined | PromiseLike<string | undefined>;
}

/**
 * A model of an extension's provider behind the port. Its stream is held to the same rules as any other.
 *
 * @param ref - `<provider name>/<model id>`
 */
export function providedModel(
  ref: string,
  provider: ModelProvider,
  config: Readonly<Record<string, unknown>> = {},
): Model {
  const modelId = ref.slice(ref.indexOf("/") + 1);
  return {
    ref,
    request: async (context, { signal, onDelta, clock, maxOutputTokens, temperature, thinkingLevel }) => {
      const done = new AbortController();
      const either = AbortSignal.any([signal, done.signal]);
      try {
        const options: ModelProviderOptions = {
          signal: either,
          config,
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
          ...(temperature === undefined ? {} : { temperature }),
          ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
        };
        const open = (): unknown => provider.stream(modelId, context, options);
        return await readAnswer(open, { modelId, signal, onDelta, clock });
      } finally {
        done.abort();
      }
    },
  };
}
