/** What the tests of this room share: a clock, a context, and a server that answers with given bytes. */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../src/ports.ts";
import type {
  Model,
  ModelAnswer,
  ModelContext,
  ModelDelta,
  ModelRequestOptions,
} from "../../src/providers/index.ts";

/** Stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now = Date.parse("2025-01-01T00:00:00Z");
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    this.#timers.set(fire, this.#now + delayMs);
    return () => this.#timers.delete(fire);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  advance(byMs: number): void {
    this.#now += byMs;
    for (const [fire, at] of this.#timers) {
      if (at > this.#now) continue;
      this.#timers.delete(fire);
      fire();
    }
  }
}

export function contextOf(text = "hello"): ModelContext {
  return {
    systemPrompt: "You are a test.",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [
      {
        name: "bash",
        description: "Runs a command",
        parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
      },
    ],
  };
}

/** Options of a first request; what is given wins. */
export function optionsOf(options: Partial<ModelRequestOptions> = {}): ModelRequestOptions {
  return {
    signal: new AbortController().signal,
    onDelta: () => undefined,
    responses: 0,
    failures: 0,
    clock: new ManualClock(),
    ...options,
  };
}

/** Asks and keeps the deltas. */
export async function ask(
  model: Model,
  options: Partial<ModelRequestOptions> = {},
  context = contextOf(),
): Promise<{ answer: ModelAnswer; deltas: ModelDelta[] }> {
  const deltas: ModelDelta[] = [];
  const answer = await model.request(
    context,
    optionsOf({
      onDelta: (delta) => {
        deltas.push(delta);
      },
      ...options,
    }),
  );
  return { answer, deltas };
}

/** The text of a whole answer; a failure as JSON, so that a wrong outcome shows in the assertion. */
export function textOf(answer: ModelAnswer): string {
  if (answer.type !== "answered") return JSON.stringify(answer);
  return answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export type Handler = (response: ServerResponse, request: IncomingMessage, body: string) => void;

/** A server on the loopback whose answer each test sets. */
export interface RawServer {
  readonly url: string;
  handle: Handler;
  readonly bodies: unknown[];
  close(): Promise<void>;
}

export async function startRawServer(): Promise<RawServer> {
  const bodies: unknown[] = [];
  const raw = {
    url: "",
    handle: ((response) => response.writeHead(500).end()) as Handler,
    bodies,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(JSON.parse(body));
      raw.handle(response, request, body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  raw.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return raw;
}

/** Answers with an event stream, in the pieces given; each is flushed before the next. */
export function streaming(pieces: readonly (string | Uint8Array)[]): Handler {
  return (response) => {
    response.socket?.setNoDelay(true);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const writeFrom = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) {
        response.end();
        return;
      }
      // Not before the kernel has it, and a turn later: the reader gets to see each piece for itself.
      response.write(piece, () => setImmediate(writeFrom, index + 1));
    };
    writeFrom(0);
  };
}

/** `bytes` cut at the offsets. */
export function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const borders = [...new Set([0, ...cuts, bytes.length])]
    .filter((cut) => cut <= bytes.length)
    .toSorted((a, b) => a - b);
  return borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
}

export const utf8 = new TextEncoder();
