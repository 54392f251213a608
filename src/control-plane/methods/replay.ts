/** `replay.*` */
import { z } from "zod";
import { defineMethod, notImplemented, type Method } from "../method.ts";
import { count, jsonObject, sessionId } from "./shapes.ts";

const verify = defineMethod({
  name: "replay.verify",
  scope: "read",
  summary: "Decides a session again and compares with what was recorded.",
  params: z.object({ sessionId }),
  result: z.object({
    sessionId: z.string(),
    facts: count,
    divergences: z.array(
      z.object({
        position: count.nullable(),
        version: count,
        kind: z.string(),
        expected: z.unknown(),
        actual: z.unknown(),
      }),
    ),
    stateHash: z.string(),
  }),
  run: ({ sessionId: id }, { runtime }) => runtime.replay.verify(id),
});

const stateAt = defineMethod({
  name: "replay.stateAt",
  scope: "read",
  summary: "Gives the views of a session as they stood after one of its facts: state and conversation.",
  params: z.object({ sessionId, version: z.int().min(1).exactOptional().describe("default: the last") }),
  result: z.object({ version: count, session: jsonObject, messages: z.array(jsonObject) }),
  run: async ({ sessionId: id, version }, { runtime }) => {
    const { session, messages, version: at } = await runtime.replay.stateAt(id, version);
    return { version: at, session: { ...session }, messages: messages.map((message) => ({ ...message })) };
  },
});

const diff = notImplemented(
  "replay.diff",
  "read",
  "Tells what changed in a session between two versions.",
  z.object({ sessionId, a: count, b: count }),
  z.object({ patch: z.array(jsonObject) }),
);

/** All of them. */
export const replayMethods: readonly Method[] = [verify, stateAt, diff];
