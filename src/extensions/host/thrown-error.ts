/** What a worker tells of a thrown value, as an error of this process. */
import { pathToFileURL } from "node:url";
import { builtFile } from "../built-file.ts";
import { marksOf } from "../worker/error-marks.ts";
import type { ThrownFields } from "../worker/frames.ts";

/** Maps positions of bundled code. */
export type MapPositions = (text: string) => string;

const ownCode = pathToFileURL(builtFile("..")).href;

/**
 * An error named like the author's class, its stack in the author's lines; for a thrown value that is no error, the
 * value itself where it is a primitive, else its text.
 */
export function thrownError(thrown: ThrownFields, mapPositions: MapPositions): unknown {
  if (thrown.kind === "value") return thrownValue(thrown);
  const error = new Error(thrown.message);
  const name = thrown.class === "Error" ? thrown.name : thrown.class;
  Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  Object.assign(error, thrown.marks);
  if (thrown.stack !== undefined) error.stack = authorsStack(thrown.stack, mapPositions);
  return error;
}

/** Positions mapped; the frames of our own code that stand at its end are cut off. */
export function authorsStack(stack: string, mapPositions: MapPositions): string {
  const lines = mapPositions(stack).split("\n");
  while (lines.length > 1 && isOurs(lines.at(-1) ?? "")) lines.pop();
  return lines.join("\n");
}

/** What called the author's code: this package in the worker, and Node below it. */
function isOurs(line: string): boolean {
  return line.includes(ownCode) || /\bnode:internal\//.test(line);
}

function thrownValue({ type, message }: ThrownFields): unknown {
  switch (type) {
    case "undefined":
      return undefined;
    case "null":
      return null;
    case "number":
      return Number(message);
    case "boolean":
      return message === "true";
    default:
      return message;
  }
}

/** Reads the fields of a failure; what is not as it should be counts as left out. */
export function readThrown(value: unknown): ThrownFields {
  const given = (typeof value === "object" && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const text = (name: string): string | undefined => {
    const member = given[name];
    return typeof member === "string" ? member : undefined;
  };
  const kind = text("kind");
  const [stack, type] = [text("stack"), text("type")];
  return {
    kind: kind === "error" || kind === "not_json" || kind === "gone" ? kind : "value",
    name: text("name") ?? "Error",
    class: text("class") ?? "Error",
    message: text("message") ?? "",
    marks: marksOf(given["marks"]),
    ...(stack === undefined ? {} : { stack }),
    ...(type === undefined ? {} : { type }),
  };
}
