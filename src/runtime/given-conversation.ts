/**
 * A conversation that a caller gives to a side query: parsed where it comes in. Loads zod, and is loaded when there is one.
 * docs/reference/side-queries.md, "Sources"
 */
import { z } from "zod";
import { SideQueryError, type SourceConversation } from "../actors/index.ts";
import type { TranscriptCall, TranscriptMessage } from "../projections/index.ts";

const text = z.object({ type: z.literal("text"), text: z.string() });
const image = z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const reasoning = z.object({ type: z.literal("reasoning"), text: z.string() });

const asBlocks = (said: string): { type: "text"; text: string }[] => [{ type: "text", text: said }];
const content = z.union([z.string().transform(asBlocks), z.array(z.union([text, image]))]);

const call = z.object({
  callId: z.string().optional(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()).nullish(),
  argumentsText: z.string().nullish(),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content }),
  z.object({ role: z.literal("custom"), content }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([
      z.string().transform(asBlocks),
      z.array(z.union([text, reasoning, call.extend({ type: z.literal("tool_call") })])),
    ]),
    calls: z.array(call).optional(),
  }),
  z.object({
    role: z.literal("tool"),
    results: z.array(
      z.object({
        callId: z.string().optional(),
        name: z.string(),
        content,
        isError: z.boolean().optional(),
      }),
    ),
  }),
  z.object({ role: z.literal("summary"), text: z.string() }),
]);

const source = z.object({ messages: z.array(message), systemPrompt: z.string().optional() });

type Message = z.output<typeof message>;
type Call = z.output<typeof call>;

/** @throws SideQueryError `invalid_source` that names the first member that is wrong, and nothing of what it holds */
export function readGivenConversation(given: unknown): SourceConversation {
  const parsed = source.safeParse(given);
  if (!parsed.success) {
    const field = `/${(parsed.error.issues[0]?.path ?? []).map(String).join("/")}`;
    const expected = field.startsWith("/systemPrompt") ? "text" : "an array of messages";
    throw new SideQueryError("invalid_source", { field: field === "/" ? "source" : field, expected });
  }
  const { messages, systemPrompt = "" } = parsed.data;
  return { systemPrompt, messages: messages.map(messageOf), leftOut: 0 };
}

function messageOf(given: Message, index: number): TranscriptMessage {
  const version = index + 1;
  switch (given.role) {
    case "user":
      return { role: "user", version, source: "prompt", content: given.content };
    case "custom":
      return {
        role: "custom",
        version,
        customType: "hook_context",
        display: false,
        content: given.content,
      };
    case "summary":
      return { role: "summary", version, text: given.text, messages: 0, kept: [] };
    case "tool": {
      const results = given.results.map(({ isError = false, callId, ...rest }) => ({
        ...rest,
        callId: callId ?? rest.name,
        isError,
      }));
      return { role: "tool", version, results };
    }
    case "assistant": {
      const said = given.content.flatMap((part) => (part.type === "tool_call" ? [] : [part]));
      const within = given.content.flatMap((part) => (part.type === "tool_call" ? [part] : []));
      return {
        role: "assistant",
        version,
        content: said.map((part) => ({ ...part, providerMetadata: null })),
        calls: [...within, ...(given.calls ?? [])].map(callOf),
      };
    }
  }
}

/** Without ids a call is answered by a result of its name. */
function callOf({ name, callId = name, args = null, argumentsText = null }: Call): TranscriptCall {
  return { callId, name, args, argumentsText, providerMetadata: null };
}
