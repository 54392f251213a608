/** Who restarts a session's stream. docs/explanation/supervision.md */
import { startSupervisor, SupervisorError, type Supervisor } from "../supervision/index.ts";
import type { SessionStream } from "./session-stream.ts";

/** A session's stream may restart 3 times in 5 seconds; its clean end ends the supervisor too. */
export function startSessionSupervisor(id: string, stream: SessionStream): Promise<Supervisor> {
  return startSupervisor(
    {
      intensity: 3,
      periodSeconds: 5,
      autoShutdown: "any_significant",
      children: [{ id: "stream", restart: "transient", significant: true, start: () => stream.start() }],
    },
    { name: id },
  );
}

/** What really kept a session from starting, out of the supervisors' wrapping. */
export function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof SupervisorError && cause.reason === "start_failed" && cause.cause !== undefined) {
    cause = cause.cause;
  }
  return cause;
}
