/** `sessions.*` */
import { stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Runtime, Session } from "../../runtime/index.ts";
import { LemonError } from "../../errors.ts";
import { defineMethod, type Method } from "../method.ts";
import { names, sessionOptions } from "./session-options.ts";
import { count, fact, limit, optionalText, outcome, sessionId, sessionState } from "./shapes.ts";

const opened = z.object({ sessionId: z.string(), sessionKey: z.string(), version: count });

const prompt = z
  .union([
    z.string(),
    z.array(
      z.union([
        z.object({ type: z.literal("text"), text: z.string() }),
        z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
      ]),
    ),
  ])
  .describe("text, or blocks of text and images");

/** Facts of one answer, at most, and characters of their data, about. */
const MAX_FACTS = 1_000;
const MAX_CHARS = 4_194_304;

const start = defineMethod({
  name: "sessions.start",
  scope: "write",
  summary: "Starts a session.",
  params: z.object({
    cwd: optionalText.describe("where it works; default: where the server works"),
    sessionId: optionalText.describe("1 to 256 bytes; default: a new one"),
    sessionKey: optionalText.describe("1 to 256 bytes; default: session: and its id"),
    agentId: optionalText.describe("1 to 256 bytes; which agent it is of"),
    systemPrompt: optionalText.describe("in place of the built one"),
    ...sessionOptions,
  }),
  result: opened,
  run: async (params, { runtime }) => {
    if (params.cwd !== undefined) await assertFolder(path.resolve(runtime.sessions.cwd, params.cwd));
    return openedOf(await runtime.sessions.start(params));
  },
});

const resume = defineMethod({
  name: "sessions.resume",
  scope: "write",
  summary: "Opens a session that exists; a run that was cut off goes on.",
  params: z.object({ sessionId, ...sessionOptions }),
  result: opened,
  run: async ({ sessionId: id, ...said }, { runtime }) => openedOf(await runtime.sessions.resume(id, said)),
});

const fork = defineMethod({
  name: "sessions.fork",
  scope: "write",
  summary:
    "Starts a session that goes on from what another was at a version; a run that is open there waits.",
  params: z.object({
    sessionId,
    at: z.int().describe("version of the other session, from 1"),
    cwd: optionalText.describe(
      "an absent or empty folder, which gets the files as they were; default: the other session's folder, as it is",
    ),
  }),
  result: opened.extend({
    filesUnavailable: z.array(z.string()).exactOptional(),
    coverage: z.enum(["full", "partial", "none"]).exactOptional(),
    coverageReasons: z.array(z.string()).exactOptional(),
  }),
  run: async ({ sessionId: id, ...where }, { runtime }) => {
    const forked = await runtime.sessions.fork(id, where);
    const { filesUnavailable, coverage, coverageReasons } = forked;
    if (filesUnavailable === undefined || coverage === undefined || coverageReasons === undefined)
      return openedOf(forked);
    return {
      ...openedOf(forked),
      filesUnavailable: [...filesUnavailable],
      coverage,
      coverageReasons: [...coverageReasons],
    };
  },
});

const list = defineMethod({
  name: "sessions.list",
  scope: "read",
  summary: "Lists the sessions of the log, the one with the newest fact first.",
  params: z.object({ limit }),
  result: z.object({
    sessions: z.array(
      z.object({
        sessionId: z.string(),
        sessionKey: z.string(),
        origin: z.enum(["session", "background", "subagent"]),
        parentSessionId: z.string().nullable(),
        forkedFrom: z.object({ sessionId: z.string(), at: count }).nullable(),
        cwd: z.string().nullable(),
        model: z.string().nullable(),
        status: z.enum(["idle", "running", "shut_down"]),
        version: count,
        position: count,
        startedAt: z.number(),
        updatedAt: z.number(),
      }),
    ),
    total: count,
  }),
  run: async ({ limit: most = 100 }, { runtime }) => {
    const sessions = await runtime.sessions.list();
    return { sessions: sessions.slice(0, most), total: sessions.length };
  },
});

const get = defineMethod({
  name: "sessions.get",
  scope: "read",
  summary: "Tells how a session is, or was after one of its facts.",
  params: z.object({ sessionId, at: z.int().min(1).exactOptional() }),
  result: sessionState,
  run: ({ sessionId: id, at }, { runtime }) => runtime.sessions.state(id, at),
});

const facts = defineMethod({
  name: "sessions.facts",
  scope: "read",
  summary: "Gives the facts of a session; `next` is the version to go on from, null at the end.",
  params: z.object({
    sessionId,
    from: z.int().min(1).exactOptional(),
    to: z.int().min(1).exactOptional(),
    types: names.exactOptional(),
    limit: limit.describe("default 1,000"),
  }),
  result: z.object({ facts: z.array(fact), next: count.nullable() }),
  run: async ({ sessionId: id, from = 1, to, types, limit: most = MAX_FACTS }, { runtime }) => {
    await runtime.sessions.state(id, 1);
    const wanted = types === undefined ? null : new Set(types);
    const found: z.input<typeof fact>[] = [];
    let chars = 0;
    for await (const each of runtime.log.read(`session-${id}`, {
      from,
      ...(to === undefined ? {} : { to }),
    })) {
      if (wanted?.has(each.type) === false) continue;
      if (found.length === most || chars > MAX_CHARS) return { facts: found, next: each.version };
      found.push(each);
      chars += JSON.stringify(each.data).length;
    }
    return { facts: found, next: null };
  },
});

const submit = defineMethod({
  name: "sessions.prompt",
  scope: "write",
  summary: "Starts a run and waits for its end. A session that is not open is opened.",
  params: z.object({ sessionId, prompt }),
  result: outcome,
  run: async ({ sessionId: id, prompt: said }, { runtime }) =>
    (await runtime.sessions.resume(id)).prompt(said),
});

const steer = defineMethod({
  name: "sessions.steer",
  scope: "write",
  summary: "Adds a user message before the next model request of the open run.",
  params: z.object({ sessionId, text: z.string() }),
  result: z.object({ queued: z.literal(true) }),
  run: async ({ sessionId: id, text }, { runtime }) => {
    await (await running(runtime, id)).steer(text);
    return { queued: true as const };
  },
});

const followUp = defineMethod({
  name: "sessions.followUp",
  scope: "write",
  summary: "Adds a user message when the open run would end.",
  params: z.object({ sessionId, text: z.string() }),
  result: z.object({ queued: z.literal(true) }),
  run: async ({ sessionId: id, text }, { runtime }) => {
    await (await running(runtime, id)).followUp(text);
    return { queued: true as const };
  },
});

const abort = defineMethod({
  name: "sessions.abort",
  scope: "write",
  summary: "Ends the open run; without one nothing happens.",
  params: z.object({ sessionId, reason: optionalText }),
  result: z.object({ aborted: z.boolean() }),
  run: async ({ sessionId: id, reason }, { runtime }) => {
    const { status } = await runtime.sessions.state(id);
    if (status !== "running") return { aborted: false };
    return (await runtime.sessions.resume(id)).abort(reason);
  },
});

const shutdown = defineMethod({
  name: "sessions.shutdown",
  scope: "write",
  summary: "Aborts an open run, records the end, and gives the session back. It can be resumed.",
  params: z.object({ sessionId, reason: optionalText }),
  result: z.object({ shutDown: z.literal(true) }),
  run: async ({ sessionId: id, reason }, { runtime }) => {
    const { status } = await runtime.sessions.state(id);
    if (status !== "shut_down") await (await runtime.sessions.resume(id)).shutdown(reason);
    return { shutDown: true as const };
  },
});

/** All of them, in the order of the reference. */
export const sessionMethods: readonly Method[] = [
  start,
  resume,
  fork,
  list,
  get,
  facts,
  submit,
  steer,
  followUp,
  abort,
  shutdown,
];

function openedOf(session: Session): z.input<typeof opened> {
  const { sessionKey, version } = session.state();
  return { sessionId: session.id, sessionKey, version };
}

async function assertFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => null);
  if (found?.isDirectory() === true) return;
  const got = found === null ? "a path where nothing is" : "a file";
  throw new LemonError("invalid_cwd", `cwd: expected a folder, got ${got}`, {
    field: "cwd",
    expected: "a folder",
    got,
  });
}

/** A session whose run is not here is opened only when it has one. */
async function running(runtime: Runtime, id: string): Promise<Session> {
  const { status } = await runtime.sessions.state(id);
  if (status !== "running") {
    throw new LemonError("not_streaming", `session ${id} is in no run`, { field: "sessionId" });
  }
  return runtime.sessions.resume(id);
}
