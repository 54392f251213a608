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
