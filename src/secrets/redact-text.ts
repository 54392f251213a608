/**
 * Takes out of text what looks like a secret, known or not. Pure, and linear in the length of the text: no pattern
 * can be made to look at the same characters again and again. docs/reference/redaction.md, "By value"
 */
import { redactAssignments } from "./redact-assignments.ts";
import { REDACTED, type RedactedText } from "./redacted.ts";

type Redaction = (text: string) => RedactedText;

// Each begins where a word begins and runs to where it ends, so no two attempts see the same characters.
const patterns: readonly RegExp[] = [
  /(?<=(?<![A-Za-z0-9])(?:Bearer|Basic)[ \t]{1,16})[A-Za-z0-9._~+/=-]+/gi,
  /(?<![A-Za-z0-9])(?:sk-|gh[pous]_|github_pat_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{4,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g,
];

// A key that is no part of a longer text goes first: what follows its name may look like something else.
const redactions: readonly Redaction[] = [
  redactPrivateKeys,
  redactAssignments,
  redactUrls,
  redactJwts,
  ...patterns.map(
    (pattern): Redaction =>
      (text) =>
        replaceAll(text, pattern),
  ),
];

/** Takes the secrets out of a text. What is redacted already stays as it is and is not counted again. */
export function redactText(text: string): RedactedText {
  let redacted = text;
  let count = 0;
  for (const redact of redactions) {
    const next = redact(redacted);
    redacted = next.text;
    count += next.count;
  }
  return { text: redacted, count };
}

function replaceAll(text: string, pattern: RegExp): RedactedText {
  let count = 0;
  const redacted = text.replace(pattern, () => {
    count += 1;
    return REDACTED;
  });
  return { text: redacted, count };
}

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A key without an end goes on to the end of the text. */
function redactPrivateKeys(text: string): RedactedText {
  let redacted = "";
  let count = 0;
  let from = 0;
  for (;;) {
    PEM_BEGIN.lastIndex = from;
    const begin = PEM_BEGIN.exec(text);
    if (begin === null) return { text: redacted + text.slice(from), count };
    redacted += text.slice(from, begin.index) + REDACTED;
    count += 1;
    PEM_END.lastIndex = begin.index;
    if (PEM_END.exec(text) === null) return { text: redacted, count };
    from = PEM_END.lastIndex;
  }
}

/** `scheme://user:password@host`: the password. */
function redactUrls(text: string): RedactedText {
  let count = 0;
  const redacted = text.replace(
    /(?<=:\/\/)([^\s/?#:@"'<>]*):([^\s/?#"'<>]+)@/g,
    (written, user: string, password: string) => {
      if (password === REDACTED) return written;
      count += 1;
      return `${user}:${REDACTED}@`;
    },
  );
  return { text: redacted, count };
}

/** `header.payload.signature`, of which the header is the JSON of an object. */
function redactJwts(text: string): RedactedText {
  let count = 0;
  const redacted = text.replace(/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+/g, (written) => {
    const header = written.indexOf("eyJ");
    if (header < 0 || !written.includes(".", header + 5)) return written;
    count += 1;
    return written.slice(0, header) + REDACTED;
  });
  return { text: redacted, count };
}
