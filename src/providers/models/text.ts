/** How texts from a model are cut and mended. A character is a Unicode code point. */

/** Replaces halves of surrogate pairs, which no encoding of text can hold, by U+FFFD. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** The first `count` characters of `text`. */
export function firstCharacters(text: string, count: number): string {
  return [...text].slice(0, count).join("");
}

/** `text` in pieces of at most `size` characters. Joined, they are the text again. */
export function piecesOf(text: string, size: number): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(""));
  }
  return pieces;
}
