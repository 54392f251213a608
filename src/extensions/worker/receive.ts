/** What a worker does with each frame of its host. */
import type { Logger } from "../../ports.ts";
import { collectMembers } from "../members/collect.ts";
import { definitionIn, describe } from "../members/describe.ts";
import { type HookName, hookNames } from "../hooks.ts";
import type { MemberPorts } from "../members/ports.ts";
import type { MemberName } from "../port.ts";
import type { Asks } from "./ask.ts";
import * as built from "./captured.ts";
import { type LiveCollection, methodOf, nthNamed, toolHead } from "./collections.ts";
import type { Call, ProviderCallHead, ToWorker } from "./frames.ts";
import { runHandlers } from "./hook-batch.ts";
import { walk } from "./json-walk.ts";
import { Gone, type LiveCall, type LiveCalls } from "./live-calls.ts";
import { sendStream } from "./model-stream.ts";
import type { Output } from "./output.ts";
import { runningMember } from "./shared-memory.ts";
import { untag } from "./tagged.ts";
import { runTool } from "./tool-call.ts";
import type { Wire } from "./wire.ts";

/** What frames are answered with. */
export interface WorkerParts extends Wire {
  readonly calls: LiveCalls;
  readonly shared: Int32Array;
  readonly output: Output;
  readonly asks: Asks;
}

/** Milliseconds that an evaluation may take. */
const loadMs = 10_000;

/** @returns a listener for the port */
export function receiver(parts: WorkerParts): (text: unknown) => void {
  const { calls, asks } = parts;
  const collections = { __proto__: null } as unknown as Record<number, LiveCollection | undefined>;
  const state: State = {
    ...parts,
    collections,
    definition: undefined,
    log: loggerTo(parts.output),
    ports: memberPorts(parts.shared),
  };
  return (text) => {
    if (typeof text !== "string") return; // the author's own, through a door that we could not close
    const end = built.indexOf(text, "\n");
    const frame = built.parseJson(end === -1 ? text : built.slice(text, 0, end)) as ToWorker; // written by the host
    const payload = end === -1 ? "null" : built.slice(text, end + 1);
    switch (frame.m) {
      case "abort": {
        const reason = new built.NativeError(frame.a.message);
        reason.name = frame.a.name;
        return calls.abort(frame.id, reason);
      }
      case "credit":
        return calls.credit(frame.id, frame.a);
      case "answer":
        return asks.answer(frame.id, frame.a);
      case "drop":
        delete collections[frame.a.key];
        return undefined;
      default:
        answer(state, frame, payload).catch(fatal);
        return undefined;
    }
  };
}

interface State extends WorkerParts {
  readonly collections: Record<number, LiveCollection | undefined>;
  definition: object | undefined;
  readonly log: Logger;
  readonly ports: MemberPorts;
}

/** A fault of ours: the worker is of no use any more, and its end tells the host. */
function fatal(error: unknown): void {
  built.nextTick(() => {
    throw error;
  });
}

function answer(state: State, frame: Call, payload: string): Promise<void> {
  const { calls, post, collections, shared } = state;
  switch (frame.m) {
    case "ping":
      post(frame.id, "ok", null);
      return built.NativePromise.resolve();
    case "load":
      return calls.run(frame.id, loadMs, "description", async () => {
        state.definition = await evaluate(frame.a.url);
        return describe(state.definition, state.ports);
      });
    case "collect":
      return calls.run(frame.id, null, "members", (call) => collect(state, call, frame.a, payload));
    case "tool": {
      const { a } = frame;
      return calls.run(frame.id, a.leftMs, "result", async (call) => {
        const collection = collectionOf(collections, a.key);
        const tool = nthNamed(collection.tools, a.name, a.nth);
        const { cwd, config } = collection;
        return runTool({ calls, post, shared, log: state.log, cwd, config }, call, tool, a, payload);
      });
    }
    case "hooks": {
      const { a } = frame;
      return calls.run(frame.id, a.leftMs, "durations", async (call) => {
        const list = collectionOf(collections, a.key).hooks(a.name);
        return runHandlers({ calls, post, shared }, call, list, a, payload);
      });
    }
    case "provider":
      return calls.run(frame.id, null, "answer", async (call) => {
        const answered = await callProvider(state, call, frame.a, built.parseJson(payload) as unknown[]);
        return answered ?? null;
      });
    case "stream":
      return calls.run(frame.id, null, "stream", async (call) => {
        const opened = await callProvider(state, call, frame.a, untag(built.parseJson(payload)) as unknown[]);
        return sendStream(calls, post, call, opened);
      });
  }
}

async function evaluate(url: string): Promise<object> {
  const module = (await import(url)) as { readonly default?: unknown };
  const found = definitionIn(module.default);
  if (typeof found === "object" && found !== null) return found;
  const type = found === null ? "null" : typeof found;
  throw new Gone(`Extension file must export default defineExtension({ name, version, … }); found: ${type}`);
}

async function collect(
  state: State,
  call: LiveCall,
  { key, cwd }: { readonly key: number; readonly cwd: string },
  payload: string,
): Promise<unknown> {
  const config = built.parseJson(payload) as Readonly<Record<string, unknown>>; // the host sends settings
  const definition = state.definition as object; // the host collects after the load
  const args = [definition, cwd, config, state.ports];
  const asked = state.calls.enter(call, undefined, collectMembers, args) as ReturnType<typeof collectMembers>;
  const { tools, hooks, providers, errors, warnings, notes } = await asked;
  state.collections[key] = {
    cwd,
    config,
    tools,
    providers,
    hooks: (name) => ({ owner: hooks.owner, handlers: hooks.table[name as HookName] ?? [] }),
  };
  const counts: Record<string, number> = {};
  for (const name of hookNames) counts[name] = hooks.table[name]?.length ?? 0;
  return {
    tools: built.mapped(tools, toolHead),
    hooks: counts,
    providers: built.mapped(providers, ({ type, name, config: own, functions, provider }) => ({
      type,
      name,
      config: own,
      functions,
      providerId: textOrNull(provider, "providerId"),
      apiId: textOrNull(provider, "apiId"),
    })),
    errors,
    warnings,
    notes,
  };
}

/** The worker's own timers, and the number of the member that is being asked, where the host can see it. */
function memberPorts(shared: Int32Array): MemberPorts {
  const { setTimeout, clearTimeout } = globalThis; // before any user code
  const numbers: Readonly<Partial<Record<MemberName, number>>> = { tools: 1, hooks: 2, providers: 3 };
  return {
    setTimer: (delayMs, fire) => {
      const timer = setTimeout(fire, delayMs);
      return () => clearTimeout(timer);
    },
    onMember: (name) => built.atomicStore(shared, runningMember, numbers[name] ?? 0),
    compiles: false, // the host does that
  };
}

function textOrNull(provider: object, name: string): string | null {
  const value = (provider as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : null;
}

function collectionOf(collections: State["collections"], key: number): LiveCollection {
  const found = collections[key];
  if (found === undefined) throw new Gone("the members of the extension are not there any more");
  return found;
}

/** Calls one function of a provider; its last argument, if any, holds the options and gets the signal. */
function callProvider(
  { calls, collections }: State,
  call: LiveCall,
  { key, type, name, nth, method }: ProviderCallHead,
  args: readonly unknown[],
): unknown {
  const { provider } = nthNamed(collectionOf(collections, key).providers, name, nth, type);
  const options = args[args.length - 1];
  if (typeof options === "object" && options !== null)
    (options as { signal?: AbortSignal }).signal = call.signal;
  return calls.enter(call, provider, methodOf(provider, method), args);
}

/** The author's logger: its lines go to the host's. */
function loggerTo(output: Output): Logger {
  const line =
    (level: "debug" | "info" | "warn" | "error") =>
    (fields: unknown, message?: unknown): void => {
      if (typeof fields === "string") return output.log(level, {}, fields);
      const walked = walk(fields, "fields");
      const text = typeof message === "string" ? message : "";
      return output.log(level, walked.ok ? walked.value : built.bare({ problem: walked.message }), text);
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}
