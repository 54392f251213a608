/**
 * Names of files for lists: their order, and which of them a glob means.
 */

/** A name as one line: one with a line feed or another control character is written as JSON. */
export function printable(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}

/**
 * Whether a path, relative to where the search begins and with `/`, is meant by `glob`.
 *
 * A glob without `/` is matched with the name alone. Composed and decomposed letters are the same.
 * Not ripgrep's `-g`: as an include filter that brings back files which are ignored.
 */
export async function globMatcher(glob: string): Promise<(path: string) => boolean> {
  const picomatch = (await import("picomatch")).default;
  const pattern = glob.normalize("NFC").replace(/^\.\//, "").replace(/^\/+/, "");
  const matches = picomatch(pattern, { dot: true });
  const isName = !pattern.includes("/");
  return (path) => {
    const composed = path.normalize("NFC");
    return matches(isName ? composed.slice(composed.lastIndexOf("/") + 1) : composed);
  };
}
