/** Which machines run a session's stream, and how its actors are called. */
import type { StreamActors } from "../cascade.ts";
import { toolRunner } from "../tool-runner/machine.ts";
import { sessionMachine } from "./machine.ts";

/** The actors of a session: itself, and a runner per tool call. */
export function sessionActors(sessionId: string): StreamActors {
  const rootPath = `sessions/${sessionId}`;
  return {
    root: sessionMachine,
    rootPath,
    member: toolRunner,
    ofSession: sessionActors,
    memberPath: (callId) => `${rootPath}/tool_runner/${callId}`,
  };
}
