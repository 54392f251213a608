/** A control plane in this process, over real sockets. */
import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach } from "vitest";
import { Dispatcher } from "../../../src/control-plane/dispatcher.ts";
import {
  serveHttp,
  serveStdio,
  Tokens,
  type ControlPlaneParts,
  type Scope,
} from "../../../src/control-plane/index.ts";
import { methodTable } from "../../../src/control-plane/methods/index.ts";
import type { Clock, Logger } from "../../../src/ports.ts";
import type { ScriptedTurn } from "../../../src/providers/index.ts";
import { systemClock, type Runtime, type RuntimeOptions } from "../../../src/runtime/index.ts";
import { countingIds } from "../../support/ids.ts";
import { scriptedRuntime } from "../../support/runtimes.ts";

export const TOKEN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

const open = new Set<Plane>();

afterEach(async () => {
  await Promise.all([...open].map((plane) => plane.close()));
});

export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A runtime with its doors. */
export class Plane {
  readonly runtime: Runtime;
  readonly lines: LogLine[] = [];
  readonly stop = new AbortController();
  readonly #clock: Clock;
  readonly #served: Promise<void>[] = [];

  private constructor(runtime: Runtime, clock: Clock) {
    this.runtime = runtime;
    this.#clock = clock;
    open.add(this);
  }

  static async make(
    options: {
      readonly turns?: readonly ScriptedTurn[];
      readonly log?: string;
      readonly clock?: Clock;
      readonly runtime?: Partial<RuntimeOptions>;
    } = {},
  ): Promise<Plane> {
    const turns = options.turns ?? Array.from({ length: 50 }, (_, at) => ({ text: `answer ${at + 1}` }));
    const runtime = await scriptedRuntime(options.log ?? ":memory:", turns, options.runtime);
    return new Plane(runtime, options.clock ?? systemClock);
  }

  /** With a session `s1` in it. */
  static async withSession(options: Parameters<typeof Plane.make>[0] = {}): Promise<Plane> {
    const plane = await Plane.make(options);
    await plane.runtime.sessions.start({ sessionId: "s1", model: "s/m" });
    return plane;
  }

  get logger(): Logger {
    const line = (level: string) => (fields: object, message: string) =>
      void this.lines.push({ level, fields: fields as LogLine["fields"], message });
    return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  }

  get parts(): ControlPlaneParts {
    return {
      runtime: this.runtime,
      logger: this.logger,
      clock: this.#clock,
      ids: countingIds(0xabc000),
      closeRuntime: async () => void (await this.runtime.close()),
    };
  }

  /** What answers, without a transport. */
  get dispatcher(): Dispatcher {
    const { runtime, logger, ids } = this.parts;
    return new Dispatcher({ methods: methodTable, runtime, logger, ids });
  }

  /** Serves a connection of lines and connects to it. */
  async lineClient(scopes: readonly Scope[] = ["admin"]): Promise<LineClient> {
    const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const accepted = once(server, "connection");
    const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
    const [far] = (await accepted) as [Socket];
    server.close();
    far.on("error", () => undefined);
    const served = serveStdio(this.parts, {
      input: far,
      output: far,
      scopes: new Set(scopes),
      stop: this.stop.signal,
    });
    this.#served.push(served.finally(() => far.end()));
    return new LineClient(socket, served);
  }

  /** Serves over HTTP. */
  async http(
    tokens: Readonly<Record<string, readonly Scope[]>> = { [TOKEN]: ["admin"] },
    limit: ReadonlySet<Scope> | null = null,
  ): Promise<{ readonly url: string; readonly port: number; readonly served: Promise<void> }> {
    const known = new Tokens(limit);
    for (const [token, scopes] of Object.entries(tokens)) known.add(token, scopes);
    return new Promise((resolve, reject) => {
      const served = serveHttp(this.parts, {
        tokens: known,
        port: 0,
        stop: this.stop.signal,
        listening: (url, port) => resolve({ url, port, served }),
      });
      served.catch(reject);
      this.#served.push(served);
    });
  }

  async close(): Promise<void> {
    open.delete(this);
    this.stop.abort();
    await Promise.allSettled(this.#served);
    await this.runtime.close();
  }
}

/** A client that writes and reads lines. */
export class LineClient {
  readonly socket: Socket;
  readonly served: Promise<void>;
  readonly all: string[] = [];
  readonly #notices: Json[] = [];
  #buffer = "";
  #next = 1;
  #look: (() => void)[] = [];

  constructor(socket: Socket, served: Promise<void>) {
    this.socket = socket;
    this.served = served;
    socket.on("error", () => undefined);
    socket.setEncoding("utf8").on("data", (text: string) => {
      this.#buffer += text;
      const lines = this.#buffer.split("\n");
      this.#buffer = lines.pop() ?? "";
      this.all.push(...lines);
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.method !== undefined) this.#notices.push(message);
      }
      for (const look of this.#look.splice(0)) look();
    });
    socket.on("close", () => this.#look.splice(0).forEach((look) => look()));
  }

  write(line: string | Uint8Array): void {
    this.socket.write(line);
    this.socket.write("\n");
  }

  /** The first line that fits, past or to come. */
  async line(fits: (message: Json) => boolean): Promise<Json> {
    for (let at = 0; ;) {
      for (; at < this.all.length; at += 1) {
        const message = JSON.parse(this.all[at] ?? "");
        if (fits(message)) return message;
      }
      if (this.socket.destroyed) throw new Error("the connection was closed");
      await new Promise<void>((resolve) => this.#look.push(resolve));
    }
  }

  /** Calls a method. @returns the whole answer */
  call(method: string, params?: unknown): Promise<Json> {
    const id = this.#next++;
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return this.line((message) => message.id === id);
  }

  /** The line that follows a message. */
  async next(message: string | Uint8Array): Promise<Json> {
    const from = this.all.length;
    this.write(message);
    while (this.all.length === from) await new Promise<void>((resolve) => this.#look.push(resolve));
    return JSON.parse(this.all[from] ?? "");
  }

  /** Answers of a message that is any bytes: those before the answer to a call that is sent after it. */
  async answersTo(message: string | Uint8Array): Promise<Json[]> {
    const from = this.all.length;
    this.write(message);
    const id = `end-${this.#next++}`;
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method: "sessions.list" }));
    await this.line((answer) => answer.id === id);
    return this.all
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter((answer) => answer.id !== id);
  }

  /** Notifications so far. */
  get notices(): readonly Json[] {
    return this.#notices;
  }

  /** Resolves when the notifications fit. */
  async noticed(fits: (notices: readonly Json[]) => boolean): Promise<readonly Json[]> {
    while (!fits(this.#notices)) {
      if (this.socket.destroyed) throw new Error("the connection was closed");
      await new Promise<void>((resolve) => this.#look.push(resolve));
    }
    return this.#notices;
  }
}

/** Posts a message. */
export async function post(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: Json; readonly headers: Headers }> {
  const response = await fetch(`${url}/rpc`, {
    method: "POST",
    body: body as never,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}`, ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? null : JSON.parse(text),
    headers: response.headers,
  };
}

/** Calls a method by POST. @returns the whole answer */
export async function postCall(url: string, method: string, params?: unknown): Promise<Json> {
  const { body } = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  return body;
}
