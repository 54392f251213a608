/** What a session tells the program that holds it. */
import type { ContentBlock, SessionLineage, SessionMode, Usage } from "../events/index.ts";
import { pendingCalls, type OutcomeView, type SessionView } from "../projections/index.ts";
import type { RegisteredTool, ToolRegistry } from "../tools/index.ts";

/** How a run ended. */
export interface Outcome {
  readonly status: OutcomeView["status"];
  /** The model's last words; empty when it had none. */
  readonly text: string;
  readonly stopReason: OutcomeView["stopReason"];
  /** Class and HTTP status of the failure that ended it. */
  readonly error: OutcomeView["error"];
  /** Tokens of the whole run. */
  readonly usage: Usage;
  /** Version of the `agent.ended` fact. */
  readonly version: number;
}

/** A session now: a view of durable facts. */
export interface SessionState {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** What it is: a session of its own, or the work of a background run or of a subagent. */
  readonly origin: SessionLineage["origin"];
  readonly parentSessionId: string | null;
  readonly cwd: string;
  readonly model: string;
  /** `queued`: a prompt waits for its turn in the lane; nothing of it is recorded yet. */
  readonly status: "new" | "idle" | "queued" | "running" | "shut_down";
  readonly mode: SessionMode;
  /** Version of the last durable fact. */
  readonly version: number;
  readonly runId: string | null;
  readonly turn: number | null;
  readonly pendingToolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: string;
  }[];
  readonly usage: Usage;
  readonly outcome: Outcome | null;
}

/** A tool that the session's model is offered. */
export interface ToolInfo {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly source: RegisteredTool["source"];
}

/** The tools of a registry as a program sees them, in their order. @internal */
export function toolInfos({ tools }: Pick<ToolRegistry, "tools">): ToolInfo[] {
  return tools.map(({ source, tool: { name, label, description } }) => ({
    name,
    label,
    description,
    source,
  }));
}

/** Text, or blocks of text and images. */
export type Prompt = string | readonly ContentBlock[];

/** A session's state out of its view. @internal */
export function stateOf(sessionId: string, version: number, view: SessionView): SessionState {
  return {
    sessionId,
    sessionKey: view.lineage.sessionKey,
    origin: view.lineage.origin,
    parentSessionId: view.lineage.parentSessionId,
    cwd: view.cwd,
    model: view.settings.model,
    status: view.status,
    mode: view.mode,
    version,
    runId: view.run?.runId ?? null,
    turn: view.run?.turn ?? null,
    pendingToolCalls: pendingCalls(view).map(({ callId, name, state }) => ({ id: callId, name, state })),
    usage: view.usage,
    outcome: outcomeOf(view.outcome),
  };
}

/** How a run ended, out of the view of it. @internal */
export function outcomeOf(view: OutcomeView | null): Outcome | null {
  if (view === null) return null;
  const { status, text, stopReason, error, usage, version } = view;
  return { status, text, stopReason, error, usage, version };
}
