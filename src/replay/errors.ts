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

/** A file has no lines that could be told of: it is no text, or too large. Code `LEMON_NOT_TEXT`. */
export class NotTextError extends LemonError {
  constructor(file: string, why: string) {
    super("not_text", `the lines of ${file} can't be told: ${why}`, {
      field: "file",
      expected: "a text file",
    });
  }
}

/** A file has no such line. Code `LEMON_INVALID_LINE`. */
export class InvalidLineError extends LemonError {
  /** @param last - the file's last line; `null` when no file has such a line */
  constructor(line: number, last: number | null) {
    const expected =
      last === null ? "a whole number from 1" : last === 0 ? "none: the file is empty" : `1 to ${last}`;
    super("invalid_line", `line: expected ${expected}, got ${line}`, {
      field: "line",
      expected,
      got: String(line),
    });
  }
}

/** Why a bisect names no fact. */
export type BisectReason =
  | "nothing_changed"
  | "check_never_fails"
  | "check_fails_at_start"
  | "check_undecided"
  | "expression_never_holds"
  | "expression_timed_out";

/** There is no fact that a bisect could name. Its reason is a {@link BisectReason}. */
export class BisectError extends LemonError {
  constructor(reason: BisectReason, message: string, details: { readonly cause?: unknown } = {}) {
    super(reason, message, details);
  }
}

/** A bisect is asked for in a way that makes no sense. Code `LEMON_INVALID_BISECT`. */
export class InvalidBisectError extends LemonError {
  constructor(field: string, expected: string) {
    super("invalid_bisect", `${field}: expected ${expected}`, { field, expected });
  }
}

/** An expression can't be understood. Code `LEMON_INVALID_EXPRESSION`. */
export class InvalidExpressionError extends LemonError {
  constructor(message: string) {
    super(
      "invalid_expression",
      `the expression can't be evaluated: ${message}. It is JavaScript over \`state\``,
      {
        field: "when",
        expected: "a JavaScript expression over state",
      },
    );
  }
}
