/** What was thrown, as fields of text. Each is read under its own `try`: a getter of it may throw or be endless. */
import * as built from "./captured.ts";
import { marksOf } from "./error-marks.ts";
import type { ThrownFields } from "./frames.ts";
import { classOf, messageText } from "./json-walk.ts";

const maxStackLength = 8192;

/** Reads anything that was thrown. Never throws. */
export function thrownFields(thrown: unknown): ThrownFields {
  if (!isErrorLike(thrown)) {
    const type = thrown === null ? "null" : typeof thrown;
    return fields({ kind: "value", type, name: type, class: type, message: messageText(thrown) });
  }
  const stack = textMember(thrown, "stack");
  return fields({
    kind: "error",
    name: textMember(thrown, "name") ?? "Error",
    class: classOf(thrown),
    message: messageText(thrown),
    marks: marksOf(thrown),
    ...(stack === undefined ? {} : { stack }),
  });
}

/** A failure that the worker itself has to tell. */
export function ownFailure(kind: "not_json" | "gone", message: string): ThrownFields {
  return fields({ kind, name: "Error", class: "Error", message });
}

function fields(given: ThrownFields): ThrownFields {
  built.setPrototypeOf(given, null);
  return given;
}

function isErrorLike(thrown: unknown): thrown is object {
  try {
    return built.isNativeError(thrown) || thrown instanceof built.NativeError;
  } catch {
    return false; // a proxy that throws when it is asked for its prototype
  }
}

function textMember(thrown: object, name: "name" | "stack"): string | undefined {
  try {
    const member = (thrown as Record<string, unknown>)[name];
    return typeof member === "string"
      ? built.slice(built.toWellFormed(member), 0, maxStackLength)
      : undefined;
  } catch {
    return undefined; // that field can't be read; the others may
  }
}
