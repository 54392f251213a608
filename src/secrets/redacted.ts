/** What redaction leaves behind. */

/** What takes the place of a secret. */
export const REDACTED = "[redacted]";

/** A text without its secrets, and how many were taken out. */
export interface RedactedText {
  readonly text: string;
  readonly count: number;
}
