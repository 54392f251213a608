/** A worker from its start to the point where it can be called: evaluated, and with the members of every folder in use. */
import type { Clock } from "../../ports.ts";
import type { Bundle, Description, MemberName } from "../port.ts";
import { runningMember } from "../worker/shared-memory.ts";
import { type Collected, readCollected, readDescription } from "./collected.ts";
import { watchIndex } from "./index-deadline.ts";
import type { WorkerInstance } from "./instance.ts";
import {
  endedWhileLoading,
  evaluationMs,
  loadTimedOut,
  misreported,
  threwWhileLoading,
} from "./load-error.ts";
import { readThrown } from "./thrown-error.ts";
import { type WorkerEnd, WorkerEndedError } from "./worker-end.ts";

/** The members of an extension are asked for in this order, each with its own time. */
const collectedMembers: readonly MemberName[] = ["tools", "hooks", "providers"];
/** A function that only waits is given up inside the worker at its 5,000 ms; one that blocks it is seen from here. */
const memberMs = 5000;
const blockedMs = 250;

/**
 * Evaluates the extension.
 *
 * @throws ExtensionLoadError; the worker has been ended then
 */
export function evaluate(instance: WorkerInstance, bundle: Bundle, clock: Clock): Promise<Description> {
  return new Promise((resolve, reject) => {
    const over = (error: Error): void => {
      cancel();
      reject(error);
      instance.end({ cause: "stopped", detail: "it did not load" });
    };
    const cancel = clock.setTimer(evaluationMs, () => over(loadTimedOut(bundle)));
    instance.call(0, { m: "load", a: { url: bundle.url } }, undefined, {
      ok: (value) => {
        const description = readDescription(value);
        if (description === undefined) return over(misreported(bundle));
        cancel();
        resolve(description);
      },
      failed: (fields) => over(threwWhileLoading(bundle, readThrown(fields))),
      ended: (end) => over(endedWhileLoading(bundle, end)),
    });
  });
}

/** For which folder and settings members are asked, under which number. */
export interface CollectRequest {
  readonly key: number;
  readonly cwd: string;
  /** JSON. */
  readonly settings: string;
}

/**
 * Asks for the members. One that takes too long ends the worker at once.
 *
 * @throws MemberFailedError when the worker ended meanwhile
 */
export function collectFrom(
  instance: WorkerInstance,
  { key, cwd, settings }: CollectRequest,
  clock: Clock,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    let member: MemberName = "tools";
    const at = (): number => Atomics.load(instance.memory, runningMember);
    const cancel = watchIndex({
      clock,
      read: at,
      eachMs: memberMs + blockedMs,
      onLate: () => {
        isLate = true;
        member = collectedMembers[at() - 1] ?? "tools";
        instance.end({ cause: "deadline", detail: `${member} timed out after ${memberMs}ms` });
      },
    });
    const failed = (message: string, end: WorkerEnd): void => {
      cancel();
      reject(new MemberFailedError(member, message, end));
    };
    instance.call(instance.calls.nextId(), { m: "collect", a: { key, cwd } }, settings, {
      ok: (value) => {
        const collected = readCollected(value);
        if (collected === undefined) return failed("what it reported can't be read", stopped);
        cancel();
        resolve(collected);
        if (isAnyLate(collected))
          instance.end({ cause: "deadline", detail: `a member timed out after ${memberMs}ms` });
      },
      failed: (fields) => failed(readThrown(fields).message, stopped),
      ended: (end) => {
        if (!isLate) member = collectedMembers[at() - 1] ?? "tools";
        failed(isLate ? `timed out after ${memberMs}ms` : `the worker ended: ${end.detail}`, end);
      },
    });
  });
}

/** A member that ran over its time may still run. */
function isAnyLate({ errors }: Collected): boolean {
  const late = `raised an error: timed out after ${memberMs}ms`;
  return Object.values(errors).some((texts) => texts.some((text) => text.endsWith(late)));
}

const stopped: WorkerEnd = { cause: "stopped", detail: "it goes on" };

/** The members could not be had. */
export class MemberFailedError extends WorkerEndedError {
  readonly member: MemberName;

  constructor(member: MemberName, message: string, end: WorkerEnd) {
    super(end);
    this.name = "MemberFailedError";
    this.message = `${member} raised an error: ${message}`;
    this.member = member;
  }
}
