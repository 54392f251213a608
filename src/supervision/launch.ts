/** From a spec to a running child, or the reason why there is none. */
import type { AnyActorLogic } from "xstate";
import { messageOf } from "../errors.ts";
import { runAs } from "./attribution.ts";
import { type Child, isChild } from "./child.ts";
import { SupervisorError } from "./errors.ts";
import type { Instance } from "./instance.ts";
import {
  type ActorStart,
  type FullChildSpec,
  isActorStart,
  isLogic,
  type Start,
  type ThreadStart,
} from "./spec.ts";

/** What became of a start. @internal */
export type Launched =
  | { readonly status: "started"; readonly child: Child; readonly info?: unknown }
  | { readonly status: "ignored" }
  | { readonly status: "failed"; readonly error: unknown };

/**
 * Runs a start function as code of `instance`. Never throws or rejects: a start that does, or that gives something that
 * is not a child, is `failed` with that as the error's content. A promise only when the start function gives one, so
 * that a quick start costs no turn of the loop.
 *
 * @internal
 */
export function launch(
  spec: FullChildSpec,
  args: readonly unknown[],
  instance: Instance,
): Launched | Promise<Launched> {
  try {
    const given = runAs(instance, () => begin(spec.start, args, instance));
    return isThenable(given) ? awaited(given, instance) : settle(given, instance);
  } catch (error) {
    return { status: "failed", error };
  }
}

async function awaited(given: PromiseLike<unknown>, instance: Instance): Promise<Launched> {
  try {
    return settle(await given, instance);
  } catch (error) {
    return { status: "failed", error };
  }
}

function settle(given: unknown, instance: Instance): Launched {
  const launched = read(given);
  if (instance.strayAtStart === undefined || launched.status !== "started") return launched;
  launched.child.kill();
  return { status: "failed", error: instance.strayAtStart };
}

function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === "object" && given !== null && "then" in given && typeof given.then === "function";
}

function read(given: unknown): Launched {
  if (given === "ignore") return { status: "ignored" };
  if (isChild(given)) return { status: "started", child: given };
  if (typeof given === "object" && given !== null && "child" in given && isChild(given.child)) {
    return "info" in given
      ? { status: "started", child: given.child, info: given.info }
      : { status: "started", child: given.child };
  }
  const error = new TypeError(
    `start gave ${describe(given)}; expected a child { exited, shutdown, kill }, { child, info } or "ignore"`,
    { cause: given },
  );
  return { status: "failed", error };
}

function describe(given: unknown): string {
  if (typeof given === "string") return JSON.stringify(given.slice(0, 60));
  return typeof given === "object" && given !== null ? "an object without these members" : String(given);
}

function begin(start: Start | undefined, args: readonly unknown[], instance: Instance): unknown {
  if (start === undefined) throw new Error("the start of a temporary child is not kept"); // never asked for: it is never restarted
  if (typeof start === "function") {
    return (start as (...args: readonly unknown[]) => unknown)(...args); // its parameters are whatever startChild is given
  }
  return isLogic(start) || isActorStart(start) ? startActor(start, args, instance) : startThread(start, args);
}

async function startActor(
  start: AnyActorLogic | ActorStart,
  args: readonly unknown[],
  instance: Instance,
): Promise<Child> {
  const { logic, input, mailbox } = isActorStart(start)
    ? start
    : { logic: start, input: undefined, mailbox: undefined };
  const { actorChild } = await import("./actor-child.ts"); // XState is loaded with the first actor
  const options = { input: overlay(input, args), clock: instance.host.clock };
  return actorChild(logic, mailbox === undefined ? options : { ...options, mailbox });
}

async function startThread(
  { file, workerData, awaitReady = false }: ThreadStart,
  args: readonly unknown[],
): Promise<Child> {
  const { threadChild } = await import("./thread-child.ts");
  return threadChild(file, { workerData: overlay(workerData, args), awaitReady });
}

/** The extra argument over the template's: field by field when both are plain objects, else instead of it. */
function overlay(template: unknown, [extra]: readonly unknown[]): unknown {
  if (extra === undefined) return template;
  return isPlain(template) && isPlain(extra) ? { ...template, ...extra } : extra;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The error for a start that failed. One that says `already_started` is passed on as it is, as OTP does. @internal */
export function startError(childId: string, error: unknown): SupervisorError {
  if (error instanceof SupervisorError && error.reason === "already_started") return error;
  return new SupervisorError("start_failed", `child ${childId} did not start: ${messageOf(error)}`, {
    cause: error,
    childId,
  });
}
