/**
 * One member of an author's object. It is read through the object, once, since classes keep their getters and methods on
 * the prototype; nothing that it does reaches the caller but a value or the words for a fault.
 */
import { type MemberPorts, memberMs } from "./ports.ts";
import type { MemberName } from "../port.ts";
import { boundedMessage } from "./words.ts";

// Taken before any author's code runs: in a worker it may put its own in their place.
const { apply } = Reflect;
const NativePromise = Promise;
const NativeError = Error;

/** The member's value; `undefined` when there is none. */
export type ReadMember = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string };

/**
 * Reads a member, and calls it when it is a function. Never rejects.
 *
 * @param argumentsOf - made for the call, so that no two calls share one
 */
export async function readMember(
  definition: object,
  name: MemberName,
  argumentsOf: () => readonly unknown[],
  ports: MemberPorts,
): Promise<ReadMember> {
  try {
    ports.onMember?.(name);
    const member = (definition as Readonly<Record<string, unknown>>)[name];
    if (typeof member !== "function") return { value: await withinTime(() => member, ports) };
    const call = (): unknown => apply(member, definition, argumentsOf()) as unknown;
    return { value: await withinTime(call, ports) };
  } catch (error) {
    return { fault: `${name} raised an error: ${boundedMessage(error)}` };
  }
}

/** A promise may take no longer than a function: a member may be either. */
function withinTime(run: () => unknown, { setTimer }: MemberPorts): Promise<unknown> {
  return new NativePromise((resolve, reject) => {
    const late = new NativeError(`timed out after ${memberMs}ms`);
    const cancel = setTimer(memberMs, () => reject(late));
    const running = async (): Promise<unknown> => {
      try {
        return await run();
      } finally {
        cancel();
      }
    };
    running().then(resolve, reject);
  });
}
