/** What an author's code threw, as errors of the runtime show it. */
import { boundedMessage } from "../members/words.ts";

/** The name of the class that was thrown; for what is no error its type. Never throws. */
export function thrownClass(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return thrown === null ? "null" : typeof thrown;
    const { name } = thrown.constructor;
    // A class of one's own is told by its name, others may have been given one.
    return name !== "" && name !== "Error" ? name : String(thrown.name);
  } catch {
    return "Error";
  }
}

/** An error named like the author's class; what is no error stays what it is, and is called one for the compiler. */
export function authorError(thrown: unknown): Error {
  if (!isError(thrown)) return thrown as Error;
  const error = new Error(boundedMessage(thrown), { cause: thrown });
  error.name = thrownClass(thrown);
  return error;
}

function isError(thrown: unknown): boolean {
  try {
    return thrown instanceof Error;
  } catch {
    // A proxy that throws when it is asked for its prototype.
    return false;
  }
}
