/** Turning plan mode on and off. docs/reference/plan-mode.md */
import { PlanModeUnchangedError } from "../actors/index.ts";
import type { SessionMode } from "../events/index.ts";
import type { SessionStream } from "./session-stream.ts";

/** What became of plan mode: whether it is on, and whether that is new. */
export interface PlanModeChange {
  readonly active: boolean;
  readonly changed: boolean;
}

/** Turns it on or off. The session's machine decides whether that changes anything, so two callers never both change it. */
export async function changeMode(stream: SessionStream, mode: SessionMode): Promise<PlanModeChange> {
  const active = mode === "plan";
  try {
    await stream.submit(active ? "plan_mode.entered" : "plan_mode.exited", {});
    return { active, changed: true };
  } catch (error) {
    if (error instanceof PlanModeUnchangedError) return { active, changed: false };
    throw error;
  }
}
