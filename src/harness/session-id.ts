/** What may be the id of a session, and which session a key names. docs/reference/runtime.md, "Sessions" */
import { LemonError } from "../errors.ts";

/** Not a session id: 1 to 256 UTF-8 bytes, no control characters, no blanks around it. Code `LEMON_INVALID_SESSION_ID`. */
export class InvalidSessionIdError extends LemonError {
  constructor() {
    super(
      "invalid_session_id",
      "a session id has 1 to 256 UTF-8 bytes, no control characters and no blanks at its ends",
      {
        field: "sessionId",
        expected: "1 to 256 UTF-8 bytes, no control characters, no blanks at the ends",
      },
    );
  }
}

/** A key names a session, a background run, a side query or a subagent; all but the first have the id of their session in it. */
const KEY = /^(?:session|background|side_query|task):/;

/** 1 to 256 UTF-8 bytes, no control characters, no blanks at its ends. */
export function isSessionId(id: unknown): id is string {
  return (
    typeof id === "string" &&
    id.trim() === id &&
    id !== "" &&
    Buffer.byteLength(id) <= 256 &&
    !/\p{Cc}/u.test(id) &&
    id.isWellFormed()
  );
}

/** @throws InvalidSessionIdError for what can be the id of no session */
export function assertSessionId(id: unknown): asserts id is string {
  if (!isSessionId(id)) throw new InvalidSessionIdError();
}

/** The id in a session key such as `session:ses_…`; anything else is what it is. */
export function idOfKey<Given>(idOrKey: Given): Given | string {
  return typeof idOrKey === "string" ? idOrKey.replace(KEY, "") : idOrKey;
}

/** Name of a session's stream. */
export function sessionStreamName(sessionId: string): string {
  return `session-${sessionId}`;
}
