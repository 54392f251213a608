/** Whether all calls of a session have told what they changed. docs/reference/checkpoints.md, "A call without an end" */
import { upcast, type Fact, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { sessionStreamName } from "../session-id.ts";
import { CheckpointError } from "./errors.ts";

/** Built-in tools that change no file, and those whose changes are in facts of their own. */
const HARMLESS = new Set("read ls find grep todo propose_plan extensions_status checkpoint task".split(" "));

type Told = FactOf<"tool_call.started" | "tool_call.returned" | "tool_call.interrupted">;

const types = ["tool_call.started", "tool_call.returned", "tool_call.interrupted", "agent.ended"];

/**
 * A call that was cut off has written no receipt: until the session goes on, nobody knows what it changed.
 *
 * @throws CheckpointError `conflict` when a call that may have changed files has no end
 */
export async function assertAllEnded(log: EventLog, sessionId: string): Promise<void> {
  const open = new Map<string, string>();
  for await (const fact of log.read(sessionStreamName(sessionId), { types })) take(open, fact);
  const [name] = open.values();
  if (name === undefined) return;
  throw new CheckpointError(
    "conflict",
    `a call of ${name} in session ${sessionId} has no end: it was cut off, or another process is at it. What it ` +
      `changed is not known until the session goes on: lemon resume ${sessionId}, or --force to take what is known`,
    { field: "sessionId" },
  );
}

function take(open: Map<string, string>, fact: Fact): void {
  if (fact.type === "agent.ended") {
    // Nothing of a run that is over will be told any more.
    open.clear();
    return;
  }
  const { type, data } = upcast(fact) as Told;
  if (type !== "tool_call.started") open.delete(data.callId);
  else if (!HARMLESS.has(data.name)) open.set(data.callId, data.name);
}
