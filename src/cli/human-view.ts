/**
 * A run for people: what the model says on standard output, what it does on standard error.
 *
 * A terminal shows text as it comes. Into a pipe a message is written when it is recorded: an answer that broke off
 * and is asked for again must not be in a result twice.
 */
import type { EventMessage, SessionEvent } from "../projections/index.ts";
import type { Outcome } from "../runtime/index.ts";
import { describeCall } from "./calls.ts";
import type { RunView } from "./run-view.ts";
import type { Output } from "./output.ts";
import { oneLine, printable } from "./printable.ts";

/** Writes a run for people. */
export class HumanView implements RunView {
  readonly #out: Output;
  /** Text of the message in the making that a terminal shows already. */
  #shown = "";

  constructor(out: Output) {
    this.#out = out;
  }

  begin(sessionId: string): void {
    this.#out.note(this.#out.paintError("dim", `session ${sessionId}`));
  }

  take(event: SessionEvent): void {
    const out = this.#out;
    switch (event.type) {
      case "turn_start":
        return out.progress(`turn ${event.turn}: waiting for the model`);
      case "message_update":
        return event.kind === "text" ? this.#stream(event.text) : out.progress("thinking");
      case "message_end":
        return event.message.role === "assistant" ? this.#say(event.message) : undefined;
      case "message_discarded":
        return this.#endLine();
      case "model_failed":
        return this.#tellFailure(event);
      case "tool_execution_start":
        out.note(out.paintError("dim", `→ ${describeCall(event.toolName, event.args)}`));
        return out.progress(`running ${event.toolName}`);
      case "tool_execution_end":
        if (event.isError)
          out.note(`${out.paintError("red", "✗")} ${event.toolName}: ${firstText(event.result.content)}`);
        return out.clearProgress();
      case "plan_proposed":
        return out.line(event.plan.trimEnd());
      case "loop_budget_exhausted":
        return out.warn(`stopped after ${event.toolTurns} turns with tool calls, as max_tool_turns says`);
      case "compaction_start":
        return out.progress("compacting the conversation");
      case "compaction_end":
        return this.#tellCompaction(event);
      case "task_changed":
        return out.note(out.paintError("dim", `${event.taskId} ${event.status}${toldOf(event.description)}`));
      case "agent_end":
      case "agent_start":
      case "approval_requested":
      case "approval_resolved":
      case "canceled":
      case "checkpoint_created":
      case "checkpoint_restored":
      case "error":
      case "extension_status_report":
      case "hook_failed":
      case "message_start":
      case "background_run_ended":
      case "session_shutdown":
      case "todos_written":
      case "tool_execution_update":
      case "tool_receipt":
      case "turn_end":
        return undefined;
    }
  }

  end({ status, stopReason, error }: Outcome): void {
    this.#endLine();
    const out = this.#out;
    if (status === "aborted") out.note(out.paintError("yellow", "aborted"));
    else if (error !== null) {
      const code = error.status === null ? "" : `, HTTP status ${error.status}`;
      out.error(`the run failed: ${error.class}${code}${hintFor(error.class)}`, error);
    } else if (status === "failed") out.error(`the run failed: ${stopReason}`, stopReason);
    else if (stopReason !== "end_turn") out.warn(`the model stopped early: ${stopReason}`);
  }

  repeat(_sessionId: string, outcome: Outcome): void {
    if (outcome.text !== "") this.#out.line(outcome.text.trimEnd());
    this.end(outcome);
  }

  #stream(text: string): void {
    if (!process.stdout.isTTY) return;
    this.#shown += text;
    this.#out.write(printable(text));
  }

  #say({ content }: EventMessage & { readonly role: "assistant" }): void {
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (this.#shown !== "") return this.#endLine();
    if (text.trim() !== "") this.#out.line(text.trimEnd());
  }

  #endLine(): void {
    if (this.#shown !== "" && !this.#shown.endsWith("\n")) this.#out.write("\n");
    this.#shown = "";
  }

  #tellCompaction(event: SessionEvent & { readonly type: "compaction_end" }): void {
    const out = this.#out;
    out.clearProgress();
    if (event.status === "completed") {
      out.note(out.paintError("dim", `compacted the conversation to about ${event.tokens ?? 0} tokens`));
    } else if (event.status === "failed") {
      const why = `the conversation could not be compacted: ${event.class ?? ""}`;
      out.note(out.paintError("yellow", why));
    }
  }

  #tellFailure(event: SessionEvent & { readonly type: "model_failed" }): void {
    if (event.retryInMs === null) return; // the end of the run tells it
    const code = event.status === null ? "" : ` (HTTP status ${event.status})`;
    const seconds = (event.retryInMs / 1_000).toFixed(1);
    this.#out.note(
      this.#out.paintError("yellow", `the model failed: ${event.class}${code}; again in ${seconds} s`),
    );
  }
}

function firstText(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return oneLine(content.map(({ text = "" }) => text).join(" "), 120);
}

function toldOf(description: string | null): string {
  return description === null ? "" : `: ${oneLine(description, 80)}`;
}

function hintFor(failure: string): string {
  return failure === "no_api_key"
    ? ": put the provider's key into the environment, see docs/reference/models.md"
    : "";
}
