/** `background.*` */
import { z } from "zod";
import type { BackgroundRunFilter } from "../../runtime/index.ts";
import { defineMethod, type Method } from "../method.ts";
import { sessionOptions } from "./session-options.ts";
import { count, limit, optionalText, usage } from "./shapes.ts";

const status = z.enum(["queued", "running", "completed", "timeout", "cancelled", "failed", "lost"]);
const errorCode = z.enum([
  "BACKGROUND_FAILED",
  "BACKGROUND_START_FAILED",
  "BACKGROUND_TIMEOUT",
  "BACKGROUND_CANCELLED",
  "BACKGROUND_LOST",
]);
const id = z.string().describe("`bg_` and 16 hexadecimal digits");
const parentSessionKey = optionalText.describe("only a run that was asked for under this key is there");
const time = z.number().nullable();

const run = z.object({
  id: z.string(),
  status,
  sessionId: z.string(),
  sessionKey: z.string(),
  parentSessionId: z.string().nullable(),
  parentSessionKey: z.string().nullable(),
  insertedAt: z.number(),
  updatedAt: z.number(),
  startedAt: time,
  completedAt: time,
  elapsedMs: z.number(),
  attempt: count,
  resultAvailable: z.boolean(),
  waitingForApproval: z.boolean(),
  filesChangedCount: count,
  errorCode: errorCode.nullable(),
  owner: z.object({ pid: count, host: z.string() }).nullable(),
});

const list = defineMethod({
  name: "background.list",
  scope: "read",
  summary: "Lists the background runs, the newest first.",
  params: z.object({
    status: optionalText.describe("only those that are so"),
    parentSessionKey: optionalText.describe("only those that were asked for under this key"),
    limit,
  }),
  result: z.object({ runs: z.array(run), total: count }),
  // Whoever lists them knows the words.
  run: (filter, { runtime }) => runtime.background.list(filter as BackgroundRunFilter),
});

const statusOf = defineMethod({
  name: "background.status",
  scope: "read",
  summary: "Tells how a background run is.",
  params: z.object({ id, parentSessionKey }),
  result: run,
  run: ({ id: runId, ...scope }, { runtime }) => runtime.background.status(runId, scope),
});

const result = defineMethod({
  name: "background.result",
  scope: "read",
  summary: "Gives what a background run came to so far.",
  params: z.object({ id, parentSessionKey }),
  result: z.object({
    id: z.string(),
    status,
    ready: z.boolean(),
    text: z.string().nullable(),
    partialText: z.string().nullable(),
    errorCode: errorCode.nullable(),
    filesChanged: z.array(
      z.object({ path: z.string(), change: z.enum(["created", "modified", "deleted", "mode"]) }),
    ),
    coverage: z.enum(["full", "partial", "none"]),
    usage,
  }),
  run: ({ id: runId, ...scope }, { runtime }) => runtime.background.result(runId, scope),
});

const { model, approval, script, extensions, toolPolicy } = sessionOptions;

const start = defineMethod({
  name: "background.start",
  scope: "write",
  summary: "Puts a background run in line and answers at once.",
  params: z.object({
    prompt: z.string(),
    cwd: optionalText.describe("where it works; default: the parent's, else where the server works"),
    model,
    approval,
    script,
    extensions,
    toolPolicy,
    thinkingLevel: z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]).exactOptional(),
    systemPrompt: optionalText.describe("in place of the built one"),
    parentSessionId: optionalText.describe("the session that asks for it"),
    sessionKey: optionalText.describe("1 to 256 bytes; under which key it is asked for"),
    timeoutMs: z.int().min(1).exactOptional().describe("default: 1,800,000; at most 86,400,000"),
    onRestart: z.enum(["resume", "lost"]).exactOptional(),
  }),
  result: z.object({ id: z.string(), status: z.literal("queued") }),
  run: ({ prompt, ...options }, { runtime }) => runtime.background.start(prompt, options),
});

const cancel = defineMethod({
  name: "background.cancel",
  scope: "write",
  summary: "Ends a background run.",
  params: z.object({
    id,
    reason: optionalText.describe("kept with it, up to 500 characters, and shown nowhere"),
    parentSessionKey,
  }),
  result: z.object({ id: z.string(), cancelled: z.boolean(), status }),
  run: ({ id: runId, reason, ...scope }, { runtime }) => runtime.background.cancel(runId, reason, scope),
});

/** All of them. */
export const backgroundMethods: readonly Method[] = [list, statusOf, result, start, cancel];
