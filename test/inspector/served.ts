/** An inspector in this process, over a real socket. */
import { request, type IncomingHttpHeaders } from "node:http";
import { silentLogger } from "../../src/ports.ts";
import { Inspector, type InspectorParts } from "../../src/inspector/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { systemClock } from "../../src/runtime/index.ts";

// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Json;
}

/** A server and a way to ask it. */
export class Served {
  readonly inspector: Inspector;
  readonly token: string;

  private constructor(inspector: Inspector) {
    this.inspector = inspector;
    this.token = inspector.url.split("token=")[1] ?? "";
  }

  static async over(log: EventLog, parts: Partial<InspectorParts> = {}): Promise<Served> {
    const fork = (): Promise<never> => Promise.reject(new Error("no fork in this test"));
    return new Served(
      await Inspector.listen({ log, clock: systemClock, logger: silentLogger, fork, ...parts }),
    );
  }

  /** Asks as the page does, unless headers say otherwise. */
  ask(
    path: string,
    options: {
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    } = {},
  ): Promise<Reply> {
    const { method = "GET", headers = {}, body } = options;
    return new Promise((resolve, reject) => {
      const call = request({
        host: "127.0.0.1",
        port: this.inspector.port,
        path,
        method,
        headers: { Authorization: `Bearer ${this.token}`, ...headers },
      });
      call.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => {
          const isJson = response.headers["content-type"] === "application/json";
          const json: Json = isJson ? JSON.parse(text) : null;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      });
      call.end(body);
    });
  }

  /** Reads server-sent events until one satisfies, and gives all that came. */
  async live(
    path: string,
    isLast: (event: string, data: Json) => boolean,
  ): Promise<{ event: string; data: Json }[]> {
    const response = await fetch(`http://127.0.0.1:${this.inspector.port}${path}`, {
      headers: { Authorization: `Bearer ${this.token}` },
    });
    const events: { event: string; data: Json }[] = [];
    let text = "";
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(piece);
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1];
        if (event === undefined) continue;
        const data: Json = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null");
        events.push({ event, data });
        if (isLast(event, data)) return events;
      }
    }
    return events;
  }
}
