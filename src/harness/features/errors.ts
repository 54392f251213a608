/** What can be wrong with a file of feature requirements, or with what is asked of it. docs/reference/features.md */
import { LemonError, type LemonErrorDetails } from "../../errors.ts";

/** The words that tell these errors apart. */
export type FeatureReason =
  | "invalid_requirements"
  | "file_too_large"
  | "read_failed"
  | "write_failed"
  | "permission_denied"
  | "no_space"
  | "unsafe_path"
  | "feature_not_found"
  | "invalid_status"
  | "invalid_notes"
  | "invalid_cwd"
  | "invalid_options"
  | "invalid_prompt"
  | "empty_prompt"
  | "no_model_available"
  | "truncated_response"
  | "generation_failed"
  | "timeout"
  | "aborted"
  | "conflict";

/** Something about feature requirements can't be done; `reason` says what. Nothing was changed. */
export class FeatureError extends LemonError {
  constructor(reason: FeatureReason, message: string, details: LemonErrorDetails = {}) {
    super(reason, message, details);
  }
}

/** A text is no JSON. Code `LEMON_JSON_DECODE`. Line and column begin at 1; a column counts UTF-16 units. */
export class JsonDecodeError extends LemonError {
  readonly line: number;
  readonly column: number;

  constructor(subject: string, what: string, { line, column }: { line: number; column: number }) {
    super("json_decode", `${subject} is no JSON: line ${line}, column ${column}: ${what}`);
    this.line = line;
    this.column = column;
  }
}
