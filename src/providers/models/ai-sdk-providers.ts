/**
 * The providers that are known by name. Each loads its code with the first request, since all of them together double
 * the time to start.
 *
 * Base URLs and keys always come from the `env` that is passed in: left out, the SDK would read the process's own.
 */
import { LemonError } from "../../errors.ts";
import type { LanguageModel } from "./ai-sdk.ts";
import { NoApiKeyError } from "./failure.ts";

/** Environment variables, as a record. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A server that speaks OpenAI's chat completions, as `[models.NAME]` of the configuration describes it. */
export interface CompatibleServer {
  /** With the version in its path, e.g. `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** The environment variable that holds the key. Left out or `null`: the server wants none. */
  readonly apiKeyEnv?: string | null;
}

/** Gives the model of a request. @throws NoApiKeyError */
export type LoadLanguageModel = () => Promise<LanguageModel>;

const ANTHROPIC_URL = "https://api.anthropic.com/v1";
const OPENAI_URL = "https://api.openai.com/v1";

/** `anthropic/…`: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL. @throws LemonError LEMON_INVALID_CONFIG for a bad URL */
export function anthropic(modelId: string, env: Environment): LoadLanguageModel {
  const base = urlOf(env["ANTHROPIC_BASE_URL"], "ANTHROPIC_BASE_URL") ?? ANTHROPIC_URL;
  // Anthropic's own tools want the URL without the version, the AI SDK with it.
  const baseURL = new URL(base).pathname === "/" ? `${base}/v1` : base;
  return async () => {
    const apiKey = keyOf(`anthropic/${modelId}`, "ANTHROPIC_API_KEY", env);
    return kept(env, ["anthropic", modelId, baseURL, apiKey], async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL })(modelId);
    });
  };
}

/**
 * `openai/…`: OPENAI_API_KEY, OPENAI_BASE_URL.
 *
 * OpenAI itself is asked through the Responses API. A server elsewhere mostly lacks it, so that is asked through chat
 * completions, and needs no key.
 *
 * @throws LemonError LEMON_INVALID_CONFIG for a bad URL
 */
export function openai(modelId: string, env: Environment): LoadLanguageModel {
  const baseURL = urlOf(env["OPENAI_BASE_URL"], "OPENAI_BASE_URL") ?? OPENAI_URL;
  if (!isOpenAi(baseURL)) {
    return () => compatible("openai", modelId, baseURL, env["OPENAI_API_KEY"] ?? "", env);
  }
  return async () => {
    const apiKey = keyOf(`openai/${modelId}`, "OPENAI_API_KEY", env);
    return kept(env, ["openai.responses", modelId, baseURL, apiKey], async () => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey, baseURL }).responses(modelId);
    });
  };
}

/** `<name>/…` of the configuration. @throws LemonError LEMON_INVALID_CONFIG for a bad URL */
export function openAiCompatible(
  name: string,
  modelId: string,
  server: CompatibleServer,
  env: Environment,
): LoadLanguageModel {
  const field = `models.${name}.base_url`;
  const baseURL = urlOf(server.baseUrl, field);
  if (baseURL === null) throw badUrl(field, "nothing");
  return async () => {
    const variable = server.apiKeyEnv;
    const apiKey =
      variable === undefined || variable === null ? "" : keyOf(`${name}/${modelId}`, variable, env);
    return compatible(name, modelId, baseURL, apiKey, env);
  };
}

function compatible(
  name: string,
  modelId: string,
  baseURL: string,
  apiKey: string,
  env: Environment,
): Promise<LanguageModel> {
  const key = apiKey.trim() === "" ? {} : { apiKey: apiKey.trim() };
  return kept(env, ["compatible", name, modelId, baseURL, apiKey.trim()], async () => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ name, baseURL, includeUsage: true, ...key }).chatModel(modelId);
  });
}

const models = new WeakMap<Environment, Map<string, LanguageModel>>();
/** Ids and keys change seldom, but a runtime may live for long. */
const maxKept = 64;

/**
 * The model object that is made of `parts`. It holds nothing of a request, but compiles the schemas of its answers
 * at the first one, which takes longer than to read the answer.
 */
async function kept(
  env: Environment,
  parts: readonly string[],
  make: () => Promise<LanguageModel>,
): Promise<LanguageModel> {
  const known = models.get(env) ?? new Map<string, LanguageModel>();
  models.set(env, known);
  const name = JSON.stringify(parts);
  const model = known.get(name) ?? (await make());
  if (known.size >= maxKept) known.clear();
  known.set(name, model);
  return model;
}

function keyOf(ref: string, variable: string, env: Environment): string {
  const key = env[variable]?.trim() ?? "";
  if (key === "") throw new NoApiKeyError(ref, variable);
  return key;
}

/** The URL without a slash at its end; `null` when there is none. */
function urlOf(text: string | undefined, field: string): string | null {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return null;
  const protocol = URL.canParse(trimmed) ? new URL(trimmed).protocol : null;
  if (protocol !== "http:" && protocol !== "https:") throw badUrl(field, "another text");
  return trimmed.replace(/\/+$/, "");
}

function badUrl(field: string, got: string): LemonError {
  return new LemonError("invalid_config", `${field}: expected an http or https URL, got ${got}`, {
    field,
    expected: "an http or https URL",
    got,
  });
}

/** OpenAI's own hosts, the regional ones included. */
function isOpenAi(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "api.openai.com" || hostname.endsWith(".api.openai.com");
}
