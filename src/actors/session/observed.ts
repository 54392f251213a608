/**
 * Which observer hooks a fact calls, and with what. Pure: the same facts call the same hooks in the same order, since
 * they follow from the events of the session. docs/reference/hooks.md, "Observers"
 */
import type { HookName } from "../../extensions/index.ts";
import type { Json, KnownFact } from "../../events/index.ts";
import {
  messagesOf,
  tellFact,
  type EventMessage,
  type EventState,
  type SessionEventBody,
  type Transcript,
} from "../../projections/index.ts";
import { hookMessages } from "./hook-messages.ts";

/** One hook to be called. */
export interface HookCall {
  readonly hook: HookName;
  readonly args: readonly Json[];
  readonly callId: string | null;
}

/** Where the observation stands. Versions are those of the facts that opened the run and the turn. */
export interface Observation {
  readonly story: EventState;
  readonly runFrom: number;
  readonly turnFrom: number;
}

/**
 * What a fact calls, and where the observation stands after it.
 *
 * @param wanted - hooks that have a handler; no arguments are made for others
 * @param transcript - as of this fact or later
 */
export function observe(
  observation: Observation,
  fact: KnownFact,
  wanted: ReadonlySet<HookName>,
  transcript: Transcript,
): readonly [Observation, readonly HookCall[]] {
  const [story, events] = tellFact(observation.story, fact);
  const next: Observation = {
    story,
    runFrom: fact.type === "prompt.submitted" ? fact.version : observation.runFrom,
    // Messages that wait for the new turn are recorded after its start.
    turnFrom: fact.type === "turn.started" ? fact.version : observation.turnFrom,
  };
  return [next, events.flatMap((event) => callsOf(event, next, fact.version, wanted, transcript))];
}

function callsOf(
  event: SessionEventBody,
  { runFrom, turnFrom }: Observation,
  version: number,
  wanted: ReadonlySet<HookName>,
  transcript: Transcript,
): HookCall[] {
  const call = (hook: HookName, args: () => readonly Json[], callId: string | null = null): HookCall[] =>
    wanted.has(hook) ? [{ hook, args: args(), callId }] : [];
  switch (event.type) {
    case "agent_start":
      return call("onAgentStart", () => []);
    case "agent_end":
      return call("onAgentEnd", () => [messagesBetween(transcript, runFrom, version)]);
    case "turn_start":
      return call("onTurnStart", () => []);
    case "turn_end":
      return call("onTurnEnd", () => turnOf(transcript, turnFrom, version));
    case "message_end": {
      // Both at once: a hook runs after the fact that it reports is durable, and a message is recorded whole.
      const args = (): readonly Json[] => [withoutMetadata(event.message)];
      return [...call("onMessageStart", args), ...call("onMessageEnd", args)];
    }
    case "tool_execution_start": {
      const { toolCallId, toolName, args } = event;
      return call("onToolExecutionStart", () => [toolCallId, toolName, args as Json], toolCallId);
    }
    case "tool_execution_end": {
      const { toolCallId, toolName, result, isError } = event;
      return call(
        "onToolExecutionEnd",
        () => [toolCallId, toolName, result as unknown as Json, isError],
        toolCallId,
      );
    }
    default:
      return [];
  }
}

function turnOf(transcript: Transcript, from: number, to: number): readonly Json[] {
  const turn = messagesBetween(transcript, from, to);
  const message = turn.findLast((candidate) => roleOf(candidate) === "assistant") ?? null;
  return [message, turn.filter((candidate) => roleOf(candidate) === "tool")];
}

/** What a provider wants back with its answer is nothing to a hook. */
function withoutMetadata(message: EventMessage): Json {
  if (message.role !== "assistant") return message;
  const content = message.content.map(({ type, text }) => ({ type, text }));
  return { ...message, content } as unknown as Json;
}

function messagesBetween(transcript: Transcript, from: number, to: number): Json[] {
  return messagesOf(transcript)
    .filter(({ version }) => version >= from && version <= to)
    .flatMap(hookMessages);
}

function roleOf(message: Json): unknown {
  return (message as { readonly role: unknown }).role;
}
