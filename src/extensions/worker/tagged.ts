/** Values that JSON lacks, as they cross inside a model's context and the parts of its answer. */
import * as built from "./captured.ts";
import { marksOf } from "./error-marks.ts";

/** The member that marks a tagged value; an author's own object with this member is tagged `object`. */
export const tagKey = "$lemon";

type Tag = "date" | "bytes" | "url" | "error" | "number" | "object";

/** A tagged value, without a prototype. */
export function tagged(tag: Tag, value: unknown): unknown {
  return { __proto__: null, [tagKey]: tag, value };
}

/** Puts tagged values back, in place, in what `JSON.parse` gave. */
export function untag(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>; // an array has its members by index
  const tag = built.isArray(value) ? undefined : members[tagKey];
  if (tag !== undefined && tag !== "object") return restored(tag, members["value"]);
  const inner = tag === "object" ? (members["value"] as Record<string, unknown>) : members;
  const keys = built.ownKeys(inner);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string; // below the length
    inner[key] = untag(inner[key]);
  }
  return inner;
}

function restored(tag: unknown, value: unknown): unknown {
  switch (tag) {
    case "date":
      return new built.DateOf(typeof value === "string" ? value : 0 / 0);
    case "bytes":
      return built.bytesOf(value as string);
    case "url":
      return new built.URLOf(value as string);
    case "number":
      return value === "NaN" ? 0 / 0 : value === "Infinity" ? 1 / 0 : -1 / 0;
    case "error": {
      const { name, message, marks } = value as { name: string; message: string; marks: unknown }; // of our own walk
      const error = built.assign(new built.NativeError(message), marksOf(marks));
      built.defineProperty(error, "name", { value: name, configurable: true, writable: true });
      return error;
    }
    default:
      return undefined;
  }
}
