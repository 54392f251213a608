/** Which names of members say that their value is a secret. docs/reference/redaction.md, "By name" */

const TOKEN = "token";
const OTHER_WORDS = [
  "secret",
  "password",
  "passwd",
  "passphrase",
  "apikey",
  "accesskey",
  "privatekey",
  "authorization",
  "credential",
  "cookie",
];

/** `no`: not a secret. `token`: only because of that word, as `inputTokens` is. `yes`: by another word. */
export type SecretKey = "no" | "token" | "yes";

/** Judges a name as it is written: case, `_`, `-`, `.` and blanks make no difference. */
export function judgeKey(key: string): SecretKey {
  const plain = plainKey(key);
  if (OTHER_WORDS.some((word) => plain.includes(word))) return "yes";
  return plain.includes(TOKEN) ? "token" : "no";
}

/** A name in lower case, without `_`, `-`, `.` and blanks. */
export function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_\-.\s]/g, "");
}
