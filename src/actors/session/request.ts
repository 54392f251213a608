/**
 * What a model is sent, built from the transcript, and its digest. The digest is recorded with the answer, so a
 * change in the way a request is built shows when a session is replayed.
 */
import { createHash, hash, type Hash } from "node:crypto";
import {
  PAGE_SIZE,
  sentMessages,
  type SentMessage,
  type Transcript,
  type TranscriptMessage,
  type TranscriptSummary,
} from "../../projections/index.ts";
import type { ModelContext, ModelMessage, ModelTool } from "../../providers/index.ts";
import type { ToolRegistry } from "../../tools/index.ts";
import { tokensOfMessage, tokensOfText } from "./tokens.ts";

/** The line before a summary: the model must not take it for something that the user said. */
const SUMMARY_LABEL =
  "[summary of the conversation so far: it stands in the place of earlier messages, which are not shown any more]";

/** A request and the digests of its two parts. */
export interface ModelRequest {
  readonly context: ModelContext;
  readonly requestSha256: string;
  readonly toolsSha256: string;
}

/**
 * Builds the request for a transcript in which every call has its result.
 *
 * @param registry - which the tools were taken from; one registry gives one list, whatever it is copied into
 */
export function buildRequest(
  systemPrompt: string,
  transcript: Transcript,
  tools: readonly ModelTool[],
  registry: ToolRegistry,
): ModelRequest {
  return {
    context: {
      systemPrompt,
      messages: sentMessages(transcript).map(({ message }) => built(message).message),
      tools,
    },
    requestSha256: requestDigest(systemPrompt, transcript),
    toolsSha256: toolsDigest(tools, registry),
  };
}

/** Digest of the system prompt and, one after the other, of each message as it is sent. */
export function requestDigest(systemPrompt: string, view: Transcript): string {
  const { pages, tail, summary } = view;
  if (pages.length === 0) return sha256(sha256(systemPrompt) + digestsOf(sentMessages(view)));
  const inPages = pages.length * PAGE_SIZE;
  const ofTail =
    summary === null
      ? tail.map((message) => ({ message }))
      : sentMessages(view).filter(({ place }) => place >= inPages);
  return digestOfPages(systemPrompt, view).copy().update(digestsOf(ofTail)).digest("hex");
}

type Pages = Transcript["pages"];

interface DigestOfPages {
  readonly systemPrompt: string;
  readonly summary: TranscriptSummary | null;
  readonly digest: Hash;
}

// Full pages never change, and a list of them belongs to one transcript. Hashing all of a long session at each of its
// turns made its replay quadratic.
const digestsOfPages = new WeakMap<Pages, DigestOfPages>();

/** Of all that is sent but what stands on the page that grows. */
function digestOfPages(systemPrompt: string, view: Transcript): Hash {
  const { pages, summary } = view;
  const known = digestsOfPages.get(pages);
  if (known?.systemPrompt === systemPrompt && known.summary === summary) return known.digest;
  const digest = createHash("sha256").update(sha256(systemPrompt));
  digest.update(digestsOf(sentMessages({ ...view, tail: [] })));
  digestsOfPages.set(pages, { systemPrompt, summary, digest });
  return digest;
}

function digestsOf(messages: readonly Pick<SentMessage, "message">[]): string {
  let digests = "";
  for (const { message } of messages) digests += built(message).digest;
  return digests;
}

/**
 * Tokens that a request with this transcript is taken to have: what the provider counted with the last answer and an
 * estimate of what came after it, or an estimate of all.
 */
export function estimateTokens(systemPrompt: string, view: Transcript, tools: readonly ModelTool[]): number {
  const { counted } = view;
  const sent = sentMessages(view);
  if (counted !== null)
    return counted.tokens + tokensIn(sent.filter(({ place }) => place >= counted.messages));
  return tokensOfText(systemPrompt) + tokensOfText(JSON.stringify(tools)) + tokensIn(sent);
}

/** Tokens that messages are taken to have together. */
export function tokensIn(messages: readonly SentMessage[]): number {
  return messages.reduce((sum, { message }) => sum + tokensOf(message), 0);
}

/** Tokens that a message is taken to have as it is sent. */
export function tokensOf(message: TranscriptMessage): number {
  return built(message).tokens;
}

interface BuiltMessage {
  readonly message: ModelMessage;
  readonly digest: string;
  readonly tokens: number;
}

// A message never changes, and a session asks with all of them again at each turn: each is built and hashed once.
const builtMessages = new WeakMap<TranscriptMessage, BuiltMessage>();
// The list is copied for each request, and what it is copied from never changes.
const toolDigests = new WeakMap<ToolRegistry, string>();

function built(message: TranscriptMessage): BuiltMessage {
  const known = builtMessages.get(message);
  if (known !== undefined) return known;
  const sent = modelMessage(message);
  const json = JSON.stringify(sent);
  const fresh = { message: sent, digest: sha256(json), tokens: tokensOfMessage(sent, json) };
  builtMessages.set(message, fresh);
  return fresh;
}

function modelMessage(message: TranscriptMessage): ModelMessage {
  switch (message.role) {
    case "user":
    case "custom":
      return { role: "user", content: message.content };
    case "summary":
      return { role: "user", content: [{ type: "text", text: `${SUMMARY_LABEL}\n\n${message.text}` }] };
    case "tool":
      return { role: "tool", results: message.results };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...message.content.map(({ type, text, providerMetadata }) => ({
            type,
            text,
            ...(providerMetadata === null ? {} : { providerMetadata }),
          })),
          ...message.calls.map(({ callId, name, args, argumentsText, providerMetadata }) => ({
            type: "tool_call" as const,
            callId,
            name,
            args,
            ...(argumentsText === null ? {} : { argumentsText }),
            ...(providerMetadata === null ? {} : { providerMetadata }),
          })),
        ],
      };
  }
}

function toolsDigest(tools: readonly ModelTool[], registry: ToolRegistry): string {
  const known = toolDigests.get(registry);
  if (known !== undefined) return known;
  const digest = sha256(JSON.stringify(tools));
  toolDigests.set(registry, digest);
  return digest;
}

function sha256(text: string): string {
  return hash("sha256", text);
}
