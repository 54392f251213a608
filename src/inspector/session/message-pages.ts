/** Messages of a conversation, read from the log when they are shown. */
import { messagesOf, project, transcript, type TranscriptMessage } from "../../projections/index.ts";
import type { MessagePlaces } from "../derive/message-places.ts";
import type { History } from "./history.ts";
import { RecentlyUsed } from "./recently-used.ts";

/** Messages that are read together. */
const PAGE = 32;
/** Characters that are kept, over all pages. */
const MAX_CHARS = 32 * 1_048_576;
const types = Object.keys(transcript.types);

/** A message never changes once it is there, so a page only grows. */
export class MessagePages {
  readonly #history: History;
  readonly #places: MessagePlaces;
  readonly #pages = new RecentlyUsed<number, readonly TranscriptMessage[]>(MAX_CHARS);

  constructor(history: History, places: MessagePlaces) {
    this.#history = history;
    this.#places = places;
  }

  /** Messages `from` to `to`, that one not included. @param total - how many there are by now */
  async read(from: number, to: number, total: number): Promise<TranscriptMessage[]> {
    const found: TranscriptMessage[] = [];
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page += 1) {
      const start = page * PAGE;
      const wanted = Math.min(to, start + PAGE) - start;
      const messages = await this.#page(page, wanted, total);
      found.push(...messages.slice(Math.max(0, from - start), wanted));
    }
    return found;
  }

  async #page(page: number, wanted: number, total: number): Promise<readonly TranscriptMessage[]> {
    const known = this.#pages.get(page);
    if (known !== undefined && known.length >= wanted) return known;
    const start = page * PAGE;
    const end = Math.min(start + PAGE, total);
    const { fromVersion, toVersion, first } = this.#places.rangeOf(start, end);
    let view = transcript.initial;
    for await (const fact of this.#history.read(fromVersion, toVersion, types))
      view = project(transcript, view, fact);
    const messages = messagesOf(view).slice(start - first, end - first);
    this.#pages.set(
      page,
      messages,
      messages.reduce((sum, message) => sum + charsOf(message), 0),
    );
    return messages;
  }
}

function charsOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce((sum: number, member) => sum + charsOf(member), 16);
}
