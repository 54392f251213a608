/** The model of a session's settings may not be there. */
import { LemonError } from "../../errors.ts";
import type { Model } from "../../providers/index.ts";

/** Whether this is a model, and not what looking for one rejected with. */
export function isModel(value: unknown): value is Model {
  return typeof value === "object" && value !== null && "request" in value;
}

/** The word of the error, which is the class of the failure. Throws what is no error of ours. */
export function classOfNoModel(error: unknown): string {
  if (!(error instanceof LemonError)) throw error;
  return error.reason;
}
