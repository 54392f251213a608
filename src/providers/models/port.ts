/**
 * The port through which a session asks a model. All of it is plain JSON data, so that an answer can be recorded as it is.
 *
 * A model answers once per request and never retries by itself: attempts, waiting and the record of both belong to
 * the session. It never throws for what a provider does, and nothing that a provider wrote (error texts, bodies,
 * headers) gets into a failure: only a class, a status and a delay.
 */
import type { ContentBlock, ThinkingLevel } from "../../events/index.ts";
import type { Clock } from "../../ports.ts";

/** What a provider wants to see again with the next request, by provider name. Opaque; holds thinking signatures. */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Text that the model wrote for the reader. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly providerMetadata?: ProviderMetadata;
}

/** What the model thought. The text may be empty when the provider keeps it to itself. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerMetadata?: ProviderMetadata;
}

/** A call as it goes back to the model in a later request; `callId` is the session's, not the provider's. */
export interface ToolCallPart {
  readonly type: "tool_call";
  readonly callId: string;
  readonly name: string;
  /** `null` when the text was no JSON object. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly argumentsText?: string;
  readonly providerMetadata?: ProviderMetadata;
}

/** A part of an earlier answer, as it goes back to the model. */
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

/** What a tool gave for one call. */
export interface ToolResultPart {
  readonly callId: string;
  readonly name: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/** A message of the conversation, as the model is shown it. */
export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly ContentBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolResultPart[] };

/** A tool as the model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Everything that the model is shown. */
export interface ModelContext {
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
}

/** A piece of an answer that is still coming. For display only: it may belong to an answer that later fails. */
export type ModelDelta =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool_call"; readonly name: string };

/** How to ask. */
export interface ModelRequestOptions {
  /** Ends the request; the answer is then `aborted`, whatever the provider makes of it. */
  readonly signal: AbortSignal;
  readonly onDelta: (delta: ModelDelta) => void;
  /** Answers of this session that are already durable. */
  readonly responses: number;
  /** Failures of this session that are already durable. */
  readonly failures: number;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Default: the model's own. A model that can't think does without. */
  readonly thinkingLevel?: ThinkingLevel;
  readonly clock: Clock;
}

/** Tokens; 0 when the provider did not say. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
}

/**
 * A call that the model asks for.
 *
 * `argumentsText` is what the model wrote, not parsed and perhaps not JSON. Empty means "no arguments", except that a
 * call which the length limit cut off before its first argument has `{`, so that it can't be taken for a whole one.
 * `providerCallId` may be missing, empty or the same for two calls: it names nothing in the session.
 */
export interface ModelCall {
  readonly providerCallId: string | null;
  readonly name: string;
  readonly argumentsText: string;
  readonly providerMetadata?: ProviderMetadata;
}

/** Why a whole answer ended. */
export type ModelFinishReason = "stop" | "length" | "content_filter" | "tool_calls";

/** Why a request failed. docs/reference/models.md says what each class means and which are tried again. */
export type ModelFailureClass =
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "timeout"
  | "conflict"
  | "connection"
  | "incomplete_stream"
  | "malformed_stream"
  | "bad_request"
  | "context_too_long"
  | "auth"
  | "not_found"
  | "no_api_key"
  | "script_exhausted"
  | "unknown";

/** A request that failed, without a word of what the provider wrote. */
export interface ModelFailure {
  readonly class: ModelFailureClass;
  /** The HTTP status that refused the request; `null` when there was none or it was a good one. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the server asked to wait, 0 to 120,000. */
  readonly retryAfterMs: number | null;
  /** Only with `no_api_key`: the environment variable that should hold the key. */
  readonly apiKeyEnv?: string;
}

/** A whole answer: it ended with a good finish. */
export interface ModelAnswered {
  readonly type: "answered";
  /** In the order in which the model began them. May be empty, with or without calls. */
  readonly content: readonly (TextPart | ReasoningPart)[];
  readonly calls: readonly ModelCall[];
  readonly finishReason: ModelFinishReason;
  readonly usage: ModelUsage;
  /** The model as the provider calls it, which may be more exact than what was asked for. */
  readonly modelId: string;
}

/** No answer. What had arrived of the text is kept for people; it is never taken for an answer. */
export interface ModelFailed {
  readonly type: "failed";
  readonly failure: ModelFailure;
  readonly partialText: string;
  readonly usage: ModelUsage;
}

/** The signal fired before the answer was whole. */
export interface ModelAborted {
  readonly type: "aborted";
  readonly partialText: string;
}

/** How a request ended. */
export type ModelAnswer = ModelAnswered | ModelFailed | ModelAborted;

/** A model that can be asked. */
export interface Model {
  /** `<provider>/<model id>`, as it was asked for. */
  readonly ref: string;
  /** Tokens that it has room for, its answer included. Left out: nobody knows but the configuration. */
  readonly contextWindow?: number;
  /** Asks once. Resolves for every outcome, failures included. */
  request(context: ModelContext, options: ModelRequestOptions): Promise<ModelAnswer>;
}

/** Nothing used, or nothing known of it. */
export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
};
