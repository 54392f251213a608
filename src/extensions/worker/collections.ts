/** What an extension brings for one folder and one set of settings, as it is called inside its worker. */
import type { Tool } from "../../tools/index.ts";
import * as built from "./captured.ts";
import type { HandlerList } from "./hook-batch.ts";
import { Gone } from "./live-calls.ts";

/** A provider of the author's, with the functions that it really has. */
export interface LiveProvider {
  readonly type: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly provider: object;
}

/** Members that can be called. */
export interface LiveCollection {
  readonly cwd: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly tools: readonly Tool[];
  readonly hooks: (name: string) => HandlerList;
  readonly providers: readonly LiveProvider[];
}

/** The `nth` of the members with a name. */
export function nthNamed<Member extends { readonly name: string; readonly type?: string }>(
  members: readonly Member[],
  name: string,
  nth: number,
  type?: string,
): Member {
  let left = nth;
  for (let index = 0; index < members.length; index += 1) {
    const member = members[index] as Member; // below the length
    if (member.name !== name || (type !== undefined && member.type !== type)) continue;
    if (left === 0) return member;
    left -= 1;
  }
  throw new Gone(`the extension has no ${type === undefined ? "tool" : `${type} provider`} ${name} any more`);
}

/** The function of a provider, read at each call as its author wrote it. */
export function methodOf(provider: object, method: string): unknown {
  const found = (provider as Readonly<Record<string, unknown>>)[method];
  if (typeof found !== "function") throw new Gone(`the provider has no function ${method} any more`);
  return found;
}

/** What the host is told of a tool; a limit of `Infinity` is `null`. */
export function toolHead(tool: Tool): object {
  const { name, label, description, parameters, parallelSafe, idempotent, readOnly, timeoutMs } = tool;
  return {
    name,
    label,
    description,
    parameters,
    parallelSafe,
    idempotent,
    readOnly,
    timeoutMs: built.isFinite(timeoutMs) ? timeoutMs : null,
  };
}
