import {
  type Child,
  type ExitReason,
  type Supervisor,
  type SupervisionEvent,
  type SupervisorErrorReason,
  SupervisorError,
} from "../../../src/supervision/index.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A clock and a record of events for one test. */
export interface Stage {
  readonly clock: ManualClock;
  readonly events: SupervisionEvent[];
  readonly onEvent: (event: SupervisionEvent) => void;
  /** Events in short: `started a`, `exited a shutdown`, `gave_up a`. */
  told(): string[];
}

export function stage(): Stage {
  const clock = new ManualClock();
  const events: SupervisionEvent[] = [];
  return { clock, events, onEvent: (event) => void events.push(event), told: () => events.map(inShort) };
}

function inShort(event: SupervisionEvent): string {
  const word = event.type.split(".")[1] ?? "";
  return event.type === "child.exited"
    ? `${word} ${event.childId} ${event.reason.kind}`
    : `${word} ${event.childId}`;
}

/** The error of a promise that must be refused, or a failure that says that it was not. */
export async function refusal(promise: Promise<unknown>): Promise<SupervisorError> {
  const error: unknown = await promise.then(
    () => new Error("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof SupervisorError) return error;
  throw error;
}

export async function refusalReason(promise: Promise<unknown>): Promise<SupervisorErrorReason> {
  return (await refusal(promise)).reason;
}

/** The field that a check complains of. */
export async function refusedField(promise: Promise<unknown>): Promise<string | undefined> {
  const error = await refusal(promise);
  return error.reason === "invalid_spec" ? error.field : `${error.reason}: ${error.message}`;
}

/** The ids of living children, oldest first. */
export async function living(supervisor: Supervisor): Promise<unknown[]> {
  const rows = await supervisor.whichChildren();
  return rows
    .filter(({ child }) => typeof child === "object")
    .map(({ id }) => id)
    .reverse();
}

/** What `child` says of its end, or `alive` when it has not ended. */
export async function exitOf(child: Child): Promise<ExitReason | "alive"> {
  return Promise.race([child.exited, new Promise<"alive">((resolve) => setImmediate(resolve, "alive"))]);
}
