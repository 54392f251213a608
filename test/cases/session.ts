/** A session in a fresh folder whose model does as it is told and remembers what it was sent. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Fact } from "../../src/events/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { scriptedModel, type Model, type ScriptedTurn } from "../../src/providers/index.ts";
import type { Runtime, RuntimeOptions, Session } from "../../src/runtime/index.ts";
import { defineExtension } from "../../src/extensions/index.ts";
import { defineTool } from "../../src/tools/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";

type Context = Parameters<Model["request"]>[0];

/** What the model was sent, request by request. */
export interface Recorder {
  readonly model: Model;
  readonly requests: Context[];
}

/** A call of the last assistant message before it, and its results, as the model sees them. */
export interface SeenResult {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A model that answers by a script and keeps every request. */
export function recorded(turns: readonly ScriptedTurn[]): Recorder {
  const inner = scriptedModel(turns, "s/m");
  const requests: Context[] = [];
  return {
    requests,
    model: {
      ref: inner.ref,
      request: (context, options) => {
        requests.push(context);
        return inner.request(context, options);
      },
    },
  };
}

/** One session and all that a test looks at. */
export interface Case {
  readonly cwd: string;
  readonly log: EventLog;
  readonly runtime: Runtime;
  readonly session: Session;
  readonly requests: readonly Context[];
  facts(): Promise<Fact[]>;
  close(): Promise<void>;
}

/** Starts a session on a scripted model. */
export async function startCase(
  turns: readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> & { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<Case> {
  const { files = {}, ...rest } = options;
  const cwd = path.join(temporaryFolder(), "work");
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
  const log = await memoryLog();
  const { model, requests } = recorded(turns);
  const runtime = await scriptedRuntime(log, [], { cwd, models: { s: model }, ...rest });
  const session = await runtime.sessions.start({ model: "s/m" });
  return {
    cwd,
    log,
    runtime,
    session,
    requests,
    facts: () => factsOf(log, `session-${session.id}`),
    close: async () => {
      await runtime.close();
      await log.close();
    },
  };
}

/** Results of the last tool message of a request, in its order. */
export function resultsIn(request: Context | undefined): SeenResult[] {
  const message = request?.messages.findLast(({ role }) => role === "tool");
  if (message?.role !== "tool") return [];
  return message.results.map(({ callId, content, isError }) => ({ callId, isError, text: textIn(content) }));
}

/** Ids of every call, and of every result, of a request. */
export function idsIn(request: Context | undefined): {
  readonly calls: string[];
  readonly results: string[];
} {
  const messages = request?.messages ?? [];
  return {
    calls: messages.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "tool_call" ? [part.callId] : []))
        : [],
    ),
    results: messages.flatMap((message) =>
      message.role === "tool" ? message.results.map(({ callId }) => callId) : [],
    ),
  };
}

/** What the user said, over a request. */
export function promptsIn(request: Context | undefined): string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === "user" ? [textIn(message.content)] : [],
  );
}

function textIn(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("");
}

/** An extension of one or more tools that only note what they were called with. */
export function noting(schemas: Readonly<Record<string, unknown>>): {
  readonly extension: unknown;
  readonly entered: { readonly tool: string; readonly args: unknown }[];
} {
  const entered: { tool: string; args: unknown }[] = [];
  const tools = Object.entries(schemas).map(([name, parameters]) =>
    defineTool({
      name,
      description: "notes what it is called with",
      parameters: parameters as object,
      execute: (_id: string, args: unknown) => {
        entered.push({ tool: name, args });
        return { content: [{ type: "text" as const, text: "noted" }] };
      },
    }),
  );
  return { extension: defineExtension({ name: "notes", version: "1.0.0", tools }), entered };
}
