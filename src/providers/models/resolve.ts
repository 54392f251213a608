/** Finds the model that a reference names. */
import { LemonError } from "../../errors.ts";
import type { LanguageModel } from "./ai-sdk.ts";
import { languageModel } from "./ai-sdk.ts";
import type { CompatibleServer, Environment } from "./ai-sdk-providers.ts";
import { anthropic, openai, openAiCompatible } from "./ai-sdk-providers.ts";
import type { ModelProvider } from "./model-provider.ts";
import { providedModel } from "./model-provider.ts";
import type { Model } from "./port.ts";

/** What may stand for a model, or for a provider of models, in the program that embeds the runtime. */
export type ModelSource = Model | LanguageModel | ModelProvider;

/** `[models.NAME]`. Without an address it says something of models that are found elsewhere. */
export type ConfiguredModel = Omit<CompatibleServer, "baseUrl"> & {
  readonly baseUrl: CompatibleServer["baseUrl"] | null;
};

/** Where models are looked for. */
export interface ResolveOptions {
  /** By provider name, or by whole reference. Asked first. */
  readonly models?: Readonly<Record<string, ModelSource>>;
  /** Settings of the {@link ModelProvider}s among `models`, by provider name. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `[models.NAME]` of the configuration. Asked before the providers that are built in. */
  readonly configured?: Readonly<Record<string, ConfiguredModel>>;
  /** Where keys and base URLs are looked up, at each request. */
  readonly env: Environment;
}

/** No model goes by this reference. Code `LEMON_UNKNOWN_MODEL`. */
export class UnknownModelError extends LemonError {
  constructor(ref: string, expected: string) {
    super("unknown_model", `unknown model ${JSON.stringify(ref)}: expected ${expected}`, {
      field: "model",
      expected,
    });
  }
}

const BUILT_IN = { anthropic, openai } as const;

/**
 * The model that `ref` names: `<provider>/<model id>`, or the whole name of one of `models`.
 *
 * No code of a provider is loaded and no key is looked up before the first request; a key that is missing then is the
 * failure `no_api_key`.
 *
 * @throws UnknownModelError when the reference has no slash or its provider is not known
 * @throws LemonError LEMON_INVALID_CONFIG when a base URL is none
 */
export function resolveModel(ref: string, options: ResolveOptions): Model {
  const models = options.models ?? {};
  const configured = serversOf(options.configured ?? {});
  const whole = own(models, ref);
  if (whole !== undefined) return modelOf(ref, whole, own(options.settings ?? {}, ref));

  const slash = ref.indexOf("/");
  const [provider, modelId] = [ref.slice(0, Math.max(slash, 0)), ref.slice(slash + 1)];
  const known = [...new Set([...Object.keys(models), ...Object.keys(configured), ...Object.keys(BUILT_IN)])];
  const choices = `one of the providers ${known.toSorted().join(", ")}`;
  if (provider === "" || modelId === "")
    throw new UnknownModelError(ref, `provider/model-id, with ${choices}`);

  const source = own(models, provider);
  if (source !== undefined) return modelOf(ref, source, own(options.settings ?? {}, provider));
  const server = own(configured, provider);
  if (server !== undefined)
    return languageModel(ref, openAiCompatible(provider, modelId, server, options.env));
  const builtIn = own(BUILT_IN, provider);
  if (builtIn !== undefined) return languageModel(ref, builtIn(modelId, options.env));
  throw new UnknownModelError(ref, choices);
}

function serversOf(configured: Readonly<Record<string, ConfiguredModel>>): Record<string, CompatibleServer> {
  return Object.fromEntries(
    Object.entries(configured).flatMap(([name, { baseUrl, ...rest }]) =>
      baseUrl === null ? [] : [[name, { ...rest, baseUrl }]],
    ),
  );
}

function modelOf(
  ref: string,
  source: ModelSource,
  config: Readonly<Record<string, unknown>> | undefined,
): Model {
  if ("request" in source) {
    const { contextWindow } = source;
    const request: Model["request"] = (context, options) => source.request(context, options);
    return { ref, request, ...(contextWindow === undefined ? {} : { contextWindow }) };
  }
  if ("doStream" in source) return languageModel(ref, () => source);
  return providedModel(ref, source, config);
}

/** A member that the record itself has: `constructor/x` names no model. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
