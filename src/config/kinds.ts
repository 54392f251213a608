/**
 * The kinds of value that a key may have: how each is read from a parsed value, and from the text of a variable.
 */

/** What a key accepts. */
export interface Kind<Value> {
  /** For messages: completes "expected …". */
  readonly expected: string;
  /** Whether a message may repeat a wrong word. Not where someone may have put a secret. */
  readonly repeatable?: boolean;
  /** @returns `undefined` when `found` is not of this kind */
  read(found: unknown): Value | undefined;
  /** The same for the text of an environment variable, blanks around it removed. */
  readText(text: string): Value | undefined;
  /** Texts of a variable that count as if it were not set. A blank one always does. */
  isUnset?(text: string): boolean;
  /** For values with parts: the first part that is wrong, and what it is. */
  wrongPart?(found: unknown): WrongPart | undefined;
  /** How a value is laid over one of a lower source. Default: it takes its place. */
  layOver?(below: Value, above: Value): Value;
}

/** A part of a value that its key does not take. */
export interface WrongPart {
  readonly path: readonly string[];
  readonly expected: string;
  readonly got: string;
}

const trueWords = ["true", "1", "yes", "on"];
const falseWords = ["false", "0", "no", "off"];

/** `true`, `false`, `1`, `0`, or one of the words `true yes on false no off` in any case. */
export const bool: Kind<boolean> = {
  expected: "true or false",
  read(found) {
    if (typeof found === "boolean") return found;
    return found === 1
      ? true
      : found === 0
        ? false
        : typeof found === "string"
          ? bool.readText(found)
          : undefined;
  },
  readText(text) {
    const word = text.trim().toLowerCase();
    return trueWords.includes(word) ? true : falseWords.includes(word) ? false : undefined;
  },
};

/** A whole number of 1 or more, up to `max`; with `orInfinity` also `inf`. */
export function count(options: { readonly orInfinity?: boolean; readonly max?: number } = {}): Kind<number> {
  const { orInfinity = false, max = Number.MAX_SAFE_INTEGER } = options;
  const range = options.max === undefined ? "of 1 or more" : `from 1 to ${max}`;
  return {
    expected: `a whole number ${range}${orInfinity ? ", or inf" : ""}`,
    read(found) {
      if (found === Infinity) return orInfinity ? Infinity : undefined;
      const isCount = typeof found === "number" && Number.isSafeInteger(found) && found >= 1 && found <= max;
      return isCount ? found : undefined;
    },
    readText(text) {
      if (text === "inf") return this.read(Infinity);
      return /^\d+$/.test(text) ? this.read(Number(text)) : undefined;
    },
  };
}

/** One word of a closed list, spelt exactly. */
export function oneOf<const Word extends string>(words: readonly Word[]): Kind<Word> {
  const read = (found: unknown): Word | undefined => words.find((word) => word === found);
  return { expected: words.map((word) => `"${word}"`).join(" or "), repeatable: true, read, readText: read };
}

/** A list of texts; entries that are blank or no text are left out. In a variable, commas separate them. */
export const textList: Kind<readonly string[]> = {
  expected: "a list of texts",
  read(found) {
    if (!Array.isArray(found)) return undefined;
    return found.filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "");
  },
  readText: splitAtCommas,
  isUnset: (text) => splitAtCommas(text).length === 0,
};

function splitAtCommas(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** A list of one or more values of a kind. In a variable, commas separate them. */
export function listOf<Value>(each: Kind<Value>): Kind<readonly Value[]> {
  const readAll = (found: readonly unknown[]): Value[] | undefined => {
    const values = found.map((entry) => each.read(entry));
    return values.length === 0 || values.includes(undefined) ? undefined : (values as Value[]);
  };
  return {
    expected: `a list of ${each.expected}`,
    read: (found) => (Array.isArray(found) ? readAll(found) : undefined),
    readText: (text) => readAll(splitAtCommas(text)),
  };
}

/** A text that `accepts` agrees to. */
export function text(expected: string, accepts: (found: string) => boolean): Kind<string> {
  const read = (found: unknown): string | undefined =>
    typeof found === "string" && accepts(found) ? found : undefined;
  return { expected, read, readText: read };
}

/** An address that begins with `http:` or `https:`. */
export const httpUrl = text(
  "an http or https URL",
  (found) => /^https?:\/\//i.test(found) && URL.canParse(found),
);

/** The name, not the value, of an environment variable. */
export const variableName = text("the name of an environment variable", (found) =>
  /^[A-Za-z_]\w*$/.test(found),
);

/** A value of the wrong kind, in a word that gives no content away. */
export function nameWrong(found: unknown, kind: Kind<unknown>): string {
  if (typeof found !== "string" || found === "") return nameOfType(found);
  if (kind.repeatable === true && /^[\w-]{1,24}$/.test(found)) return JSON.stringify(found);
  return "another text";
}

/** What was found, by its type. */
export function nameOfType(found: unknown): string {
  if (found === null) return "null";
  if (Array.isArray(found)) return "a list";
  if (found instanceof Date) return "a date";
  if (found === "") return "an empty text";
  if (typeof found === "number") return `the number ${found}`;
  if (typeof found === "object") return "a table";
  return typeof found === "string" ? "a text" : `a ${typeof found}`;
}

/** A table of TOML, or a plain object. */
export function isTable(found: unknown): found is Readonly<Record<string, unknown>> {
  return typeof found === "object" && found !== null && !Array.isArray(found) && !(found instanceof Date);
}
