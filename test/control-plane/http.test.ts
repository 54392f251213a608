import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { Plane, post, postCall, TOKEN } from "./support/plane.ts";

const list = '{"jsonrpc":"2.0","id":7,"method":"sessions.list"}';

/** A request of which every header is said. */
function raw(
  port: number,
  options: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: readonly string[];
  },
): Promise<{
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}> {
  const { method = "POST", path = "/rpc", headers = {} } = options;
  const body = options.body ?? (method === "POST" ? [list] : []);
  return new Promise((resolve, reject) => {
    const call = request({
      port,
      host: "127.0.0.1",
      method,
      path,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}`, ...headers },
    });
    call.on("error", reject).on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    for (const piece of body) call.write(piece);
    call.end();
  });
}

async function served() {
  const plane = await Plane.withSession();
  return { plane, ...(await plane.http()) };
}

describe("who may call", () => {
  test.each([
    ["none", undefined],
    ["a wrong one", "Bearer nothing-that-is-known-0123456789"],
    ["another scheme", `Basic ${TOKEN}`],
    ["the token alone", TOKEN],
    ["the token and more", `Bearer ${TOKEN}x`],
    ["two words", `Bearer ${TOKEN} ${TOKEN}`],
    ["an empty one", "Bearer "],
  ])("a token is needed: %s", async (_name, Authorization) => {
    const { url, port } = await served();
    const headers = Authorization === undefined ? { Authorization: "" } : { Authorization };
    const { status, body, headers: sent } = await raw(port, { headers });
    expect(status).toBe(401);
    expect(sent["www-authenticate"]).toBe("Bearer");
    expect(JSON.parse(body)).toMatchObject({
      id: 7,
      error: { code: -32001, data: { reason: "unauthorized" } },
    });
    expect((await raw(port, { method: "GET", path: "/facts", headers })).status).toBe(401);
    expect((await postCall(url, "sessions.list")).result.total).toBe(1);
  });

  test("what is wrong with the message is told before who sends it, and a notification gets no answer", async () => {
    const { port } = await served();
    const headers = { Authorization: "" };
    const broken = await raw(port, { headers, body: ["{"] });
    expect([broken.status, (JSON.parse(broken.body) as { error: { code: number } }).error.code]).toEqual([
      401, -32700,
    ]);
    const notice = await raw(port, { headers, body: ['{"jsonrpc":"2.0","method":"x"}'] });
    expect([notice.status, notice.body]).toEqual([401, ""]);
  });

  test.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.", "0.0.0.0", "[::2]"])(
    "a foreign host is refused: %s",
    async (Host) => {
      const { port, url } = await served();
      for (const path of ["/rpc", "/facts", "/"]) {
        const { status, body } = await raw(port, { path, headers: { Host } });
        expect([status, (JSON.parse(body) as { error: { code: number } }).error.code]).toEqual([403, -32002]);
      }
      expect((await post(url, list)).status).toBe(200);
    },
  );

  test.each(["http://evil.example", "null", "https://localhost", "http://localhost:1", "file://"])(
    "a foreign origin is refused: %s",
    async (Origin) => {
      const { port } = await served();
      expect((await raw(port, { headers: { Origin } })).status).toBe(403);
      expect((await raw(port, { method: "GET", path: "/facts", headers: { Origin } })).status).toBe(403);
      expect((await raw(port, { method: "OPTIONS", headers: { Origin } })).status).toBe(403);
    },
  );

  test("this machine by any of its names, and through a tunnel, is no stranger", async () => {
    const { port } = await served();
    for (const Host of [`127.0.0.1:${port}`, "localhost:9", "LOCALHOST", `[::1]:${port}`]) {
      expect([Host, (await raw(port, { headers: { Host } })).status]).toEqual([Host, 200]);
    }
    expect((await raw(port, { headers: { Origin: `http://localhost:${port}` } })).status).toBe(200);
  });
});

describe("what may be sent", () => {
  test.each([
    "text/plain",
    "",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/jsonx",
  ])("another type is refused: %s", async (type) => {
    const { port } = await served();
    expect((await raw(port, { headers: { "Content-Type": type } })).status).toBe(415);
  });

  test("JSON is JSON however it is written", async () => {
    const { port } = await served();
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      'application/json;charset="UTF-8"',
    ])
      expect((await raw(port, { headers: { "Content-Type": type } })).status).toBe(200);
    expect((await raw(port, { headers: { "Content-Encoding": "gzip" } })).status).toBe(415);
  });

  test("other addresses and methods are not there", async () => {
    const { port } = await served();
    expect((await raw(port, { path: "/" })).status).toBe(404);
    expect((await raw(port, { path: "/rpc/x" })).status).toBe(404);
    expect(await raw(port, { method: "GET", body: [] })).toMatchObject({
      status: 405,
      headers: { allow: "POST" },
    });
    expect(await raw(port, { path: "/facts" })).toMatchObject({ status: 405, headers: { allow: "GET" } });
  });

  test(
    "more than 1 MiB is refused, with its length or in pieces, and the server goes on",
    { timeout: 30_000 },
    async () => {
      const { port, url } = await served();
      const much = `"${"x".repeat(1_048_575)}"`;
      const pieces = Array.from({ length: 24 }, () => "x".repeat(65_536));
      for (const options of [
        { headers: { "Content-Length": String(much.length) }, body: [much] },
        { headers: { "Transfer-Encoding": "chunked" }, body: pieces },
        { headers: { "Transfer-Encoding": "chunked" }, body: [...pieces, ...pieces, ...pieces, ...pieces] },
      ]) {
        const { status, body, headers } = await raw(port, options);
        expect(status).toBe(413);
        expect(headers["connection"]).toBe("close");
        expect(JSON.parse(body)).toMatchObject({
          id: null,
          error: { code: -32600, data: { reason: "message_too_large" } },
        });
        expect((await post(url, list)).status).toBe(200);
      }
      expect((await post(url, `"${"x".repeat(1_048_574)}"`)).body.error.data.reason).toBe("invalid_request");
    },
  );
});

test("requests that are no HTTP, or stop half-way, harm nobody else", async () => {
  const { port, url } = await served();
  for (const text of [
    "\u0000\u0001",
    "GET / HTTP/9.9\r\n\r\n",
    "POST /rpc HTTP/1.0\r\n\r\n",
    `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  ]) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(text);
    await new Promise((done) => setTimeout(done, 20));
    socket.destroy();
  }
  expect((await post(url, list)).status).toBe(200);
});

test("a client that goes away in the middle of a call ends nothing", async () => {
  const plane = await Plane.withSession({ turns: [{ text: "done", delayMs: 100 }] });
  const { url } = await plane.http();
  const aborter = new AbortController();
  const session = await plane.runtime.sessions.get("s1");
  const began = new Promise<void>((resolve) => session?.subscribe(() => resolve()));
  const call = fetch(`${url}/rpc`, {
    method: "POST",
    signal: aborter.signal,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "sessions.prompt",
      params: { sessionId: "s1", prompt: "x" },
    }),
  });
  await began;
  aborter.abort();
  await expect(call).rejects.toThrow();
  expect((await session?.outcome())?.text).toBe("done");
  expect((await postCall(url, "sessions.get", { sessionId: "s1" })).result.status).toBe("idle");
});

test("a port that is in use is told", async () => {
  const { plane, port } = await served();
  const { serveHttp, Tokens } = await import("../../src/control-plane/index.ts");
  const stop = new AbortController().signal;
  const second = serveHttp(plane.parts, { tokens: new Tokens(null), port, stop, listening: () => undefined });
  await expect(second).rejects.toMatchObject({ reason: "port_unavailable", field: "port" });
});

test("when it is told to stop, calls that wait are answered and new ones refused", async () => {
  const plane = await Plane.withSession({ turns: [{ text: "never", delayMs: 3_600_000 }] });
  const { url, served: ended } = await plane.http();
  const session = await plane.runtime.sessions.get("s1");
  const began = new Promise<void>((resolve) => session?.subscribe(() => resolve()));
  const prompt = postCall(url, "sessions.prompt", { sessionId: "s1", prompt: "x" });
  await began;
  plane.stop.abort();
  expect((await prompt).result.status).toBe("aborted");
  await ended;
  await expect(post(url, list)).rejects.toThrow();
});

test("a request that began before the stop and ends after it gets 503", async () => {
  const plane = await Plane.withSession({ turns: [{ text: "never", delayMs: 3_600_000 }] });
  const { url, port, served: ended } = await plane.http();
  const session = await plane.runtime.sessions.get("s1");
  const began = new Promise<void>((resolve) => session?.subscribe(() => resolve()));
  const prompt = postCall(url, "sessions.prompt", { sessionId: "s1", prompt: "x" });
  await began;
  const head = `POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
  const whole = `${head}Content-Length: ${list.length}\r\n\r\n${list}`;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (text.endsWith("}")) resolve();
    });
  });
  // The first answer tells that the beginning of the second request has arrived as well.
  socket.write(whole + whole.slice(0, 40));
  await answered;
  text = "";
  plane.stop.abort();
  socket.write(whole.slice(40));
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 503 /);
  expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toMatchObject({
    id: 7,
    error: { code: -32008, data: { reason: "shutting_down" } },
  });
  expect((await prompt).result.status).toBe("aborted");
  await ended;
});
