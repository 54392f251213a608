/** What can be asked of the past in vain. */
import { LemonError } from "../errors.ts";

/** No session has this id. Code `LEMON_SESSION_NOT_FOUND`. */
export class SessionNotFoundError extends LemonError {
  constructor(id: string) {
    super("session_not_found", `there is no session ${JSON.stringify(id)}: \`lemon sessions\` lists them`, {
      field: "sessionId",
    });
  }
}

/** Not a version of the stream. Code `LEMON_INVALID_VERSION`. */
export class InvalidVersionError extends LemonError {
  constructor(stream: string, asked: number, last: number) {
    super("invalid_version", `${stream} has the versions 1 to ${last}, there is no version ${asked}`, {
      field: "at",
      expected: `1 to ${last}`,
      got: String(asked),
    });
  }
}
