/**
 * Where in a TOML text a key has its value. Loaded only to report a mistake: its parser keeps positions, and is slow.
 */
import { parseTOML, type AST } from "toml-eslint-parser";

/** Both from 1; `null` when the place could not be found. */
export interface Place {
  readonly line: number | null;
  readonly column: number | null;
}

/** Finds the value at a key path; for a table its header, else the nearest table around it. */
export function locator(text: string): (path: readonly string[]) => Place {
  const places: { readonly path: readonly string[]; readonly loc: AST.SourceLocation }[] = [];
  for (const node of parse(text)) {
    if (node.type === "TOMLKeyValue") note([], node);
    else {
      const path = node.resolvedKey.map(String);
      places.push({ path, loc: node.key.loc });
      for (const child of node.body) note(path, child);
    }
  }
  return (path) => {
    const around = places.filter((place) => place.path.every((key, at) => key === path[at]));
    const closest = around.reduce<(typeof around)[number] | undefined>(
      (best, place) => (best === undefined || place.path.length > best.path.length ? place : best),
      undefined,
    );
    if (closest === undefined) return { line: null, column: null };
    return { line: closest.loc.start.line, column: closest.loc.start.column + 1 };
  };

  function note(table: readonly string[], { key, value }: AST.TOMLKeyValue): void {
    const path = [...table, ...key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value))];
    places.push({ path, loc: value.loc });
    if (value.type === "TOMLInlineTable") for (const child of value.body) note(path, child);
  }
}

/** Nothing for a text that this parser, but not the one that reads values, refuses: a place is only a help. */
function parse(text: string): readonly (AST.TOMLKeyValue | AST.TOMLTable)[] {
  try {
    return parseTOML(text).body[0].body;
  } catch {
    return [];
  }
}
