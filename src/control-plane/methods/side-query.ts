/** `sideQuery.*` */
import { z } from "zod";
import { defineMethod, type Method } from "../method.ts";
import { count, jsonObject, optionalText, usage } from "./shapes.ts";

const ask = defineMethod({
  name: "sideQuery.ask",
  scope: "write",
  summary: "Asks a question beside a conversation, which it leaves alone.",
  params: z.object({
    source: z
      .union([z.string(), z.object({ messages: z.array(jsonObject), systemPrompt: optionalText })])
      .describe("id or key of a session, or a conversation"),
    question: z.string(),
    timeoutMs: z.number().exactOptional().describe("default: 30,000; at most 120,000"),
    model: optionalText.describe("`provider/model-id`; default: the one of the session"),
  }),
  result: z.object({
    text: z.string(),
    id: z.string(),
    sessionKey: z.string(),
    model: z.string(),
    usage,
    durationMs: count,
    sourceVersion: count.nullable(),
    parentHistoryChanged: z.literal(false),
    tools: z.tuple([]),
  }),
  run: ({ source, question, ...options }, { runtime }) => runtime.sideQuery.ask(source, question, options),
});

/** All of them. */
export const sideQueryMethods: readonly Method[] = [ask];
