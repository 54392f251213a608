/**
 * What a side query is shown of a conversation. Pure. docs/reference/side-queries.md, "What the model sees"
 *
 * Calls and results are told as text: as calls they would want the tools that a side query has not, and a provider's
 * signatures would be refused by another's model.
 */
import type { ContentBlock } from "../../events/index.ts";
import {
  messageCount,
  messagesOf,
  sentMessages,
  type Transcript,
  type TranscriptMessage,
} from "../../projections/index.ts";
import type { ModelMessage } from "../../providers/index.ts";
import { tokensOfMessage } from "../session/tokens.ts";

/** A conversation as its source has it at one version. */
export interface SourceConversation {
  readonly systemPrompt: string;
  /** Oldest first. */
  readonly messages: readonly TranscriptMessage[];
  /** Older ones that are not among them and that no summary stands for. */
  readonly leftOut: number;
}

type AssistantMessage = Extract<TranscriptMessage, { readonly role: "assistant" }>;

/** What fits. */
export interface FittedConversation {
  readonly messages: readonly ModelMessage[];
  /** Messages of the conversation that are shown. */
  readonly shown: number;
  readonly leftOut: number;
}

const SUMMARY_LABEL = "[a summary of the conversation up to here, in the place of its older messages]";
const UNFINISHED =
  "[The agent is in the middle of its work. It last wrote what is quoted here and then called tools, whose results are not there yet.]";

/**
 * What of a transcript a side query may be shown: what the model of its session would be sent.
 *
 * @param limit - only the last so many runs, of which one that is open is the newest; `null`: all
 */
export function conversationOf(
  systemPrompt: string,
  view: Transcript,
  limit: number | null,
): SourceConversation {
  const sent = sentMessages(view);
  const from = limit === null ? 0 : startOfRuns(view, limit);
  // A summary that stands for nothing of these runs tells of older ones alone.
  const isSummaryOfThem = view.summary !== null && view.summary.messages > from;
  const shown = sent.filter(({ place }) => (place === -1 ? isSummaryOfThem : place >= from));
  return {
    systemPrompt,
    messages: shown.map(({ message }) => message),
    leftOut: isSummaryOfThem || from === 0 ? 0 : messagesBefore(view, from),
  };
}

/**
 * The newest messages that have room, told to a model, and a line that says how many are missing.
 *
 * @param room - tokens
 */
export function fitConversation(
  { messages, leftOut: before }: SourceConversation,
  room: number,
): FittedConversation {
  const told: ModelMessage[] = [];
  const cut = lastComplete(messages);
  let left = room;
  let from = cut.messages.length;
  const unfinished = cut.unfinished === null ? null : tellUnfinished(cut.unfinished);
  if (unfinished !== null) {
    left -= tokensOf(unfinished);
    if (left >= 0) told.push(unfinished);
  }
  for (let index = from - 1; index >= 0; index -= 1) {
    const shown = tell(cut.messages[index] as TranscriptMessage); // within the list
    left -= shown === null ? 0 : tokensOf(shown);
    if (left < 0) break;
    from = index;
    if (shown !== null) told.unshift(shown);
  }
  // Results never stand without the calls that they answer.
  while (from > 0 && cut.messages[from]?.role === "tool") {
    from += 1;
    told.shift();
  }
  const leftOut = before + from;
  if (leftOut > 0) told.unshift(user([text(lineOf(leftOut))]));
  return { messages: told, shown: cut.messages.length - from, leftOut };
}

/** The messages up to one whose calls have not all been answered; that one says what it said so far. */
function lastComplete(messages: readonly TranscriptMessage[]): {
  readonly messages: readonly TranscriptMessage[];
  readonly unfinished: AssistantMessage | null;
} {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[last];
  if (message?.role !== "assistant") return { messages, unfinished: null };
  const results = messages.slice(last + 1).flatMap((each) => (each.role === "tool" ? each.results : []));
  const answered = new Set(results.map(({ callId }) => callId));
  if (message.calls.every(({ callId }) => answered.has(callId))) return { messages, unfinished: null };
  return { messages: messages.slice(0, last), unfinished: message };
}

function lineOf(leftOut: number): string {
  return `[older messages of this conversation that are left out here: ${leftOut}]`;
}

/** How many messages there are before a place, summaries not counted. */
function messagesBefore(view: Transcript, place: number): number {
  return messagesOf(view)
    .slice(0, place)
    .filter(({ role }) => role !== "summary").length;
}

/** The place of the first message of the last `limit` runs. */
function startOfRuns(view: Transcript, limit: number): number {
  const prompts: number[] = [];
  const messages = messagesOf(view);
  for (let place = messageCount(view) - 1; place >= 0 && prompts.length < limit; place -= 1) {
    const message = messages[place];
    if (message?.role === "user" && message.source === "prompt") prompts.push(place);
  }
  // Before the first prompt of all there is only what hooks said at the start.
  return prompts.length < limit ? 0 : (prompts.at(-1) ?? 0);
}

function tell(message: TranscriptMessage): ModelMessage | null {
  switch (message.role) {
    case "user":
    case "custom":
      return user(message.content);
    case "summary":
      return user([text(`${SUMMARY_LABEL}\n\n${message.text}`)]);
    case "tool":
      return user(
        message.results.flatMap(({ name, isError, content }) => [
          text(`[result of ${name}${isError ? ", which failed" : ""}]`),
          ...content,
        ]),
      );
    case "assistant": {
      const calls = message.calls.map(
        ({ name, args, argumentsText }) => `[called ${name} with ${argumentsText ?? JSON.stringify(args)}]`,
      );
      const said = [...wordsOf(message), ...calls].join("\n");
      // What it only thought is not told.
      return said === "" ? null : { role: "assistant", content: [{ type: "text", text: said }] };
    }
  }
}

/** Its words as a quotation and the names of its tools: their arguments say what is being done and not yet done. */
function tellUnfinished(message: AssistantMessage): ModelMessage {
  const quoted = wordsOf(message).flatMap((words) => words.split("\n").map((line) => `> ${line}`));
  const names = message.calls.map(({ name }) => name).join(", ");
  return user([text([UNFINISHED, ...quoted, `[called: ${names}]`].join("\n"))]);
}

function wordsOf(message: AssistantMessage): string[] {
  return message.content.flatMap(({ type, text: said }) => (type === "text" && said !== "" ? [said] : []));
}

function tokensOf(message: ModelMessage): number {
  return tokensOfMessage(message, JSON.stringify(message));
}

function user(content: readonly ContentBlock[]): ModelMessage {
  return { role: "user", content };
}

function text(words: string): ContentBlock {
  return { type: "text", text: words };
}
