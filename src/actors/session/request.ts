/**
 * What a model is sent, built from the transcript, and its digest. The digest is recorded with the answer, so a
 * change in the way a request is built shows when a session is replayed.
 */
import { createHash, hash, type Hash } from "node:crypto";
import { messagesOf, type Transcript, type TranscriptMessage } from "../../projections/index.ts";
import type { ModelContext, ModelMessage, ModelTool } from "../../providers/index.ts";

/** A request and the digests of its two parts. */
export interface ModelRequest {
  readonly context: ModelContext;
  readonly requestSha256: string;
  readonly toolsSha256: string;
}

/** Builds the request for a transcript in which every call has its result. */
export function buildRequest(
  systemPrompt: string,
  transcript: Transcript,
  tools: readonly ModelTool[],
): ModelRequest {
  return {
    context: {
      systemPrompt,
      messages: messagesOf(transcript).map((message) => built(message).message),
      tools,
    },
    requestSha256: requestDigest(systemPrompt, transcript),
    toolsSha256: toolsDigest(tools),
  };
}

/** Digest of the system prompt and, one after the other, of each message as it is sent. */
export function requestDigest(systemPrompt: string, { pages, tail }: Transcript): string {
  if (pages.length === 0) return sha256(sha256(systemPrompt) + digestsOf(tail));
  const digest = digestOfPages(systemPrompt, pages).copy();
  return digest.update(digestsOf(tail)).digest("hex");
}

type Pages = Transcript["pages"];

// Full pages never change, and a list of them belongs to one transcript. Hashing all of a long session at each of its
// turns made its replay quadratic.
const digestsOfPages = new WeakMap<Pages, { readonly systemPrompt: string; readonly digest: Hash }>();

function digestOfPages(systemPrompt: string, pages: Pages): Hash {
  const known = digestsOfPages.get(pages);
  if (known?.systemPrompt === systemPrompt) return known.digest;
  const digest = createHash("sha256").update(sha256(systemPrompt));
  for (const { messages } of pages) digest.update(digestsOf(messages));
  digestsOfPages.set(pages, { systemPrompt, digest });
  return digest;
}

function digestsOf(messages: readonly TranscriptMessage[]): string {
  let digests = "";
  for (const message of messages) digests += built(message).digest;
  return digests;
}

interface BuiltMessage {
  readonly message: ModelMessage;
  readonly digest: string;
}

// A message never changes, and a session asks with all of them again at each turn: each is built and hashed once.
const builtMessages = new WeakMap<TranscriptMessage, BuiltMessage>();
const toolDigests = new WeakMap<readonly ModelTool[], string>();

function built(message: TranscriptMessage): BuiltMessage {
  const known = builtMessages.get(message);
  if (known !== undefined) return known;
  const sent = modelMessage(message);
  const fresh = { message: sent, digest: sha256(JSON.stringify(sent)) };
  builtMessages.set(message, fresh);
  return fresh;
}

function modelMessage(message: TranscriptMessage): ModelMessage {
  switch (message.role) {
    case "user":
    case "custom":
      return { role: "user", content: message.content };
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

function toolsDigest(tools: readonly ModelTool[]): string {
  const known = toolDigests.get(tools);
  if (known !== undefined) return known;
  const digest = sha256(JSON.stringify(tools));
  toolDigests.set(tools, digest);
  return digest;
}

function sha256(text: string): string {
  return hash("sha256", text);
}
