/** The handlers of an extension, in the order of their lists. */
import { kindOf } from "../../errors.ts";
import { type HookName, hookNames } from "../hooks.ts";
import { bareObject, quoted } from "./words.ts";

/** Handlers by hook, with what `this` is for them. An entry that is no function stays: it fails when its turn comes. */
export interface LiveHooks {
  readonly owner: unknown;
  readonly table: Readonly<Partial<Record<HookName, readonly unknown[]>>>;
}

/** An extension without hooks. */
export const noHooks: LiveHooks = { owner: undefined, table: {} };

const known: readonly string[] = hookNames;

/** Reads each hook once. @throws what a getter of the author's throws */
export function hooksOf(hooks: object, warnings: string[]): LiveHooks {
  for (const name of Object.keys(hooks)) {
    if (!known.includes(name)) warnings.push(`unknown hook ${quoted(name)} is never called`);
  }
  const table: Partial<Record<HookName, readonly unknown[]>> = bareObject();
  for (const name of hookNames) {
    const value = (hooks as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || value === null) continue;
    const handlers: readonly unknown[] = Array.isArray(value) ? Array.from<unknown>(value) : [value];
    if (handlers.length === 0) continue;
    table[name] = handlers;
    for (const handler of handlers) {
      if (typeof handler !== "function")
        warnings.push(`hook ${name} is not a function but ${kindOf(handler)}`);
    }
  }
  return { owner: hooks, table };
}
