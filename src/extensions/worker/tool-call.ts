/** One call of a tool, in its worker. */
import type { Logger } from "../../ports.ts";
import type { Tool } from "../../tools/index.ts";
import * as built from "./captured.ts";
import type { ToolCallHead } from "./frames.ts";
import { walk } from "./json-walk.ts";
import type { LiveCall, LiveCalls, Post } from "./live-calls.ts";
import { maxUpdatesUnread, slotAt } from "./shared-memory.ts";

/** What a tool is called with. */
export interface ToolCallPlace {
  readonly calls: LiveCalls;
  readonly post: Post;
  readonly shared: Int32Array;
  readonly log: Logger;
  readonly cwd: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Runs it to its end. Updates that come after that are dropped. */
export async function runTool(
  place: ToolCallPlace,
  call: LiveCall,
  tool: Tool,
  head: ToolCallHead,
  payload: string,
): Promise<unknown> {
  const updates = updatesOf(place, call, slotAt(head.slot));
  try {
    const args = built.parseJson(payload);
    const { log, cwd, config } = place;
    const context = { sessionId: head.sessionId, cwd, config, log };
    const given = [head.toolCallId, args, call.signal, updates.take, context];
    return await place.calls.enter(call, tool, (tool as { readonly execute: unknown }).execute, given);
  } finally {
    updates.end();
  }
}

/** Updates go out while the host keeps up; beyond that only the newest waits. */
function updatesOf(
  { post, shared, log }: ToolCallPlace,
  call: LiveCall,
  at: number,
): { take: (partial: unknown) => void; end: () => void } {
  let hasEnded = false;
  let waiting: { readonly value: unknown } | undefined;
  const flush = (): void => {
    if (waiting === undefined) return;
    const { value } = waiting;
    waiting = undefined;
    built.atomicAdd(shared, at, 1);
    post(call.id, "part", value);
  };
  call.onCredit = flush;
  return {
    take: (partial) => {
      if (hasEnded) return;
      const walked = walk(partial, "update");
      if (!walked.ok) return log.warn({}, `an update was dropped: ${walked.message}`);
      waiting = walked;
      if (built.atomicLoad(shared, at) < maxUpdatesUnread) flush();
    },
    end: () => {
      flush();
      hasEnded = true;
    },
  };
}
