/**
 * Whose code is running: every child's code runs inside its own asynchronous context, so an error that surfaces in a
 * timer or as a rejection nobody awaits can be charged to the child that caused it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Instance } from "./instance.ts";

const running = new AsyncLocalStorage<Instance | undefined>();

/** Runs code, and everything that it starts, as code of a child. @internal */
export function runAs<T>(instance: Instance | undefined, code: () => T): T {
  return running.run(instance, code);
}

/** The child whose code is running. @internal */
export function currentInstance(): Instance | undefined {
  return running.getStore();
}

/** The child whose code is running, as its own code may know it. */
export interface CurrentChild {
  /** Path of the child in its tree. */
  readonly path: string;
  readonly childId: string;
  readonly instance: number;
  /** False once this life of the child is over: a result that comes now is late and should be dropped. */
  isLive(): boolean;
}

/** Tells the code of a child who it is; undefined outside of any child. Use it to fence results of your own. */
export function currentChild(): CurrentChild | undefined {
  const instance = currentInstance();
  if (instance === undefined) return undefined;
  const { path, childId, number } = instance;
  return { path, childId, instance: number, isLive: () => instance.ended === undefined };
}

/** Raises an error as an uncaught exception of nobody: for what has no caller to be thrown at. @internal */
export function raise(error: unknown): void {
  runAs(undefined, () => {
    queueMicrotask(() => {
      throw error;
    });
  });
}

let users = 0;

/**
 * Installs the process hooks with the first user and removes them with the last.
 *
 * @returns a function that ends this use; calling it again does nothing
 * @internal
 */
export function attributeStrayErrors(): () => void {
  users += 1;
  if (users === 1) {
    process.on("uncaughtException", onStrayError);
    process.on("unhandledRejection", onStrayRejection);
  }
  let isUsing = true;
  return () => {
    if (!isUsing) return;
    isUsing = false;
    users -= 1;
    if (users > 0) return;
    process.off("uncaughtException", onStrayError);
    process.off("unhandledRejection", onStrayRejection);
  };
}

/**
 * Charges an error to the child in whose context it was raised. One that belongs to no child is dealt with as if these
 * listeners were not there: others hear it, and if there are none the process ends with its stack.
 */
function onStrayError(error: unknown): void {
  const instance = currentInstance();
  if (instance !== undefined) return instance.crash(error);
  if (process.listenerCount("uncaughtException") > 1) return; // another listener has been told as well
  process.off("uncaughtException", onStrayError);
  raise(error); // without a listener: Node reports it and exits with status 1
}

function onStrayRejection(error: unknown): void {
  const instance = currentInstance();
  if (instance !== undefined) return instance.crash(error);
  if (process.listenerCount("unhandledRejection") > 1) return;
  raise(error); // Node's default: an unhandled rejection is an uncaught exception
}
