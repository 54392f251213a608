/** The control plane over HTTP on loopback. docs/reference/control-plane.md, "Over HTTP" */
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
import type { Server } from "node:http";
import { LemonError } from "../../errors.ts";
import type { Cursor, EventLog } from "../../log/index.ts";
import {
  isJson,
  isOwn,
  listenOnLoopback,
  loopbackServer,
  LOOPBACK_HOST,
  readBody,
} from "../../loopback/index.ts";
import type { Clock, Ids, Logger } from "../../ports.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { filterOf } from "../feed/filter.ts";
import { MAX_MESSAGE_BYTES, tooLarge } from "../message/parse.ts";
import { errorText } from "../message/reply.ts";
import { assertCursor, headOf } from "../methods/facts.ts";
import { RefusedError, wireError } from "../rpc-error.ts";
import { allows } from "../scopes.ts";
import { FactStream } from "./fact-stream.ts";
import type { Tokens } from "./tokens.ts";

/** Consumers of `GET /facts`, at most. */
const MAX_STREAMS = 100;
/** How long a request may take to arrive, and its head. */
const REQUEST_MS = 60_000;

/** What such a server works with. */
export interface HttpParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly dispatcher: Dispatcher;
  readonly tokens: Tokens;
}

type Call = Context<{ Bindings: HttpBindings }>;

/** A server that listens. */
export class HttpServer {
  readonly #parts: HttpParts;
  readonly #server: Server;
  readonly #streams = new Set<FactStream>();
  readonly #open = new Set<Promise<unknown>>();
  #isClosing = false;
  /** Kept: a server that is closing no longer knows where it listened. */
  #port = 0;

  private constructor(parts: HttpParts) {
    this.#parts = parts;
    this.#server = loopbackServer(this.#routes().fetch, REQUEST_MS);
  }

  /** Listens. @param port - 0: one that is free. @throws PortUnavailableError */
  static async listen(parts: HttpParts, port: number): Promise<HttpServer> {
    const made = new HttpServer(parts);
    made.#port = await listenOnLoopback(made.#server, port);
    return made;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://${LOOPBACK_HOST}:${this.port}`;
  }

  /** Takes no more connections and ends the streams of facts; calls that run go on. */
  close(): void {
    this.#isClosing = true;
    this.#server.close();
    for (const stream of this.#streams) stream.stop();
  }

  /** Resolves when all that was asked by now is answered. */
  async answered(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  /** Cuts every connection. */
  destroy(): void {
    this.#server.closeAllConnections();
  }

  #routes(): Hono<{ Bindings: HttpBindings }> {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.use(async (call, next) => {
      if (!isOwn(call.req.header("host"), call.req.header("origin"), this.port)) {
        return this.#refuse(
          call,
          403,
          new RefusedError("forbidden", "The request names another host, or comes from another origin."),
        );
      }
      return next();
    });
    app.post("/rpc", (call) => this.#tracked(this.#answer(call)));
    app.get("/facts", (call) => this.#follow(call));
    app.on(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"], "/rpc", (call) => notAllowed(call, "POST"));
    app.on(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"], "/facts", (call) => notAllowed(call, "GET"));
    app.notFound((call) => call.body(null, 404));
    app.onError((error, call) => this.#refuse(call, 500, error));
    return app;
  }

  #tracked<Result>(work: Promise<Result>): Promise<Result> {
    this.#open.add(work);
    return work.finally(() => this.#open.delete(work));
  }

  async #answer(call: Call): Promise<Response> {
    const { dispatcher, tokens } = this.#parts;
    if (!isJson(call.req.header("content-type")) || call.req.header("content-encoding") !== undefined) {
      return call.body(null, 415);
    }
    const scopes = tokens.scopesOf(call.req.header("authorization"));
    const caller = { scopes, subscriber: null, answered: Promise.resolve() };
    const body = await readBody(call.env.incoming, MAX_MESSAGE_BYTES);
    // Whether it came too late is told by the state in which the dispatcher begins.
    const isLate = this.#isClosing;
    const answer = await dispatcher.answer(body ?? tooLarge(), caller);
    if (this.#isClosing) call.header("Connection", "close");
    if (body === null) {
      // What is left of the body would be taken for the next request.
      call.header("Connection", "close");
      return json(call, answer, 413);
    }
    if (isLate && scopes !== null) return json(call, answer, 503);
    if (scopes !== null) return answer === null ? call.body(null, 204) : json(call, answer, 200);
    call.header("WWW-Authenticate", "Bearer");
    return answer === null ? call.body(null, 401) : json(call, answer, 401);
  }

  async #follow(call: Call): Promise<Response> {
    const { log, clock, logger, tokens } = this.#parts;
    const scopes = tokens.scopesOf(call.req.header("authorization"));
    if (scopes === null) {
      call.header("WWW-Authenticate", "Bearer");
      return this.#refuse(call, 401, new RefusedError("unauthorized", "A valid bearer token is needed."));
    }
    if (!allows(scopes, "read"))
      return this.#refuse(call, 403, new RefusedError("forbidden", "Following facts needs the scope read."));
    if (this.#isClosing)
      return this.#refuse(call, 503, new RefusedError("shutting_down", "The server is shutting down."));
    if (this.#streams.size >= MAX_STREAMS) {
      return this.#refuse(
        call,
        429,
        new RefusedError(
          "too_many_subscriptions",
          `At most ${MAX_STREAMS} streams of facts are open at once.`,
        ),
      );
    }
    let after: Cursor | null;
    try {
      after = await this.#startOf(call);
    } catch (error) {
      const isAhead = error instanceof LemonError && error.reason === "cursor_ahead";
      return this.#refuse(call, isAhead ? 409 : error instanceof LemonError ? 400 : 500, error);
    }
    const types = call.req
      .queries("types")
      ?.flatMap((list) => list.split(","))
      .filter((type) => type !== "");
    const [sessionId, streams] = [call.req.query("sessionId"), call.req.query("streams")];
    const stream = new FactStream(call.env.outgoing, {
      log,
      clock,
      logger,
      after,
      filter: filterOf({ sessionId, streams, types: types?.length === 0 ? undefined : types }),
    });
    this.#streams.add(stream);
    void this.#tracked(stream.run()).finally(() => this.#streams.delete(stream));
    return RESPONSE_ALREADY_SENT;
  }

  /** What was seen last wins over what was asked first: a browser repeats the address when it reconnects. */
  async #startOf(call: Call): Promise<Cursor | null> {
    const { log } = this.#parts;
    const said = call.req.header("last-event-id") ?? call.req.query("after");
    if (said === undefined || said === "") return headOf(log);
    await assertCursor(log, said);
    return said;
  }

  #refuse(call: Call, status: 400 | 401 | 403 | 409 | 429 | 500 | 503, error: unknown): Response {
    const { logger, ids } = this.#parts;
    return json(
      call,
      errorText("null", wireError(error, { logger, ids, method: null, params: null })),
      status,
    );
  }
}

function json(
  call: Call,
  text: string | null,
  status: 200 | 400 | 401 | 403 | 409 | 413 | 429 | 500 | 503,
): Response {
  return call.body(text ?? "", status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
}

function notAllowed(call: Call, allow: string): Response {
  return call.body(null, 405, { Allow: allow });
}
