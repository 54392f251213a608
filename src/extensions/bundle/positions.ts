/** From places in a bundle to the author's own. */
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Gathered } from "./gathered.ts";

/**
 * Replaces each `<bundle>:<line>:<column>` in a text, be the bundle written as URL or path, by file, line and column of
 * the source. The map is read at the first such place: most bundles never show one.
 *
 * @param url - `file:` URL of the bundle
 * @param map - source map, JSON
 */
export function positionMapper(
  url: string,
  map: string,
  { entry, locals }: Gathered,
): (text: string) => string {
  const file = fileURLToPath(url);
  const place = new RegExp(`(?:${escaped(url)}|${escaped(file)}):(\\d+)(?::(\\d+))?`, "g");
  const folder = path.dirname(entry);
  let read: SourceMap | undefined;
  const author = (line: number, column: number | undefined): string | undefined => {
    read ??= new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
    // Without a column the last place of the line is asked for: the first would give the line before it.
    const found = read.findEntry(line - 1, column === undefined ? Number.MAX_SAFE_INTEGER : column - 1);
    // Past the last place of a line the search goes on from the line before.
    if (!("originalSource" in found) || found.generatedLine !== line - 1) return undefined;
    const source = path.resolve(folder, found.originalSource);
    if (column === undefined) return `${source}:${found.originalLine + 1}`;
    const before = found.originalLine === 0 ? (locals.get(source) ?? 0) : 0;
    return `${source}:${found.originalLine + 1}:${Math.max(0, found.originalColumn - before) + 1}`;
  };
  return (text) =>
    text.includes(path.basename(file))
      ? text.replace(place, (whole: string, line: string, column?: string) => {
          return author(Number(line), column === undefined ? undefined : Number(column)) ?? whole;
        })
      : text;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
