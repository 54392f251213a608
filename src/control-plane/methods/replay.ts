/** `replay.*` */
import { z } from "zod";
import type { StateAt } from "../../runtime/index.ts";
import { defineMethod, type Method } from "../method.ts";
import { count, jsonObject, sessionId } from "./shapes.ts";

const verify = defineMethod({
  name: "replay.verify",
  scope: "read",
  summary: "Decides a session again and compares with what was recorded.",
  params: z.object({ sessionId }),
  result: z.object({
    sessionId: z.string(),
    facts: count,
    unavailable: count,
    divergences: z.array(
      z.object({
        position: count.nullable(),
        version: count,
        kind: z.string(),
        expected: z.unknown(),
        actual: z.unknown(),
        differences: z.array(z.object({ path: z.string(), expected: z.unknown(), actual: z.unknown() })),
        cause: count.nullable(),
        explanation: z.string(),
      }),
    ),
    stateHash: z.string(),
  }),
  run: ({ sessionId: id }, { runtime }) => runtime.replay.verify(id),
});

const stateAt = defineMethod({
  name: "replay.stateAt",
  scope: "read",
  summary: "Gives all that is known of a session as it stood after one of its facts.",
  params: z.object({ sessionId, version: z.int().min(1).exactOptional().describe("default: the last") }),
  result: z.object({
    version: count,
    session: jsonObject,
    messages: z.array(jsonObject),
    todos: z.array(jsonObject),
    features: jsonObject.nullable(),
    files: jsonObject,
    tools: jsonObject,
    extensions: jsonObject.nullable(),
    approvals: z.array(jsonObject),
    tasks: z.array(jsonObject),
    checkpoints: jsonObject,
    supervision: jsonObject.nullable(),
  }),
  run: async ({ sessionId: id, version }, { runtime }) => asShown(await runtime.replay.stateAt(id, version)),
});

/** Interfaces of the library as plain objects: they have no index signature. */
function asShown(state: StateAt) {
  const { version, session, messages, todos, features, files, tools, extensions, ...rest } = state;
  const { approvals, tasks, checkpoints, supervision } = rest;
  return {
    version,
    session: { ...session },
    messages: rows(messages),
    todos: rows(todos),
    features: features === null ? null : { ...features },
    files: { ...files },
    tools: { ...tools },
    extensions,
    approvals: rows(approvals),
    tasks: rows(tasks),
    checkpoints: { ...checkpoints },
    supervision: supervision === null ? null : { ...supervision },
  };
}

function rows(list: readonly object[]): Record<string, unknown>[] {
  return list.map((row) => ({ ...row }));
}

const stateName = z
  .union([z.int().min(1), z.string().regex(/^(.+@)?[1-9]\d*$/)])
  .describe("a version, or `OTHER@VERSION`");
const ref = z.object({ sessionId: z.string(), version: count });

const diff = defineMethod({
  name: "replay.diff",
  scope: "read",
  summary:
    "Tells what differs between two states of a session, or of two: as a JSON Patch, and thing by thing.",
  params: z.object({ sessionId, a: stateName, b: stateName }),
  result: z.object({
    a: ref,
    b: ref,
    patch: z.array(jsonObject),
    changes: z.array(
      z.object({
        part: z.string(),
        key: z.string(),
        change: z.enum(["added", "removed", "changed"]),
        before: z.unknown(),
        after: z.unknown(),
      }),
    ),
    files: z.array(
      z.object({
        path: z.string(),
        change: z.enum(["added", "removed", "changed"]),
        diff: z.string().nullable(),
      }),
    ),
  }),
  run: async ({ sessionId: id, a, b }, { runtime }) => {
    const found = await runtime.replay.diff(id, a, b);
    return { ...found, patch: rows(found.patch) };
  },
});

/** All of them. */
export const replayMethods: readonly Method[] = [verify, stateAt, diff];
