/**
 * Ids as they were written. `JSON.parse` turns `12345678901234567890` into another number, and an id has to come back
 * unchanged. Only asked for numbers that a double may not hold, so it may take its time.
 */

/** A number, a string, or one character of punctuation or of a word; blanks are left out. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[^\s]/gy;

/**
 * The text of each top-level `id`: of the message itself, or of each call of a batch by its index. The last of several
 * counts, as it does for `JSON.parse`.
 *
 * @param text - valid JSON
 */
export function idTexts(text: string): readonly (string | null)[] {
  const ids: (string | null)[] = [];
  const isBatch = text.trimStart().startsWith("[");
  /** The depth at which the members of a call stand. */
  const level = isBatch ? 2 : 1;
  let depth = 0;
  let index = 0;
  let key: string | null = null;
  let previous = "";
  for (const token of tokensOf(text)) {
    if (token === "," && depth === 1 && isBatch) index += 1;
    else if (token === ":" && depth === level) key = previous;
    else if (token === "," || token === "}") key = null;
    else if (previous === ":" && depth === level && key !== null && isId(key)) ids[index] = token;
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    previous = token;
  }
  return ids;
}

function* tokensOf(text: string): Generator<string> {
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    while (/\s/.test(text[at] ?? "")) at += 1;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return;
    yield token;
  }
}

function isId(key: string): boolean {
  return key.startsWith('"') && JSON.parse(key) === "id";
}
