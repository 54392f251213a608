/**
 * Where a conversation is cut: what a summary will stand for, and what is still sent word for word. Pure: a function of
 * the transcript and the limits. docs/reference/compaction.md
 */
import { sentMessages, type SentMessage, type Transcript } from "../../projections/index.ts";
import type { ContextLimits } from "./context-limits.ts";
import { tokensIn, tokensOf } from "./request.ts";

/** A cut; the words are those of the fact `session.compacted`. */
export interface Cut {
  /** So many messages of the transcript, its first, are no longer sent. */
  readonly messages: number;
  /** Places of those among them that are sent all the same. */
  readonly kept: readonly number[];
}

/** Shares of `keepTokens`: what is kept from before the cut at most, and what must be gained at least. */
const SHARE = 1 / 4;

/** @returns `null` when there is too little to summarise */
export function planCut(view: Transcript, limits: ContextLimits): Cut | null {
  const sent = sentMessages(view).filter(({ place }) => place >= 0);
  const start = startOfKept(sent, limits);
  const cut: Cut = {
    messages: sent[start]?.place ?? (sent.at(-1)?.place ?? -1) + 1,
    kept: pinned(sent, start, limits.keepTokens * SHARE),
  };
  const gained = tokensIn(cutOff(view, cut).filter(({ place }) => place >= 0));
  return gained > 0 && gained >= limits.keepTokens * SHARE ? cut : null;
}

/** What a cut takes out of what is sent: an earlier summary first, then messages. */
export function cutOff(view: Transcript, { messages, kept }: Cut): SentMessage[] {
  const stays = new Set(kept);
  return sentMessages(view).filter(({ place }) => place < messages && !stays.has(place));
}

/** The first of the newest messages that fit. Results never stand without the calls that they answer. */
function startOfKept(
  sent: readonly SentMessage[],
  { window, reserveTokens, keepTokens }: ContextLimits,
): number {
  let start = sent.length;
  let tokens = 0;
  for (let index = sent.length - 1; index >= 0; index -= 1) {
    const { message } = sent[index] as SentMessage; // within the list
    tokens += tokensOf(message);
    const isNewest = start === sent.length;
    // What a user said last is kept whatever its size, and the newest calls while there is room for them.
    const limit = !isNewest
      ? keepTokens
      : message.role === "user" || message.role === "custom"
        ? Infinity
        : Math.max(keepTokens, (window - reserveTokens) / 2);
    if (tokens > limit) break;
    if (message.role !== "tool") start = index;
  }
  return start;
}

/**
 * What the agent works on must not get lost in a summary: the newest prompt, the newest context of hooks, and what the
 * user said since the prompt, the newest of it first, as far as it fits.
 */
function pinned(sent: readonly SentMessage[], start: number, room: number): number[] {
  const lastOf = (is: (sent: SentMessage) => boolean): number => sent.findLastIndex(is);
  const prompt = lastOf(({ message }) => message.role === "user" && message.source === "prompt");
  const context = lastOf(({ message }) => message.role === "custom");
  const said = sent.flatMap(({ message }, index) =>
    prompt >= 0 && index > prompt && message.role === "user" ? [index] : [],
  );
  const places: number[] = [];
  let left = room;
  for (const index of [prompt, context, ...said.toReversed()]) {
    const found = index < start ? sent[index] : undefined;
    if (found === undefined || tokensOf(found.message) > left) continue;
    left -= tokensOf(found.message);
    places.push(found.place);
  }
  return places.sort((a, b) => a - b);
}
