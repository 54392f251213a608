/** Takes secrets out of JSON: by the names of members, then by what texts look like. docs/reference/redaction.md */
import type { Json } from "../events/index.ts";
import { judgeKey, plainKey, type SecretKey } from "./redact-keys.ts";
import { redactText } from "./redact-text.ts";
import { REDACTED } from "./redacted.ts";

/** A value without its secrets, and how many were taken out. */
export interface RedactedJson {
  readonly value: Json;
  readonly count: number;
}

/** Deeper than any value of ours; what lies below is not looked at, and not shown. */
const MAX_DEPTH = 200;

/** Left out of introspection: what was said, and what was printed. */
const CONTENT = new Set(["prompt", "response", "stdout", "stderr"]);
const ARGUMENTS = new Set(["args", "arguments", "input", "toolarguments"]);

/** Takes the secrets out of a value, at any depth. The names of members stay. */
export function redactJson(value: Json): RedactedJson {
  const walk = new Walk(false);
  return { value: walk.value(value, "no", 0), count: walk.count };
}

/** The same for introspection, where prompts, answers and output are left out and arguments are hidden whole. */
export function redactIntrospection(value: Json): RedactedJson {
  const walk = new Walk(true);
  return { value: walk.value(value, "no", 0), count: walk.count };
}

class Walk {
  count = 0;
  readonly #isContentFree: boolean;

  constructor(isContentFree: boolean) {
    this.#isContentFree = isContentFree;
  }

  /** @param under - what the names above say of it */
  value(value: Json, under: SecretKey, depth: number): Json {
    if (depth > MAX_DEPTH) return this.#hide();
    if (typeof value === "string") return under === "no" ? this.#text(value) : this.#hidden(value);
    if (typeof value === "number") return under === "yes" ? this.#hide() : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value))
      return (value as readonly Json[]).map((item) => this.value(item, under, depth + 1));
    return this.#members(value as { readonly [key: string]: Json }, under, depth);
  }

  #members(object: { readonly [key: string]: Json }, under: SecretKey, depth: number): Json {
    const members: [string, Json][] = [];
    for (const [key, member] of Object.entries(object)) {
      const plain = plainKey(key);
      if (this.#isContentFree && CONTENT.has(plain)) continue;
      const isHidden = this.#isContentFree && ARGUMENTS.has(plain);
      members.push([
        key,
        isHidden ? this.#hide() : this.value(member, stronger(under, judgeKey(key)), depth + 1),
      ]);
    }
    return Object.fromEntries(members);
  }

  #text(text: string): string {
    const redacted = redactText(text);
    this.count += redacted.count;
    return redacted.text;
  }

  #hidden(text: string): string {
    return text === "" || text === REDACTED ? text : this.#hide();
  }

  #hide(): string {
    this.count += 1;
    return REDACTED;
  }
}

function stronger(a: SecretKey, b: SecretKey): SecretKey {
  if (a === "yes" || b === "yes") return "yes";
  return a === "token" || b === "token" ? "token" : "no";
}
