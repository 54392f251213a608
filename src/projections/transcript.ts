/**
 * The whole conversation: prompts, answers, each call's result in call order, and the summaries that were made of it.
 * What of it the model is sent is in `sent-messages.ts`.
 *
 * Kept as pages of 256 messages, since a long session's transcript is too large to copy or to store at once.
 */
import type { ContentBlock, FactData, FactOf, Usage } from "../events/index.ts";
import { blockedContent } from "./blocked-content.ts";
import type { Projection } from "./projection.ts";

/** Messages on a full page. */
export const PAGE_SIZE = 256;

type AssistantPart = FactData<"model.responded">["content"][number];

/** A call as the model wrote it. */
export type TranscriptCall = Pick<
  FactData<"model.responded">["calls"][number],
  "callId" | "name" | "args" | "argumentsText" | "providerMetadata"
>;

/** The one result of a call, as the model is told it. */
export interface TranscriptResult {
  readonly callId: string;
  readonly name: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/** A message, with the version of the fact that completed it. */
export type TranscriptMessage =
  | {
      readonly role: "user";
      readonly version: number;
      readonly source: "prompt" | "steer" | "follow_up" | "task";
      readonly content: readonly ContentBlock[];
    }
  /** What hooks gave at the start of the session: to the model a user's message, to people none. */
  | {
      readonly role: "custom";
      readonly version: number;
      readonly customType: "hook_context";
      readonly display: false;
      readonly content: readonly ContentBlock[];
    }
  | {
      readonly role: "assistant";
      readonly version: number;
      readonly content: readonly AssistantPart[];
      readonly calls: readonly TranscriptCall[];
    }
  | { readonly role: "tool"; readonly version: number; readonly results: readonly TranscriptResult[] }
  | TranscriptSummary;

/** What the model is sent in the place of earlier messages, where it was made. docs/reference/compaction.md */
export interface TranscriptSummary {
  readonly role: "summary";
  readonly version: number;
  /** The model's words. */
  readonly text: string;
  /** So many messages of the transcript, its first, are no longer sent; earlier summaries count. */
  readonly messages: number;
  /** Places of those among them that are sent all the same, word for word; the first message has 0. */
  readonly kept: readonly number[];
}

/** The calls of the last answer, until each has its result. */
interface OpenBatch {
  /** Messages that came while a call was open: they follow its results, which must stand after their calls. */
  readonly waiting?: readonly TranscriptMessage[];
  readonly calls: readonly TranscriptCall[];
  readonly returned: Readonly<Record<string, TranscriptResult>>;
  readonly results: Readonly<Record<string, TranscriptResult>>;
}

/** 256 messages. One that was stored is parsed when it is first looked at. */
export interface TranscriptPage {
  readonly messages: readonly TranscriptMessage[];
}

/** The view. `pages` are full and never change again; `tail` is the page that grows. */
export interface Transcript {
  readonly pages: readonly TranscriptPage[];
  readonly tail: readonly TranscriptMessage[];
  readonly batch: OpenBatch | null;
  /** The newest summary. */
  readonly summary: TranscriptSummary | null;
  /** What the provider counted with the last answer, and how many messages there were with it. */
  readonly counted: { readonly tokens: number; readonly messages: number } | null;
}

type TranscriptFact =
  | "prompt.submitted"
  | "message.appended"
  | "hook_context.appended"
  | "model.responded"
  | "session.compacted"
  | "tool_call.returned"
  | "tool_call.completed"
  | "tool_call.blocked"
  | "tool_call.interrupted";

/** The transcript of a session's stream. */
export const transcript: Projection<Transcript, TranscriptFact> = {
  name: "transcript",
  version: 3,
  initial: { pages: [], tail: [], batch: null, summary: null, counted: null },
  types: {
    "prompt.submitted": true,
    "message.appended": true,
    "hook_context.appended": true,
    "model.responded": true,
    "session.compacted": true,
    "tool_call.returned": true,
    "tool_call.completed": true,
    "tool_call.blocked": true,
    "tool_call.interrupted": true,
  },
  fold: foldTranscript,
};

/** All messages and summaries, oldest first. */
export function messagesOf(view: Transcript): TranscriptMessage[] {
  return [...view.pages.flatMap((page) => page.messages), ...view.tail];
}

/** How many messages there are. */
export function messageCount(view: Transcript): number {
  return view.pages.length * PAGE_SIZE + view.tail.length;
}

function foldTranscript(view: Transcript, fact: FactOf<TranscriptFact>): Transcript {
  const { version } = fact;
  switch (fact.type) {
    case "prompt.submitted":
      return append(view, { role: "user", version, source: "prompt", content: fact.data.content });
    case "message.appended":
      return append(view, { role: "user", version, source: fact.data.source, content: fact.data.content });
    case "hook_context.appended": {
      const content: ContentBlock[] = [{ type: "text", text: fact.data.text }];
      return appendLater(view, {
        role: "custom",
        version,
        customType: "hook_context",
        display: false,
        content,
      });
    }
    case "model.responded": {
      const { content, calls } = fact.data;
      const written = calls.map(({ callId, name, args, argumentsText, providerMetadata }) => ({
        callId,
        name,
        args,
        argumentsText,
        providerMetadata,
      }));
      const next = count(
        append(view, { role: "assistant", version, content, calls: written }),
        fact.data.usage,
      );
      return written.length === 0 ? next : { ...next, batch: { calls: written, returned: {}, results: {} } };
    }
    case "session.compacted": {
      const { summary: text, messages, kept } = fact.data;
      const summary: TranscriptSummary = { role: "summary", version, text, messages, kept };
      // What was counted before was another conversation.
      return { ...append(view, summary), summary, counted: null };
    }
    case "tool_call.returned": {
      if (view.batch === null) return view;
      const { callId, content, isError } = fact.data;
      const returned = { ...view.batch.returned, [callId]: result(view.batch, callId, content, isError) };
      return { ...view, batch: { ...view.batch, returned } };
    }
    case "tool_call.completed": {
      const { callId, content, isError } = fact.data;
      const returned = view.batch?.returned[callId];
      return endCall(view, version, callId, content ?? returned?.content ?? [], isError);
    }
    case "tool_call.blocked": {
      return endCall(view, version, fact.data.callId, blockedContent(fact.data), true);
    }
    case "tool_call.interrupted":
      return endCall(
        view,
        version,
        fact.data.callId,
        [{ type: "text", text: interruption(fact.data.reason) }],
        true,
      );
  }
}

function endCall(
  view: Transcript,
  version: number,
  callId: string,
  content: readonly ContentBlock[],
  isError: boolean,
): Transcript {
  if (view.batch === null) return view;
  const { calls } = view.batch;
  const results = { ...view.batch.results, [callId]: result(view.batch, callId, content, isError) };
  const ordered: TranscriptResult[] = [];
  for (const call of calls) {
    const found = results[call.callId];
    if (found === undefined) return { ...view, batch: { ...view.batch, results } };
    ordered.push(found);
  }
  const { waiting = [] } = view.batch;
  return waiting.reduce(
    append,
    append({ ...view, batch: null }, { role: "tool", version, results: ordered }),
  );
}

/** A provider that counts nothing says 0. */
function count(view: Transcript, { inputTokens, outputTokens }: Usage): Transcript {
  const counted =
    inputTokens === 0 ? null : { tokens: inputTokens + outputTokens, messages: messageCount(view) };
  return { ...view, counted };
}

function appendLater(view: Transcript, message: TranscriptMessage): Transcript {
  if (view.batch === null) return append(view, message);
  const { waiting = [] } = view.batch;
  return { ...view, batch: { ...view.batch, waiting: [...waiting, message] } };
}

function result(
  batch: OpenBatch,
  callId: string,
  content: readonly ContentBlock[],
  isError: boolean,
): TranscriptResult {
  const name = batch.calls.find((call) => call.callId === callId)?.name ?? "";
  return { callId, name, content, isError };
}

function interruption(reason: FactData<"tool_call.interrupted">["reason"]): string {
  switch (reason) {
    case "process_died":
      return "Tool call interrupted: the process died while it ran. It may have had an effect and was not run again.";
    case "arguments_not_stored":
      return "Tool call interrupted before it started: its arguments held a secret and were not stored.";
    case "tool_missing":
      return "Tool call interrupted before it started: its tool is not there any more.";
    case "forked":
      return (
        "Tool call interrupted: this session was forked from another before the call had ended there. What it did or " +
        "still does belongs to that session, and its result is not known here."
      );
  }
}

function append(view: Transcript, message: TranscriptMessage): Transcript {
  const tail = [...view.tail, message];
  return tail.length < PAGE_SIZE
    ? { ...view, tail }
    : { ...view, pages: [...view.pages, { messages: tail }], tail: [] };
}
