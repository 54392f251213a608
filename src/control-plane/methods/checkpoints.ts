/** `checkpoints.*`. docs/reference/checkpoints.md has the rules. */
import { z } from "zod";
import type { RestorePoint } from "../../runtime/index.ts";
import { redactText } from "../../secrets/index.ts";
import { defineMethod, type Frozen, type Method } from "../method.ts";
import { checkpointStats, count, jsonObject, optionalText, sessionId } from "./shapes.ts";

const checkpointId = z.string().describe("id of a checkpoint");
const paths = z.array(z.string());

/** Where files are compared with, or brought back to. */
const point = {
  checkpointId: checkpointId.exactOptional(),
  sessionId: sessionId.exactOptional(),
  at: z.int().min(1).exactOptional().describe("a version of the session, in place of a checkpoint"),
};

const summary = z.object({
  id: z.string(),
  sessionId: z.string(),
  timestamp: z.string(),
  kind: z.enum(["session", "filesystem"]),
  origin: z.enum(["user", "guard", "pre_restore"]),
  tool: z.string().nullable(),
  pathCount: count,
  bytes: count,
});

const record = summary.extend({
  state: z.unknown(),
  context: z.unknown(),
  todos: z.unknown(),
  requirements: z.unknown(),
  metadata: jsonObject,
});

const diff = z.object({
  checkpointId: z.string().nullable(),
  sessionId: z.string(),
  changed: paths,
  diffs: z.array(
    z.object({
      path: z.string(),
      beforeExists: z.boolean(),
      afterExists: z.boolean(),
      action: z.string(),
      binary: z.boolean(),
      modeChanged: z.boolean(),
      conflict: z.boolean(),
      diff: z.string(),
      truncated: z.boolean(),
      code: z.string().nullable(),
    }),
  ),
  output: z.string(),
  truncated: z.boolean(),
});

const restored = z.object({
  checkpointId: z.string().nullable(),
  sessionId: z.string(),
  preRestoreCheckpointId: z.string().nullable(),
  status: z.enum(["restored", "partial", "nothing_to_do", "failed"]),
  results: z.array(
    z.object({
      path: z.string(),
      outcome: z.enum(["restored", "unchanged", "conflict", "failed"]),
      code: z.string().nullable(),
    }),
  ),
  restored: paths,
  unchanged: paths,
  conflicts: paths,
  failed: paths,
});

const resumed = z.object({
  sessionId: z.string(),
  state: z.unknown(),
  context: z.unknown(),
  todos: z.unknown(),
  requirements: z.unknown(),
  resumedFrom: z.string(),
  timestamp: z.string(),
});

const list = defineMethod({
  name: "checkpoints.list",
  scope: "read",
  summary: "Lists the checkpoints of a session, the newest first.",
  params: z.object({ sessionId }),
  result: z.array(summary),
  run: async ({ sessionId: id }, { runtime }) => runtime.checkpoints.list(id),
});

const latest = defineMethod({
  name: "checkpoints.latest",
  scope: "read",
  summary: "Gives the newest checkpoint of a session.",
  params: z.object({ sessionId }),
  result: summary,
  run: async ({ sessionId: id }, { runtime }) => runtime.checkpoints.latest(id),
});

const get = defineMethod({
  name: "checkpoints.get",
  scope: "read",
  summary: "Gives a whole checkpoint, without the bytes of files.",
  params: z.object({ checkpointId }),
  result: record,
  run: async ({ checkpointId: id }, { runtime }) => runtime.checkpoints.get(id),
});

const stats = defineMethod({
  name: "checkpoints.stats",
  scope: "read",
  summary: "Counts the checkpoints of a session.",
  params: z.object({ sessionId }),
  result: checkpointStats,
  run: async ({ sessionId: id }, { runtime }) => runtime.checkpoints.stats(id),
});

const compare = defineMethod({
  name: "checkpoints.diff",
  scope: "read",
  summary: "Tells how files differ from a checkpoint; what looks like a secret is taken out of the text.",
  params: z
    .object({ ...point, paths: paths.exactOptional().describe("default: all of the checkpoint") })
    .superRefine(onePoint),
  result: diff.extend({ summary: z.object({ changedCount: count, diffBytes: count, redacted: count }) }),
  run: async ({ paths: given, ...from }, { runtime }) =>
    redacted(await runtime.checkpoints.diffFilesystem(pointOf(from), { paths: given })),
});

const create = defineMethod({
  name: "checkpoints.create",
  scope: "write",
  summary: "Keeps state, todos and requirements of a session.",
  params: z.object({
    sessionId,
    state: z.unknown().exactOptional(),
    context: z.unknown().exactOptional(),
    todos: z.array(z.unknown()).nullable().exactOptional().describe("default: those of the session"),
    requirements: z.unknown().exactOptional().describe("default: those of the folder"),
    metadata: jsonObject.exactOptional(),
    cwd: optionalText,
  }),
  result: record,
  run: async ({ sessionId: id, ...options }, { runtime }) => runtime.checkpoints.create(id, options),
});

const createFilesystem = defineMethod({
  name: "checkpoints.createFilesystem",
  scope: "write",
  summary: "Keeps files as they are; without paths, a point that stands for all that calls change after it.",
  params: z.object({
    sessionId,
    paths: paths.exactOptional(),
    cwd: optionalText,
    tool: optionalText,
    runId: optionalText,
    metadata: jsonObject.exactOptional(),
  }),
  result: record,
  run: async ({ sessionId: id, paths: given, ...options }, { runtime }) =>
    runtime.checkpoints.createFilesystem(id, given, options),
});

const restore = defineMethod({
  name: "checkpoints.restore",
  scope: "write",
  summary: "Puts files back, byte for byte: to a checkpoint, or to just after a fact of a session.",
  params: z
    .object({
      ...point,
      paths: paths.exactOptional(),
      force: z.boolean().exactOptional(),
      dryRun: z.boolean().exactOptional(),
    })
    .superRefine(onePoint),
  result: restored,
  run: async ({ checkpointId: id, sessionId: session, at, ...options }, { runtime }) =>
    runtime.checkpoints.restoreFilesystem(pointOf({ checkpointId: id, sessionId: session, at }), options),
});

const resume = defineMethod({
  name: "checkpoints.resume",
  scope: "write",
  summary: "Puts the todos of a session checkpoint back, and gives all that it holds.",
  params: z.object({ checkpointId }),
  result: resumed,
  run: async ({ checkpointId: id }, { runtime }) => runtime.checkpoints.resume(id),
});

const remove = defineMethod({
  name: "checkpoints.delete",
  scope: "write",
  summary: "Deletes a checkpoint; tells whether there was one.",
  params: z.object({ checkpointId }),
  result: z.boolean(),
  run: async ({ checkpointId: id }, { runtime }) => runtime.checkpoints.delete(id),
});

const removeAll = defineMethod({
  name: "checkpoints.deleteAll",
  scope: "write",
  summary: "Deletes all checkpoints of a session; tells how many.",
  params: z.object({ sessionId }),
  result: count,
  run: async ({ sessionId: id }, { runtime }) => runtime.checkpoints.deleteAll(id),
});

const prune = defineMethod({
  name: "checkpoints.prune",
  scope: "write",
  summary: "Deletes all but the newest checkpoints of a session; tells how many.",
  params: z.object({ sessionId, keep: count.exactOptional().describe("default 10") }),
  result: count,
  run: async ({ sessionId: id, keep }, { runtime }) => runtime.checkpoints.prune(id, keep),
});

/** All of them. */
export const checkpointMethods: readonly Method[] = [
  list,
  latest,
  get,
  stats,
  compare,
  create,
  createFilesystem,
  restore,
  resume,
  remove,
  removeAll,
  prune,
];

interface Point {
  readonly checkpointId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly at?: number | undefined;
}

/** Names what is missing of the one form or the other, or what stands there beside an id. */
function onePoint({ checkpointId: id, sessionId: session, at }: Point, context: z.RefinementCtx): void {
  const given = { checkpointId: id, sessionId: session, at };
  const isById = id !== undefined;
  if (isById ? session === undefined && at === undefined : session !== undefined && at !== undefined) return;
  for (const [field, value] of Object.entries(given)) {
    if ((value !== undefined) !== isById) continue;
    context.addIssue({ code: "custom", path: [field], message: "checkpointId alone, or sessionId and at" });
  }
}

/** Of parameters that name one. */
function pointOf({ checkpointId: id, sessionId: session = "", at = 0 }: Point): RestorePoint {
  return id ?? { sessionId: session, at };
}

type Compared = Frozen<z.input<typeof diff>>;

/** The texts are for people; what a restore does is exact all the same. */
function redacted(
  found: Compared,
): Compared & { summary: { changedCount: number; diffBytes: number; redacted: number } } {
  const output = redactText(found.output);
  const diffs = found.diffs.map((each) => ({ ...each, diff: redactText(each.diff).text }));
  const diffBytes = diffs.reduce((sum, each) => sum + Buffer.byteLength(each.diff), 0);
  return {
    ...found,
    diffs,
    output: output.text,
    summary: { changedCount: found.changed.length, diffBytes, redacted: output.count },
  };
}
