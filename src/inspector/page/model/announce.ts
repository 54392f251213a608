/** A fact in a sentence, for those who hear the page. */
import type { FactRow } from "../../api.ts";

/** `Fact 12 of 400, tool call started: bash npm test, failed`. */
export function sentenceOf(at: number, last: number, row: FactRow | undefined): string {
  if (at === 0) return "";
  const place = `Fact ${at} of ${last}`;
  if (row === undefined || row.version !== at) return place;
  const how = row.isBlocked ? ", blocked" : row.isError ? ", failed" : "";
  return `${place}, ${row.type.replaceAll(/[._]/g, " ")}${row.summary === "" ? "" : `: ${row.summary}`}${how}`;
}
