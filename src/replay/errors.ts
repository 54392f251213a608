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

/** Files are to be brought back to where something is. Code `LEMON_CWD_NOT_EMPTY`. */
export class FolderNotEmptyError extends LemonError {
  constructor(folder: string) {
    super(
      "cwd_not_empty",
      `${folder} is no empty folder: a workspace is brought back only where nothing is`,
      {
        field: "cwd",
        expected: "a folder that is absent or empty",
      },
    );
  }
}
