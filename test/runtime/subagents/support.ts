/** One model for a session and all its subagents: what each does is told by its prompt. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Fact, FactData } from "../../../src/events/index.ts";
import type { EventLog } from "../../../src/log/index.ts";
import {
  scriptedModel,
  type Model,
  type ModelContext,
  type ScriptedTurn,
} from "../../../src/providers/index.ts";
import type { Runtime, RuntimeOptions, Session } from "../../../src/runtime/index.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { factsOf, scriptedRuntime } from "../../support/runtimes.ts";

/** What an agent says next. */
export type Act = ScriptedTurn | ((context: ModelContext) => ScriptedTurn | Promise<ScriptedTurn>);

/** By the last line of its prompt: the answers of an agent, one after the other. */
export type Acts = Readonly<Record<string, readonly Act[]>>;

/** A model whose answers are chosen by the last line of the first user message, so that a role may stand before it. */
function cast(acts: Acts): Model {
  return {
    ref: "s/m",
    request: async (context, options) => {
      const [first] = context.messages;
      const name = (first === undefined ? "" : textOf(first)).split("\n").at(-1) ?? "";
      const act = acts[name]?.[options.responses];
      const turn = typeof act === "function" ? await untilAborted(act(context), options.signal) : act;
      return scriptedModel(turn === undefined ? [] : [turn]).request(context, {
        ...options,
        responses: 0,
        failures: 0,
      });
    },
  };
}

/** A model that is told to stop does, whatever its actor waits for. */
function untilAborted<Value>(said: Value | Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    void Promise.resolve(said).then(resolve, reject);
  });
}

/** Texts of a message, results of calls included. */
export function textOf(message: ModelContext["messages"][number]): string {
  if (message.role === "tool")
    return message.results.map(({ content }) => content.map(blockText).join("")).join("\n");
  return message.content.map(blockText).join("");
}

function blockText(block: { readonly type: string; readonly text?: string }): string {
  return block.text ?? "";
}

/** Ids of tasks that the agent has seen, in their order. */
export function seenTasks(context: ModelContext): string[] {
  const text = context.messages.map(textOf).join("\n");
  return [...new Set(text.match(/task_[0-9a-f]{16}/g) ?? [])];
}

/** Calls of the tool of subagents. */
export function tasks(...calls: readonly Readonly<Record<string, unknown>>[]): ScriptedTurn {
  return { toolCalls: calls.map((args) => ({ name: "task", args })) };
}

/** A runtime with these actors, in a folder of its own. */
export async function stage(
  acts: Acts,
  options: Partial<RuntimeOptions> & { readonly log?: EventLog } = {},
): Promise<{ readonly runtime: Runtime; readonly log: EventLog; readonly session: Session }> {
  const log = options.log ?? (await memoryLog());
  const runtime = await scriptedRuntime(log, [], { models: { s: cast(acts) }, ...options });
  return { runtime, log, session: await runtime.sessions.start({ model: "s/m" }) };
}

/** Writes the roles of a user. */
export function giveRoles(home: string, roles: unknown): void {
  mkdirSync(path.join(home, "agent"), { recursive: true });
  writeFileSync(path.join(home, "agent", "subagents.json"), JSON.stringify(roles));
}

/** Facts of tasks in a session. */
export async function taskFacts(log: EventLog, sessionId: string): Promise<Fact[]> {
  const facts = await factsOf(log, `session-${sessionId}`);
  return facts.filter(({ type }) => type.startsWith("subagent."));
}

/** The words of a fact of a task: `queued`, `started` … */
export async function taskWords(log: EventLog, sessionId: string): Promise<string[]> {
  return (await taskFacts(log, sessionId)).map(({ type }) => type.slice("subagent.".length));
}

/** Messages that told the model of ends of tasks. */
export async function notices(log: EventLog, sessionId: string): Promise<string[]> {
  const facts = await factsOf(log, `session-${sessionId}`);
  return facts.flatMap(({ type, data }) => {
    if (type !== "message.appended") return [];
    const { source, content } = data as FactData<"message.appended">;
    return source === "task" ? [content.map(blockText).join("")] : [];
  });
}

/** Results of the calls of a session, as the model was told them. */
export async function results(log: EventLog, sessionId: string): Promise<string[]> {
  const facts = await factsOf(log, `session-${sessionId}`);
  return facts.flatMap(({ type, data }) =>
    type === "tool_call.returned"
      ? [(data as FactData<"tool_call.returned">).content.map(blockText).join("")]
      : [],
  );
}
