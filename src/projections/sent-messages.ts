/**
 * What of a conversation the model is sent: all of it, or the newest summary and what the summary does not stand for.
 * docs/reference/compaction.md
 */
import { PAGE_SIZE, type Transcript, type TranscriptMessage } from "./transcript.ts";

/** A message that is sent. */
export interface SentMessage {
  /** Its place in the transcript, from 0; -1 for the summary, which comes first wherever it was made. */
  readonly place: number;
  readonly message: TranscriptMessage;
}

/** The messages that are sent, in the order in which they are sent. */
export function sentMessages(view: Transcript): SentMessage[] {
  const { summary, pages, tail } = view;
  if (summary === null) return [...placed(view, 0)];
  const sent: SentMessage[] = [{ place: -1, message: summary }];
  for (const place of summary.kept) {
    const message = pages[Math.floor(place / PAGE_SIZE)]?.messages[place % PAGE_SIZE];
    const found = message ?? tail[place - pages.length * PAGE_SIZE];
    if (found !== undefined) sent.push({ place, message: found });
  }
  sent.push(...placed(view, summary.messages));
  return sent;
}

/** Messages from a place on. Summaries stand among them where they were made, and are not sent there. */
function* placed({ pages, tail }: Transcript, from: number): Generator<SentMessage> {
  // Pages before it are not looked at: those of a resumed session are parsed when they are.
  for (let index = Math.floor(from / PAGE_SIZE); index <= pages.length; index += 1) {
    const messages = pages[index]?.messages ?? tail;
    const first = index * PAGE_SIZE;
    for (let at = Math.max(0, from - first); at < messages.length; at += 1) {
      const message = messages[at];
      if (message !== undefined && message.role !== "summary") yield { place: first + at, message };
    }
  }
}
