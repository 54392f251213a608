import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import { stateAt } from "../../src/replay/index.ts";
import type { Runtime } from "../../src/runtime/index.ts";
import { scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";
import { Served, type Json } from "./served.ts";

let runtime: Runtime;
let served: Served;
let log: EventLog;
const folder = temporaryFolder();
const page = path.join(folder, "page");

beforeAll(async () => {
  mkdirSync(path.join(page, "assets"), { recursive: true });
  writeFileSync(path.join(page, "index.html"), "<!doctype html>");
  writeFileSync(path.join(page, "assets", "app-1a.js"), "1");
  writeFileSync(path.join(folder, "secret.js"), "secret");
  symlinkSync(path.join(folder, "secret.js"), path.join(page, "link.js"));
  const place = path.join(folder, "log.db");
  runtime = await scriptedRuntime(place, [
    {
      text: "first",
      toolCalls: [
        { name: "write", args: { path: "a.txt", content: "one\ntwo\n" } },
        { name: "read", args: { path: "missing.txt" } },
        { name: "nothing_like_it", args: {} },
      ],
    },
    { toolCalls: [{ name: "edit", args: { path: "a.txt", oldText: "two", newText: "three" } }] },
    { toolCalls: [{ name: "write", args: { path: "a.txt", content: "four\n" } }] },
    { text: "done" },
    { text: "again" },
    { text: "more" },
  ]);
  const session = await runtime.sessions.start({ sessionId: "s1", model: "s/m", approval: "auto" });
  await session.prompt("do it\nplease");
  log = await openEventLog(place, { readOnly: true });
  served = await Served.over(log, { pageFolder: page, selected: "s1" });
});

afterAll(async () => {
  await served.inspector.close();
  await log.close();
  await runtime.close();
});

const get = async (question: string): Promise<Json> => {
  const { status, json } = await served.ask(`/api/sessions/s1${question}`);
  expect([question, status]).toEqual([question, 200]);
  return json;
};

describe("who is answered", () => {
  test.each(["", "Bearer", "Bearer x", "Basic x"])(
    "no answer without the token: %j",
    async (Authorization) => {
      for (const question of ["/api/sessions", "/api/nothing", "/api/live", "/api/sessions/s1/state"]) {
        const { status, json } = await served.ask(question, { headers: { Authorization } });
        expect([status, json.error.reason]).toEqual([401, "unauthorized"]);
      }
    },
  );

  test("no answer to a foreign host or origin, not even files", async () => {
    for (const headers of [{ Host: "evil.example" }, { Origin: "http://evil.example" }, { Origin: "null" }]) {
      for (const question of ["/", "/api/sessions"]) {
        const { status } = await served.ask(question, { headers: headers as Record<string, string> });
        expect(status).toBe(403);
      }
    }
  });

  test("every answer forbids what the page does not need", async () => {
    for (const question of ["/", "/api/sessions", "/nothing"]) {
      const { headers } = await served.ask(question);
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
      expect(headers["content-security-policy"]).not.toMatch(/unsafe/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });
});

describe("the files of the page", () => {
  test("are given without a token, with their types", async () => {
    const headers = { Authorization: "" };
    const [index, script] = [
      await served.ask("/", { headers }),
      await served.ask("/assets/app-1a.js", { headers }),
    ];
    expect([index.status, index.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect([script.status, script.headers["content-type"], script.text]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "1",
    ]);
  });

  test.each([
    "/../secret.js",
    "/%2e%2e/secret.js",
    "/..%2fsecret.js",
    "/assets/..%5c..%5csecret.js",
    "/assets/../../secret.js",
    "/link.js",
    "/%00",
    "/%",
    "/assets",
    "//secret.js",
    "/index.html/",
  ])("no path leads out of their folder: %s", async (name) => {
    const { status, text } = await served.ask(name);
    expect([status, text]).toEqual([404, "There is no such file.\n"]);
  });

  test("a page that was not built says so", async () => {
    const bare = await Served.over(log, { pageFolder: path.join(folder, "none") });
    const { status, text } = await bare.ask("/");
    expect([status, text]).toEqual([404, expect.stringContaining("not built")]);
    await bare.inspector.close();
  });
});

describe("what is refused", () => {
  test.each([
    ["/state?at=9999", 400, "invalid_version", "at"],
    ["/state?at=0", 400, "invalid_parameter", "at"],
    ["/state?at=1&at=2", 400, "invalid_parameter", "at"],
    ["/messages?limit=99999", 400, "invalid_parameter", "limit"],
    ["/messages?from=-1", 400, "invalid_parameter", "from"],
    ["/calls?limit=1e3", 400, "invalid_parameter", "limit"],
    ["/timeline?buckets=0", 400, "invalid_parameter", "buckets"],
    ["/timeline?buckets=2001", 400, "invalid_parameter", "buckets"],
    ["/facts?limit=x", 400, "invalid_parameter", "limit"],
    ["/facts/0", 400, "invalid_parameter", "version"],
    ["/facts/999", 400, "invalid_version", "at"],
    [`/facts/matching?filter=${"x".repeat(1_001)}`, 400, "invalid_filter", "filter"],
    ["/files/diff", 400, "invalid_parameter", "path"],
    ["/files/diff?path=/nothing", 404, "not_found", "path"],
    ["/nothing", 404, "not_found", undefined],
  ])("%s", async (question, status, reason, field) => {
    const { status: got, json } = await served.ask(`/api/sessions/s1${question}`);
    expect([got, json.error.reason, json.error.field]).toEqual([status, reason, field]);
  });

  test("a session that is not there, whatever its id looks like", async () => {
    for (const id of ["nope", "s1%00", "S1", "a".repeat(500)]) {
      const { status, json } = await served.ask(`/api/sessions/${id}/state`);
      expect([status, json.error.reason]).toEqual([404, "session_not_found"]);
    }
  });

  test.each([
    ["{", "body"],
    ["[]", "body"],
    ['{"sessionId":"s1","at":1,"x":1}', "body"],
    ['{"at":1}', "sessionId"],
    ['{"sessionId":"s1","at":0}', "at"],
    ['{"sessionId":"s1","at":1,"into":""}', "into"],
  ])("a request to fork that is not what it must be: %s", async (body, field) => {
    const headers = { "Content-Type": "application/json" };
    const { status, json } = await served.ask("/api/fork", { method: "POST", headers, body });
    expect([status, json.error.field]).toEqual([400, field]);
  });

  test("a body of another type, one that is too long, and another method", async () => {
    const plain = await served.ask("/api/fork", { method: "POST", body: "{}" });
    expect([plain.status, plain.json.error.field]).toEqual([400, "Content-Type"]);
    const headers = { "Content-Type": "application/json" };
    const long = await served.ask("/api/fork", { method: "POST", headers, body: " ".repeat(70_000) });
    expect(long.status).toBe(413);
    expect((await served.ask("/api/sessions", { method: "DELETE" })).status).toBe(404);
  });
});

describe("what is answered", () => {
  test("the list and the overview", async () => {
    const { json } = await served.ask("/api/sessions");
    expect(json).toMatchObject({ selected: "s1", sessions: [{ sessionId: "s1", title: "do it please" }] });
    const whole = await get("");
    expect(whole).toMatchObject({ sessionId: "s1", isLive: true, calls: 5, forks: [], forkedFrom: null });
    expect(Object.values(whole.types as Record<string, number>).reduce((a, b) => a + b)).toBe(whole.version);
  });

  test("state at every version is that of stateAt", async () => {
    const { version } = await get("");
    for (let at = 1; at <= version; at += 1) {
      const { session, todos, tools, approvals, tasks, checkpoints, extensions, features, messages } =
        await stateAt(log, "session-s1", at);
      const answer = await get(`/state?at=${at}`);
      const views = { session, approvals, tools, extensions, tasks, checkpoints, features };
      expect({ at, ...answer }).toMatchObject({ at: answer.at, todos, messageCount: messages.length });
      expect(answer.views).toEqual(JSON.parse(JSON.stringify(views)));
      const shown = await get(`/messages?at=${at}&limit=500`);
      expect(shown.messages.map(({ message }: Json) => message)).toEqual(
        JSON.parse(JSON.stringify(messages)),
      );
    }
  });

  test("messages are cut, and say by how much", async () => {
    const { messages } = await get("/messages?from=0&limit=1&chars=100");
    expect(messages).toMatchObject([{ index: 0, cutChars: 0, message: { role: "user" } }]);
  });

  test("each call once, with how it ended", async () => {
    const { calls } = await get("/calls");
    expect(calls.map(({ tool, outcome, state }: Json) => [tool, outcome, state])).toEqual([
      ["write", "completed", "ended"],
      ["read", "failed", "ended"],
      ["nothing_like_it", "refused", "ended"],
      ["edit", "completed", "ended"],
      ["write", "completed", "ended"],
    ]);
  });

  test("a fact with its cause and the tree of its unit", async () => {
    const { versions } = await get("/facts/matching?filter=type:tool_call.requested");
    const { fact, cause, effects, unit, rule } = await get(`/facts/${versions[0]}`);
    expect([fact.type, cause.type, effects[0].type]).toEqual([
      "tool_call.requested",
      "model.responded",
      "tool_call.started",
    ]);
    expect([unit.row.type, unit.row.kind, rule.member]).toEqual(["model.responded", "input", "creates"]);
  });

  test("files with what changed in them, as far as the log holds their bytes", async () => {
    const { files } = await get("/files");
    expect(files).toMatchObject([
      { change: "created", writes: [{ tool: "write" }, { tool: "edit" }, { tool: "write" }] },
    ]);
    const [{ path: name, writes }] = files;
    const question = `/files/diff?path=${encodeURIComponent(name)}`;
    const diff = await get(`${question}&a=${writes[0].version}&b=${writes[1].version}`);
    expect([diff.shown, diff.hunks[0].lines]).toEqual(["text", [" one", "-two", "+three"]]);
  });

  test("what the last write made is read from the file, if it is still what was written", async () => {
    const [{ path: name }] = (await get("/files")).files;
    const last = `/files/diff?path=${encodeURIComponent(name)}&a=0`;
    const lines = async (): Promise<Json> => {
      const { shown, hunks } = await get(last);
      return [shown, ...hunks.map((hunk: Json) => hunk.lines)];
    };
    expect(await lines()).toEqual(["text", ["+four"]]);
    writeFileSync(name, "five\n");
    expect(await lines()).toEqual(["unavailable"]);
    writeFileSync(name, "four\n");
  });

  test("usage, with a cost where prices are known", async () => {
    expect((await get("/usage")).points.at(-1).cost).toBe(null);
    const priced = await Served.over(log, { prices: { "s/m": { input: 1_000_000, output: 0 } } });
    const { json } = await priced.ask("/api/sessions/s1/usage?points=2");
    expect(json.points).toHaveLength(2);
    expect(json.points[1].cost).toBe(json.points[1].usage.inputTokens);
    await priced.inspector.close();
  });

  test("the supervision tree has the session in it, and replaying finds nothing", async () => {
    const { runtimes } = await get("/supervision");
    expect(JSON.stringify(runtimes)).toContain('"path":"runtime/services/sessions/s1"');
    expect(await get("/verify")).toMatchObject({ divergences: [] });
  });
});

describe("following", () => {
  test("facts come in order from where the client was, and go on as they are appended", async () => {
    const { version } = await get("");
    const following = served.live(
      "/api/live?session=s1&after=3",
      (event, data) =>
        event === "facts" &&
        data.rows.some(({ type }: Json) => type === "agent.ended") &&
        data.rows.at(-1).version > version,
    );
    await (await runtime.sessions.get("s1"))?.prompt("again");
    const events = await following;
    const versions = events.flatMap(({ event, data }) =>
      event === "facts" ? data.rows.map((row: Json) => row.version) : [],
    );
    expect(versions).toEqual(Array.from({ length: versions.length }, (_, at) => at + 4));
  });

  test("a client that looks at no session is told which have new facts, and the end", async () => {
    const own = await Served.over(log);
    const following = own.live("/api/live", (event) => event === "ended");
    const heard = own.live("/api/live", (event) => event === "sessions");
    // Told of by whoever listens by then: both connections are open once one more question is answered.
    await own.ask("/api/sessions");
    await (await runtime.sessions.get("s1"))?.prompt("more");
    expect((await heard).at(-1)?.data.changed[0].sessionId).toBe("s1");
    await own.inspector.close();
    expect((await following).at(-1)).toEqual({ event: "ended", data: { reason: "shutting_down" } });
  });
});
