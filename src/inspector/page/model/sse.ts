/** Reads a stream of server-sent events as it comes in pieces. https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** An event as it was sent; `data` is its text. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** What has come and is not an event yet. */
export interface SseRest {
  readonly text: string;
}

/** Nothing has come. */
export const SSE_START: SseRest = { text: "" };

/** The events that a piece completes, and what is left. */
export function readEvents(
  rest: SseRest,
  piece: string,
): { readonly events: SentEvent[]; readonly rest: SseRest } {
  // A piece may end between \r and \n.
  const text = rest.text + piece;
  const held = text.endsWith("\r") ? "\r" : "";
  const blocks = text
    .slice(0, text.length - held.length)
    .replaceAll(/\r\n?/g, "\n")
    .split("\n\n");
  const left = blocks.pop() ?? "";
  return { events: blocks.flatMap(eventOf), rest: { text: left + held } };
}

function eventOf(block: string): SentEvent[] {
  const lines = block.split("\n").filter((line) => line !== "" && !line.startsWith(":"));
  const values = (name: string): string[] =>
    lines
      .filter((line) => line === name || line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  const data = values("data");
  return data.length === 0 ? [] : [{ event: values("event").at(-1) ?? "message", data: data.join("\n") }];
}
