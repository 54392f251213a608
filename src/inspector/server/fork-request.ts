/** The body of a request to fork, checked. */
import { kindOf } from "../../errors.ts";
import type { ForkRequest } from "../api.ts";
import { InvalidParameterError } from "./query.ts";

/** @throws InvalidParameterError when it is no JSON object with these members and no others */
export function forkRequestOf(text: string): ForkRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new InvalidParameterError("body", "a JSON object", "no JSON");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new InvalidParameterError("body", "a JSON object", kindOf(body));
  const { sessionId, at, into, ...others } = body as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new InvalidParameterError("body", "sessionId, at and into", "another member");
  if (typeof sessionId !== "string" || sessionId === "")
    throw new InvalidParameterError("sessionId", "the id of a session", kindOf(sessionId));
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 1)
    throw new InvalidParameterError("at", "a version, 1 or more", kindOf(at));
  if (into !== undefined && (typeof into !== "string" || into.trim() === ""))
    throw new InvalidParameterError("into", "a folder", kindOf(into));
  return { sessionId, at, ...(into === undefined ? {} : { into }) };
}
