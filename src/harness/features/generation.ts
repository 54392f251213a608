/** One request to a model for the features of a project, and the facts about it. docs/reference/features.md, "Generating" */
import type { Clock } from "../../ports.ts";
import type { FactData } from "../../events/index.ts";
import { FeatureError, type FeatureReason } from "./errors.ts";
import { LemonError } from "../../errors.ts";
import { generation, readAnswer, systemPrompt, type GeneratedFeatures } from "./generate.ts";
import type { Journal } from "./journal.ts";

/** How features are generated. */
export interface GenerateOptions {
  /** `provider/model-id`. Default: the one that is configured. */
  readonly model?: string;
  /** 1 to 200, default 50; what the model gives beyond is cut. */
  readonly maxFeatures?: number;
  /** Whose configuration holds, and in whose stream it is recorded. Default: the runtime's. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** A text of a model, or a bounded word for why there is none. */
export type ModelText =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finishReason: string;
      readonly usage: FactData<"features.generated">["usage"];
    }
  | { readonly ok: false; readonly failure: string };

/** A model that is asked once. */
export interface FeatureModel {
  readonly ref: string;
  complete(request: {
    readonly systemPrompt: string;
    readonly prompt: string;
    readonly temperature: number;
    readonly maxOutputTokens: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
  }): Promise<ModelText>;
}

interface GenerationParts {
  readonly clock: Clock;
  readonly model: (cwd: string, ref: string | undefined) => Promise<FeatureModel | null>;
}

/** @throws as `Features.generate` says */
export async function generateFeatures(
  journal: Journal,
  prompt: string,
  options: GenerateOptions,
  { clock, model: modelFor }: GenerationParts,
): Promise<GeneratedFeatures> {
  const { signal } = options;
  requirePrompt(prompt);
  const maxFeatures = requireMaxFeatures(options.maxFeatures ?? generation.defaultFeatures);
  const model = await modelFor(journal.place.folder, options.model);
  if (model === null)
    throw new FeatureError("no_model_available", "no model is named, and none is configured", {
      field: "model",
    });
  if (signal?.aborted === true) throw ended("aborted");

  const asked = { model: model.ref, prompt, maxFeatures };
  const requested = await journal.append("any", [journal.fact("features.generation_requested", asked)]);
  const causation = requested?.[0]?.version ?? null;
  try {
    const { temperature, maxOutputTokens, timeoutMs } = generation;
    const bounds = { temperature, maxOutputTokens, timeoutMs, signal };
    const answer = await model.complete({ systemPrompt: systemPrompt(maxFeatures), prompt, ...bounds });
    if (!answer.ok) throw ended(answer.failure);
    if (answer.finishReason === "length") {
      const limit = `${maxOutputTokens} tokens`;
      throw new FeatureError(
        "truncated_response",
        `the model's answer was cut at ${limit}: ask for fewer features`,
      );
    }
    if (answer.finishReason === "content_filter") throw ended("content_filter");
    const createdAt = new Date(clock.now()).toISOString();
    const generated = await readAnswer(answer.text, { prompt, createdAt, maxFeatures });
    // Copied: the types of facts are not readonly inside.
    const data = structuredClone({ ...generated, usage: answer.usage }) as FactData<"features.generated">;
    await journal.append("any", [journal.fact("features.generated", data, causation)]);
    return generated;
  } catch (error) {
    if (error instanceof LemonError) {
      const { reason, got: failure = null } = error;
      const fact = journal.fact("features.generation_failed", { reason, failure }, causation);
      await journal.append("any", [fact]);
    }
    throw error;
  }
}

function ended(failure: string): FeatureError {
  const own: Readonly<Record<string, [FeatureReason, string]>> = {
    timeout: ["timeout", `the model did not answer within ${generation.timeoutMs / 1_000} s`],
    aborted: ["aborted", "the generation was aborted"],
  };
  const [reason, message] = own[failure] ?? ["generation_failed", `the model gave no answer: ${failure}`];
  return new FeatureError(reason, message, { got: failure });
}

function requirePrompt(prompt: unknown): void {
  const expected = "text that is not blank";
  if (typeof prompt !== "string") {
    const got = prompt === null ? "null" : typeof prompt;
    throw new FeatureError("invalid_prompt", `prompt: expected ${expected}`, {
      field: "prompt",
      expected,
      got,
    });
  }
  if (prompt.trim() === "")
    throw new FeatureError("empty_prompt", `prompt: expected ${expected}`, { field: "prompt", expected });
}

function requireMaxFeatures(count: unknown): number {
  const { maxFeatures } = generation;
  if (Number.isInteger(count) && (count as number) >= 1 && (count as number) <= maxFeatures)
    return count as number;
  const expected = `a whole number from 1 to ${maxFeatures}`;
  throw new FeatureError("invalid_options", `maxFeatures: expected ${expected}`, {
    field: "maxFeatures",
    expected,
    got: typeof count === "number" ? String(count) : typeof count,
  });
}
