/** Words for what may be anything, and may fight back when it is looked at. */

const maxLength = 2000;

// Taken before any author's code runs: in a worker it may put its own in their place.
const NativeError = Error;
const { stringify } = JSON;
const { create } = Object;

/** The message of what was thrown, cut. */
export function boundedMessage(error: unknown): string {
  try {
    const text: unknown = error instanceof NativeError ? error.message : error;
    const shown = String(text);
    return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown;
  } catch {
    return "what it threw can't be read";
  }
}

/** A text in quotation marks, cut. */
export function quoted(text: string): string {
  return stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

/** An object to fill: what an author puts on `Object.prototype` is not in the way of its members. */
export function bareObject(): object {
  return create(null) as object;
}

/** An object that is no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
