/** The server of the page: its files, its questions, and what is appended meanwhile. docs/reference/inspector.md */
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { EventLog } from "../../log/index.ts";
import {
  bearerDigest,
  isJson,
  isOwn,
  isSameToken,
  listenOnLoopback,
  loopbackServer,
  LOOPBACK_HOST,
  readBody,
  tokenDigest,
} from "../../loopback/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { ForkAnswer, ForkRequest, SessionsAnswer } from "../api.ts";
import type { Prices } from "../derive/usage.ts";
import type { SessionBook } from "../session/session-book.ts";
import { SessionRows } from "../session/session-rows.ts";
import { Shelf } from "../session/shelf.ts";
import { SupervisionBook } from "../session/supervision-book.ts";
import * as answers from "./answers.ts";
import { fileDiff } from "./file-diff.ts";
import { forkRequestOf } from "./fork-request.ts";
import { LiveHub } from "./live-hub.ts";
import { overview } from "./overview.ts";
import { InvalidParameterError, Query, wholeNumber } from "./query.ts";
import { RefusedRequestError, refusalOf } from "./refusal.ts";
import { builtPage, pageFile, safeHeaders } from "./static-files.ts";
import { compareStates, verifySession } from "./travel.ts";

const TOKEN_BYTES = 32;
const MAX_BODY_BYTES = 65_536;
const REQUEST_MS = 30_000;
const anyVersion = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** What an inspector works with. */
export interface InspectorParts {
  /** Read only: nothing is written to it. */
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes a fork; it leads the new session no longer than that takes. */
  readonly fork: (request: ForkRequest) => Promise<ForkAnswer>;
  /** The session that the page begins with. Default: none. */
  readonly selected?: string;
  /** What models cost; without it no cost is told. */
  readonly prices?: Prices;
  /** Default: where the build puts the page. */
  readonly pageFolder?: string;
}

type Call = Context<{ Bindings: HttpBindings }>;
type Answer = (book: SessionBook, query: Query, call: Call) => unknown;

/** A server that listens. */
export class Inspector {
  readonly #parts: InspectorParts;
  readonly #server: Server;
  readonly #token = randomBytes(TOKEN_BYTES).toString("base64url");
  readonly #digest = tokenDigest(this.#token);
  readonly #shelf: Shelf;
  readonly #rows: SessionRows;
  readonly #supervised: SupervisionBook;
  readonly #live: LiveHub;
  #port = 0;

  private constructor(parts: InspectorParts) {
    const { log } = parts;
    this.#parts = parts;
    this.#shelf = new Shelf(log, parts.prices ?? {});
    this.#rows = new SessionRows(log);
    this.#supervised = new SupervisionBook(log);
    this.#live = new LiveHub({ ...parts, shelf: this.#shelf });
    this.#server = loopbackServer(this.#routes().fetch, REQUEST_MS);
  }

  /**
   * Listens on this machine alone.
   *
   * @param port - 0: one that is free
   * @throws PortUnavailableError
   */
  static async listen(parts: InspectorParts, port = 0): Promise<Inspector> {
    const made = new Inspector(parts);
    await made.#live.start();
    made.#port = await listenOnLoopback(made.#server, port);
    return made;
  }

  get port(): number {
    return this.#port;
  }

  /** Where the page is. The token stands behind the `#`, which no browser sends and no server logs. */
  get url(): string {
    return `http://${LOOPBACK_HOST}:${this.#port}/#token=${this.#token}`;
  }

  /** Ends all that is told and cuts every connection. */
  async close(): Promise<void> {
    this.#live.close("shutting_down");
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    // Those that are told the last word get one turn to take it.
    setImmediate(() => this.#server.closeAllConnections());
    await closed;
  }

  #routes(): Hono<{ Bindings: HttpBindings }> {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.use(async (call, next) => {
      if (!isOwn(call.req.header("host"), call.req.header("origin"), this.#port)) {
        throw new RefusedRequestError(
          "forbidden",
          "The request names another host, or comes from another origin.",
        );
      }
      return next();
    });
    app.use("/api/*", async (call, next) => {
      const digest = bearerDigest(call.req.header("authorization"));
      if (digest === null || !isSameToken(digest, this.#digest)) {
        call.header("WWW-Authenticate", "Bearer");
        throw new RefusedRequestError("unauthorized", "The token of the printed URL is needed.");
      }
      return next();
    });
    this.#sessionRoutes(app);
    this.#otherRoutes(app);
    app.all("/api/*", () => {
      throw new RefusedRequestError("not_found", "There is no such question, or not with this method.");
    });
    app.get("*", (call) => this.#file(call));
    app.notFound((call) => call.body(null, 404, safeHeaders));
    app.onError((error, call) => {
      const { status, body } = refusalOf(error, this.#parts.logger);
      return json(call, body, status);
    });
    return app;
  }

  #sessionRoutes(app: Hono<{ Bindings: HttpBindings }>): void {
    const { log } = this.#parts;
    const get = (path: string, answer: Answer): void => {
      app.get(`/api/sessions/:id${path}`, async (call) => {
        const book = await this.#shelf.open(call.req.param("id") ?? "");
        return json(call, await answer(book, queryOf(call), call));
      });
    };
    get("", (book) => overview(book, log, this.#rows));
    get("/timeline", answers.timeline);
    get("/facts", answers.facts);
    get("/facts/matching", answers.factsMatching);
    get("/facts/:version", (book, _query, call) => {
      const version = wholeNumber("version", call.req.param("version") ?? "", { ...anyVersion, least: 1 });
      return answers.oneFact(book, log, version);
    });
    get("/state", (book, query) => answers.state(book, log, query));
    get("/messages", answers.messages);
    get("/calls", answers.calls);
    get("/usage", answers.usage);
    get("/files", answers.files);
    get("/files/diff", (book, query) => fileDiff(book, log, query));
    get("/supervision", (book, query) => answers.supervision(book, this.#supervised, query));
    get("/verify", (book) => verifySession(log, book));
  }

  #otherRoutes(app: Hono<{ Bindings: HttpBindings }>): void {
    const { log, selected = null, fork } = this.#parts;
    app.get("/api/sessions", async (call) => {
      const answer: SessionsAnswer = { sessions: await this.#rows.list(), selected };
      return json(call, answer);
    });
    app.get("/api/diff", async (call) => json(call, await compareStates(log, this.#shelf, queryOf(call))));
    app.post("/api/fork", async (call) => {
      if (!isJson(call.req.header("content-type"))) {
        throw new InvalidParameterError("Content-Type", "application/json", "another type, or none");
      }
      const body = await readBody(call.env.incoming, MAX_BODY_BYTES);
      if (body === null) {
        call.header("Connection", "close");
        throw new RefusedRequestError("message_too_large", `A body has at most ${MAX_BODY_BYTES} bytes.`);
      }
      const request = forkRequestOf(body.toString("utf8"));
      await answers.assertVersion(await this.#shelf.open(request.sessionId), request.at);
      return json(call, await fork(request));
    });
    app.get("/api/live", async (call) => {
      const query = queryOf(call);
      const session = query.text("session");
      const book = session === null ? null : await this.#shelf.open(session);
      const after = query.number("after", anyVersion) ?? book?.version ?? 0;
      if (book !== null) await answers.assertVersion(book, after);
      this.#live.add(call.env.outgoing, book, after);
      return RESPONSE_ALREADY_SENT;
    });
  }

  async #file(call: Call): Promise<Response> {
    const folder = this.#parts.pageFolder ?? builtPage;
    // As it came: what the router decoded is not what names a file.
    const pathname = (call.env.incoming.url ?? "/").split(/[?#]/, 1)[0] ?? "/";
    const file = await pageFile(folder, pathname);
    if (file !== null)
      return call.body(new Uint8Array(file.bytes), 200, { ...safeHeaders, "Content-Type": file.type });
    const text =
      pathname === "/"
        ? "The page was not built: run `npm run build`, and start `lemon inspect` again.\n"
        : "There is no such file.\n";
    return call.body(text, 404, { ...safeHeaders, "Content-Type": "text/plain; charset=utf-8" });
  }
}

function queryOf(call: Call): Query {
  return new Query(new URL(call.req.url).searchParams);
}

function json(call: Call, value: unknown, status = 200): Response {
  // Any status: the type lists those that the framework names.
  return call.body(JSON.stringify(value), status as 200, {
    ...safeHeaders,
    "Content-Type": "application/json",
  });
}
