/**
 * What a call's decisions ask of the world: running its tool under deadline and abort, and waiting for an approval.
 */
import type { Fact, FactOf } from "../../events/index.ts";
import { messageOf } from "../../errors.ts";
import { recoveredReceipt, type Receipt } from "../../harness/index.ts";
import { checkArguments, taskCrashed, type RegisteredTool } from "../../tools/index.ts";
import { endMarked, endProcessGroup } from "../../workspace/index.ts";
import type { Effect } from "../effect-runner.ts";
import { realArguments, usableArguments } from "./call-arguments.ts";
import { execute, isScanned } from "./execute.ts";
import { interrupted, markerOf, notInPlan, receiptAfterEnd, refused, returned } from "./outcomes.ts";
import type { ToolEffectParts } from "./tool-parts.ts";

/** Runs the tool of a started call. */
export function toolEffect(parts: ToolEffectParts): Effect<"tool_call.started"> {
  /** Calls that recovery starts again. */
  const again = new Set<number>();
  /** Of calls whose outcome is not recorded yet. */
  const receipts = new WeakMap<Fact, Receipt>();
  return {
    run: async (fact, effect) => {
      await parts.settled();
      const { callId, name, mode } = fact.data;
      const real = realArguments(callId, parts);
      if (real === null) return interrupted(callId, "arguments_not_stored");
      const found = parts.registry(mode).find(name)?.entry;
      if (found === undefined)
        return mode === "plan" ? notInPlan(callId, name) : interrupted(callId, "tool_missing");
      const checked = await usableArguments(found.tool, real, parts.secrets);
      if (!checked.ok) return refused(callId, checked.message, checked.errorType);
      const isAgain = again.delete(fact.version);
      const running = execute({ found, args: checked.args, fact, effect, isAgain }, parts);
      parts.receipts.add(running);
      const outcome = await running;
      if (outcome.type === "tool_call.returned" && outcome.data.receipt !== null)
        receipts.set(fact, outcome.data.receipt);
      return outcome;
    },
    recover: async (fact) => {
      const { callId, name, idempotent, mode } = fact.data;
      const { process = null } = parts.views().session.calls[callId] ?? {};
      const found = parts.registry(mode).find(name)?.entry;
      const gated = found?.tool.gated ?? false;
      const group = process === null ? "gone" : await endProcessGroup(process);
      if (process !== null || gated) await endMarked(markerOf(parts.stream, fact));
      // A gated command begins only after its process is recorded: without that fact it never ran.
      if (idempotent || (gated && process === null)) {
        again.add(fact.version);
        return "run";
      }
      if (found !== undefined) await tidy(found, callId, parts);
      return interrupted(
        callId,
        "process_died",
        await lostReceipt(fact, found, group === "other_host", parts),
      );
    },
    late: (outcome) =>
      outcome.type === "tool_call.returned" && outcome.data.receipt !== null
        ? receiptAfterEnd(outcome.data.callId, outcome.data.receipt)
        : null,
    failed: (fact, error) => {
      const result = taskCrashed(error instanceof Error ? error.message : "internal error");
      return returned(fact.data.callId, { result, isThrown: true }, receipts.get(fact) ?? null);
    },
  };
}

/** Waits for a person: nothing runs here. After a restart it goes on waiting, unless the call could not run any more. */
export function approvalEffect(parts: ToolEffectParts): Effect<"approval.requested"> {
  return {
    run: null,
    recover: (fact) => {
      const { callId } = fact.data;
      const lostArguments = realArguments(callId, parts) === null;
      return Promise.resolve(lostArguments ? interrupted(callId, "arguments_not_stored") : "wait");
    },
    failed: (fact) => interrupted(fact.data.callId, "process_died"),
  };
}

/** What a call had changed when its process died. That it can't be told keeps no session from going on. */
async function lostReceipt(
  fact: FactOf<"tool_call.started">,
  found: RegisteredTool | undefined,
  goesOn: boolean,
  parts: ToolEffectParts,
): Promise<Receipt | null> {
  const { callId, name } = fact.data;
  const { guards = [] } = parts.views().session.calls[callId] ?? {};
  // A tool that is gone may have been any.
  const scanned = found === undefined || isScanned(found);
  const lost = { tool: name, marker: markerOf(parts.stream, fact), guards, isScanned: scanned, goesOn };
  return recoveredReceipt(lost, parts.changes);
}

/** Removes what a call that was cut off left beside its files. Litter is no reason not to go on. */
async function tidy({ source, tool }: RegisteredTool, callId: string, parts: ToolEffectParts): Promise<void> {
  const { session } = parts.views();
  // Masked arguments do as well: a path with a secret in it is not found, and its litter stays.
  const args = session.calls[callId]?.args ?? null;
  if (source !== "builtin" || args === null) return;
  try {
    const checked = await checkArguments(tool, args);
    if (checked.ok) await tool.tidy?.(callId, checked.args, { cwd: session.cwd, env: parts.env });
  } catch (error) {
    parts.logger.warn({ callId, error: messageOf(error) }, "a temporary file may have been left behind");
  }
}
