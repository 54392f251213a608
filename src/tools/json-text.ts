/**
 * Tells a JSON text that was cut off from one that is wrong, which `JSON.parse` does not.
 * A model whose answer hits its length limit sends a cut one; running a tool on half of it would be a lie.
 */

/** `incomplete`: something could still be added to the end to make it JSON. */
export type JsonTextKind = "complete" | "incomplete" | "invalid";

const whitespace = /[ \t\n\r]/;
const literals = ["true", "false", "null"] as const;
const wholeNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const numberPrefix = /^-?(?:(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?)?)?$/;

type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd";

/** Classifies `text` without recursion, so depth costs memory and never the stack. */
export function jsonTextKind(text: string): JsonTextKind {
  const open: ("object" | "array")[] = [];
  let expected = "value" as Expected;
  let at = 0;
  let closed = false;

  const afterValue = (): void => {
    if (open.length === 0) closed = true;
    else expected = "commaOrEnd";
  };

  while (at < text.length) {
    const char = text.charAt(at);
    if (whitespace.test(char)) {
      at += 1;
      continue;
    }
    if (closed) return "invalid";
    const inside = open.at(-1);
    if (expected === "colon") {
      if (char !== ":") return "invalid";
      expected = "value";
      at += 1;
    } else if (expected === "commaOrEnd" && char === ",") {
      expected = inside === "object" ? "key" : "value";
      at += 1;
    } else if (isEnd(expected, inside, char)) {
      open.pop();
      afterValue();
      at += 1;
    } else if (expected === "commaOrEnd") {
      return "invalid";
    } else if (expected === "key" || expected === "keyOrEnd") {
      const end = char === '"' ? stringEnd(text, at) : "invalid";
      if (typeof end === "string") return end;
      expected = "colon";
      at = end;
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "object" : "array");
      expected = char === "{" ? "keyOrEnd" : "valueOrEnd";
      at += 1;
    } else {
      const end = scalarEnd(text, at);
      if (typeof end === "string") return end;
      afterValue();
      at = end;
    }
  }
  return closed ? "complete" : "incomplete";
}

function isEnd(expected: Expected, inside: "object" | "array" | undefined, char: string): boolean {
  if (char === "}") return inside === "object" && (expected === "keyOrEnd" || expected === "commaOrEnd");
  return char === "]" && inside === "array" && (expected === "valueOrEnd" || expected === "commaOrEnd");
}

/** Where the string that starts at `start` ends, or why it does not. */
function stringEnd(text: string, start: number): number | "incomplete" | "invalid" {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return at + 1;
    if (char < " ") return "invalid";
    if (char !== "\\") continue;
    const escape = text.charAt(at + 1);
    if (escape === "") return "incomplete";
    if (escape === "u") {
      const digits = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]*$/.test(digits)) return "invalid";
      if (digits.length < 4) return "incomplete";
      at += 5;
    } else if ('"\\/bfnrt'.includes(escape)) {
      at += 1;
    } else {
      return "invalid";
    }
  }
  return "incomplete";
}

function scalarEnd(text: string, start: number): number | "incomplete" | "invalid" {
  if (text.charAt(start) === '"') return stringEnd(text, start);
  for (const literal of literals) {
    if (text.startsWith(literal, start)) return start + literal.length;
    const rest = text.slice(start);
    if (rest.length < literal.length && literal.startsWith(rest)) return "incomplete";
  }
  const rest = /^[-+.0-9eE]+/.exec(text.slice(start))?.[0] ?? "";
  if (rest === "") return "invalid";
  const reachesEnd = start + rest.length === text.length;
  const whole = wholeNumber.exec(rest)?.[0] ?? "";
  if (whole.length === rest.length) return start + rest.length;
  return reachesEnd && numberPrefix.test(rest) ? "incomplete" : "invalid";
}
