/** `key=value` and `key: value` where the key says that the value is a secret. docs/reference/redaction.md, "By value" */
import { judgeKey, type SecretKey } from "./redact-keys.ts";
import { REDACTED, type RedactedText } from "./redacted.ts";

// A name of one word, or two where the second is "key", with its quotes, and what stands between it and the value. What
// stands behind `{{` is the name of a secret that is hidden already.
const ASSIGNMENT =
  /(?<![A-Za-z0-9_.-]|\{\{)((?:(?:api|access|private) )?[A-Za-z0-9_.-]+)\\{0,4}["'`]?[ \t]{0,16}(?::=|=>|[:=](?![:=]))[ \t]{0,16}/gi;
const QUOTE = /\\{0,4}["'`]/y;
const WORD = /[^\s,;&"'`)}\]\\]+/y;
const LINE = /[^\r\n"`]+/y;
const MARKED = /(?:\[redacted\]|\{\{secret:\w+\}\})/y;
const HARMLESS = /^(?:true|false|null|none|undefined)$/i;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** Their values have blanks in them. */
const OF_SEVERAL_WORDS = /authorization|cookie|passphrase/i;

/** Takes out the values of assignments. What was looked at once is not looked at again. */
export function redactAssignments(text: string): RedactedText {
  let redacted = "";
  let count = 0;
  let from = 0;
  ASSIGNMENT.lastIndex = 0;
  for (let found = ASSIGNMENT.exec(text); found !== null; found = ASSIGNMENT.exec(text)) {
    const key = found[1] ?? "";
    const judged = judgeKey(key);
    if (judged === "no") continue;
    const begin = ASSIGNMENT.lastIndex;
    const value = valueAt(text, begin, OF_SEVERAL_WORDS.test(key));
    ASSIGNMENT.lastIndex = Math.max(value.next, begin);
    if (value.end <= value.start || isHarmless(text.slice(value.start, value.end), judged)) continue;
    redacted += text.slice(from, value.start) + REDACTED;
    from = value.end;
    count += 1;
  }
  return { text: redacted + text.slice(from), count };
}

interface Value {
  readonly start: number;
  readonly end: number;
  /** Where to look on. */
  readonly next: number;
}

function valueAt(text: string, at: number, isLine: boolean): Value {
  const marked = endOf(MARKED, text, at);
  if (marked !== null) return { start: at, end: at, next: marked };
  const start = endOf(QUOTE, text, at);
  if (start === null) {
    const end = endOf(isLine ? LINE : WORD, text, at) ?? at;
    return { start: at, end, next: end };
  }
  const end = endOfQuoted(text, start, text.slice(at, start));
  const isMarked = endOf(MARKED, text, start) === end;
  return { start: isMarked ? end : start, end, next: end };
}

/** The closing quote is written like the opening one. Without one the value goes on to the end of the text. */
function endOfQuoted(text: string, start: number, quote: string): number {
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + quote.length)) {
    if (quote.startsWith("\\") || !isEscaped(text, start, end)) return end;
  }
  return text.length;
}

function isEscaped(text: string, start: number, at: number): boolean {
  let backslashes = 0;
  while (at - backslashes > start && text[at - backslashes - 1] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** A count of tokens is no secret, and neither is that there is none. */
function isHarmless(value: string, judged: SecretKey): boolean {
  return HARMLESS.test(value) || (judged === "token" && NUMBER.test(value));
}
