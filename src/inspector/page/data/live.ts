/** What is appended meanwhile, and whether the server is there. Reconnects for as long as the page is open. */
import type { LiveEvent } from "../../api.ts";
import { readEvents, SSE_START } from "../model/sse.ts";
import { asFault, pathOf, type ApiFault, type Client } from "./client.ts";

/** What happens on the line. */
export interface LiveHandlers {
  readonly onEvent: (event: LiveEvent) => void;
  readonly onOpen: () => void;
  readonly onLost: (fault: ApiFault) => void;
  /** Last version that is known of the session: what is asked for from there on. */
  readonly after: () => number;
}

const RETRY_MS = 1500;

/** Listens until the signal is aborted. */
export async function listen(
  client: Client,
  session: string | null,
  handlers: LiveHandlers,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const after = session === null ? null : handlers.after();
      const stream = await client.stream(pathOf("/api/live", { session, after }), signal);
      handlers.onOpen();
      await readAll(stream, handlers.onEvent);
    } catch (error) {
      if (signal.aborted) return;
      handlers.onLost(asFault(error));
      await pause(RETRY_MS, signal);
    }
  }
}

/** Ends when the server says so; a line that breaks throws. */
async function readAll(stream: ReadableStream<string>, onEvent: LiveHandlers["onEvent"]): Promise<void> {
  const reader = stream.getReader();
  let rest = SSE_START;
  let isOver = false;
  while (!isOver) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The server closed the line.");
    const read = readEvents(rest, value);
    rest = read.rest;
    for (const { event, data } of read.events) {
      // Of the same package and version as this page, so its events are what api.ts says.
      onEvent({ event, data: JSON.parse(data) as unknown } as LiveEvent);
      isOver ||= event === "ended";
    }
  }
  await reader.cancel();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
