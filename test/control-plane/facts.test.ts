import { describe, expect, test } from "vitest";
import { factsOf } from "../support/runtimes.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { Plane, postCall, TOKEN, type Json } from "./support/plane.ts";

/** Appends facts that mean nothing, in streams of their own. */
async function append(plane: Plane, stream: string, count: number, size = 0): Promise<void> {
  const facts = Array.from({ length: count }, (_, at) => ({
    type: at % 2 === 0 ? "test.even" : "test.odd",
    data: { at, filler: "x".repeat(size) },
    kind: "input" as const,
    actor: "test",
    causation: null,
    correlation: null,
    at: 0,
    schemaVersion: 1,
  }));
  for (let from = 0; from < count; from += 100)
    await plane.runtime.log.append(stream, "any", facts.slice(from, from + 100));
}

/** Positions of all facts, or of those in the streams of these tests: the runtime goes on writing its own. */
async function all(plane: Plane, prefix = ""): Promise<number[]> {
  const positions: number[] = [];
  for await (const { position, stream } of plane.runtime.log.readAll())
    if (stream.startsWith(prefix)) positions.push(position);
  return positions;
}

const positionsOf = (notices: readonly Json[], subscriptionId?: string): number[] =>
  notices
    .filter(
      ({ method, params }) =>
        method === "facts.appended" && (subscriptionId ?? params.subscriptionId) === params.subscriptionId,
    )
    .flatMap(({ params }) => params.facts.map((fact: Json) => fact.position as number));

describe("facts.subscribe", () => {
  test("starts at the head, or at any older cursor, and gives each fact once, in order", async () => {
    const plane = await Plane.withSession();
    const client = await plane.lineClient();
    const { result: now } = await client.call("facts.subscribe", { streams: "test-" });
    await append(plane, "test-a", 250);
    await client.noticed((notices) => positionsOf(notices).length >= 250);
    const live = positionsOf(client.notices, now.subscriptionId);
    const everything = await all(plane, "test-");
    expect(live).toEqual(everything.slice(-250));
    for (const { params } of client.notices) expect(params.facts.length).toBeLessThanOrEqual(100);

    const first = await client.call("facts.subscribe", { after: now.head, streams: "test-" });
    await client.noticed((notices) => positionsOf(notices, first.result.subscriptionId).length >= 250);
    const middle = client.notices[0]?.params.next as string;
    const again = await client.call("facts.subscribe", { after: middle, streams: "test-" });
    const expected = everything.slice(
      everything.indexOf(client.notices[0]?.params.facts.at(-1).position) + 1,
    );
    await client.noticed(
      (notices) => positionsOf(notices, again.result.subscriptionId).length >= expected.length,
    );
    expect(positionsOf(client.notices, again.result.subscriptionId)).toEqual(expected);
  });

  test("filters by session, by the beginning of streams, and by type", async () => {
    const plane = await Plane.withSession();
    const client = await plane.lineClient();
    const head = (await client.call("facts.subscribe")).result.head as string;
    await append(plane, "test-a", 10);
    await append(plane, "session-other", 3);
    await append(plane, "background-s1", 2);
    await append(plane, "session-s1x", 2);
    const of = async (params: object, count: number): Promise<Json[]> => {
      const { subscriptionId } = (await client.call("facts.subscribe", { after: head, ...params })).result;
      const mine = (notices: readonly Json[]): Json[] =>
        notices
          .filter(({ params: told }) => told.subscriptionId === subscriptionId)
          .flatMap(({ params: told }) => told.facts);
      return mine(await client.noticed((notices) => mine(notices).length >= count));
    };
    expect((await of({ sessionId: "s1" }, 2)).map(({ stream }) => stream)).toEqual([
      "background-s1",
      "background-s1",
    ]);
    expect(await of({ streams: "session-" }, 5)).toHaveLength(5);
    expect(
      (await of({ types: ["test.odd"], streams: "test-" }, 5)).every(({ type }) => type === "test.odd"),
    ).toBe(true);
  });

  test("refuses cursors that lie ahead or are none, and a hundred and first subscription", async () => {
    const plane = await Plane.withSession();
    const client = await plane.lineClient();
    expect((await client.call("facts.subscribe", { after: "at-999999" })).error.data).toMatchObject({
      code: "CONFLICT",
      reason: "cursor_ahead",
    });
    expect((await client.call("facts.subscribe", { after: "x" })).error.data.reason).toBe("invalid_cursor");
    const ids = [];
    for (let count = 0; count < 100; count += 1)
      ids.push((await client.call("facts.subscribe")).result.subscriptionId);
    expect((await client.call("facts.subscribe")).error.data).toMatchObject({
      code: "RATE_LIMITED",
      reason: "too_many_subscriptions",
    });
    expect((await client.call("facts.unsubscribe", { subscriptionId: ids[0] })).result).toEqual({
      unsubscribed: true,
    });
    expect((await client.call("facts.unsubscribe", { subscriptionId: ids[0] })).result).toEqual({
      unsubscribed: false,
    });
    await append(plane, "test-a", 1);
    expect((await client.call("facts.subscribe")).result.subscriptionId).toBeDefined();
    await client.noticed((notices) => positionsOf(notices).length >= 99);
  });

  test(
    "a consumer that takes nothing is ended, and is told where to go on",
    { timeout: 60_000 },
    async () => {
      const plane = await Plane.withSession();
      const client = await plane.lineClient();
      const { subscriptionId } = (await client.call("facts.subscribe", { streams: "test-" })).result;
      client.socket.pause();
      await append(plane, "test-big", 250, 65_536);
      await new Promise((done) => setTimeout(done, 1_500));
      await append(plane, "test-big", 1);
      client.socket.resume();
      await client.noticed((notices) => notices.some(({ method }) => method === "facts.ended"));
      const seen = positionsOf(client.notices);
      const everything = await all(plane, "test-");
      const ended = client.notices.at(-1);
      expect(ended).toMatchObject({
        method: "facts.ended",
        params: { subscriptionId, reason: "slow_consumer" },
      });
      expect(seen).toEqual(everything.slice(everything.length - 251, everything.length - 251 + seen.length));
      expect(seen.length).toBeLessThan(250);
      const rest = (await client.call("facts.subscribe", { after: ended.params.after, streams: "test-" }))
        .result.subscriptionId as string;
      await client.noticed((notices) => positionsOf(notices, rest).length >= 251 - seen.length);
      expect([...seen, ...positionsOf(client.notices, rest)]).toEqual(everything.slice(-251));
    },
  );

  test("one large commit does not end a consumer that keeps up", { timeout: 30_000 }, async () => {
    const plane = await Plane.withSession();
    const client = await plane.lineClient();
    await client.call("facts.subscribe");
    await append(plane, "test-big", 100, 131_072);
    await client.noticed((notices) => positionsOf(notices).length >= 100);
    expect(client.notices.some(({ method }) => method === "facts.ended")).toBe(false);
  });

  test("is told when the server shuts down", async () => {
    const plane = await Plane.withSession();
    const client = await plane.lineClient();
    const { subscriptionId } = (await client.call("facts.subscribe")).result;
    plane.stop.abort();
    const [ended] = await client.noticed((notices) => notices.length > 0);
    expect(ended).toEqual({
      jsonrpc: "2.0",
      method: "facts.ended",
      params: { subscriptionId, reason: "shutting_down", after: expect.any(String) as string },
    });
    await client.served;
  });
});

/** Reads server-sent events until told to stop. */
async function events(
  url: string,
  headers: Readonly<Record<string, string>>,
  take: (event: { readonly id: string; readonly event: string; readonly data: string }) => boolean,
): Promise<void> {
  const aborter = new AbortController();
  const response = await fetch(url, {
    signal: aborter.signal,
    headers: { Authorization: `Bearer ${TOKEN}`, ...headers },
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let buffer = "";
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      buffer += Buffer.from(piece).toString("utf8");
      const blocks = buffer.split("\n\n");
      buffer = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block
            .split("\n")
            .filter((line) => !line.startsWith(":"))
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        ) as { id: string; event: string; data: string };
        if (fields.data !== undefined && !take(fields)) return;
      }
    }
  } finally {
    aborter.abort();
  }
}

describe("GET /facts", () => {
  test(
    "10,000 facts arrive through ten disconnects without a gap or a double",
    { timeout: 60_000 },
    async () => {
      const plane = await Plane.withSession();
      const { url } = await plane.http();
      const start = (await all(plane)).length;
      const seen: number[] = [];
      let last = "at-0";
      const writing = append(plane, "test-a", 10_000);
      for (let connection = 1; seen.length < start + 10_000; connection += 1) {
        // The address still names the beginning: what was seen last wins.
        await events(
          `${url}/facts?after=at-0`,
          connection === 1 ? {} : { "Last-Event-ID": last },
          ({ id, event, data }) => {
            expect(event).toBe("facts.appended");
            const { position } = JSON.parse(data);
            seen.push(position);
            last = id;
            return seen.length < Math.min(connection * 920, start + 10_000);
          },
        );
        expect(connection).toBeLessThan(20);
      }
      await writing;
      expect(seen).toEqual((await all(plane)).slice(0, seen.length));
    },
  );

  test("filters, and refuses what is wrong", async () => {
    const plane = await Plane.withSession();
    const { url } = await plane.http();
    await append(plane, "test-a", 6);
    const types: string[] = [];
    await events(
      `${url}/facts?after=at-0&types=test.odd,test.none`,
      {},
      ({ data }) => types.push(JSON.parse(data).type) < 3,
    );
    expect(types).toEqual(["test.odd", "test.odd", "test.odd"]);
    const streams = new Set<string>();
    let count = 0;
    const mine = await factsOf(plane.runtime.log, "session-s1");
    await events(`${url}/facts?after=at-0&sessionId=s1`, {}, ({ data }) => {
      streams.add(JSON.parse(data).stream);
      return (count += 1) < mine.length;
    });
    expect([...streams]).toEqual(["session-s1"]);
    const get = async (query: string): Promise<unknown[]> => {
      const response = await fetch(`${url}/facts?${query}`, {
        headers: { Authorization: `Bearer ${TOKEN}` },
      });
      const body: Json = await response.json();
      return [response.status, body.error.data.reason];
    };
    expect(await get("after=nonsense")).toEqual([400, "invalid_cursor"]);
    expect(await get("after=at-999999")).toEqual([409, "cursor_ahead"]);
  });

  test("facts.subscribe by POST names the address", async () => {
    const plane = await Plane.withSession();
    const { url } = await plane.http();
    expect((await postCall(url, "facts.subscribe")).error).toMatchObject({
      code: -32009,
      message: expect.stringContaining("GET /facts") as string,
    });
  });

  test("a sign of life every 15 seconds, and a last word at the end", async () => {
    const clock = new ManualClock();
    const plane = await Plane.withSession({ clock });
    const { url } = await plane.http();
    const response = await fetch(`${url}/facts`, { headers: { Authorization: `Bearer ${TOKEN}` } });
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader() as ReadableStreamDefaultReader<string>;
    let text = "";
    const read = async (wanted: string): Promise<void> => {
      while (!text.includes(wanted)) text += (await reader.read()).value ?? "";
    };
    await read("id: at-");
    clock.advance(15_000);
    await read(": alive\n\n");
    plane.stop.abort();
    await read('event: facts.ended\ndata: {"reason":"shutting_down","after":"at-');
    clock.advance(60_000);
  });
});
