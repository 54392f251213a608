/** More terms than anybody means; each costs a look into the index. */
const maxTerms = 64;

/**
 * A search of FTS5 for texts that have any of the words of a query; `null` when it has none.
 *
 * What a person writes is no FTS5 query: `foo-bar` would name a column. Every word is quoted, so nothing in it is an
 * operator (https://sqlite.org/fts5.html, section 3.1); a quoted word of several tokens is a phrase.
 */
export function matchAnyWord(query: string): string | null {
  // SQLite's text ends at NUL.
  const words = [...new Set(query.split(/[\s\0]+/))].filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));
  if (words.length === 0) return null;
  return words
    .slice(0, maxTerms)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(" OR ");
}
