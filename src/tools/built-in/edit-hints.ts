/**
 * Why a text was not found in a file, as far as one can tell: the model then needs one more call instead of three.
 */
import { cutText } from "../cut.ts";

const maxShown = 600;

/** A sentence with a blank before it, or nothing. */
export function absenceHint(file: Buffer, oldText: string): string {
  const text = file.toString("utf8").replaceAll("\r\n", "\n");
  const wanted = oldText.replaceAll("\r\n", "\n");
  const near = nearMatch(text.split("\n"), wanted.replace(/\n$/, "").split("\n"));
  if (near !== undefined) {
    const { line, found } = near;
    return ` Line ${line} differs only in white space or in kinds of quotes and dashes; the file has:\n${cutText(found, maxShown)}`;
  }
  if (/^\s*\d+[\t|:→]/.test(wanted)) return " It begins with a line number, which the file does not hold.";
  if (text.includes("\u{FFFD}"))
    return " Some bytes of the file are not UTF-8 and are shown as \u{FFFD}: leave them out of oldText.";
  if (file.subarray(0, 8_192).includes(0)) return " The file is binary.";
  const first = wanted.split("\n").find((line) => line.trim() !== "");
  const at = first === undefined ? -1 : text.split("\n").findIndex((line) => line.trim() === first.trim());
  return at === -1
    ? " Read the file and copy the text from it."
    : ` Its first line stands at line ${at + 1}, but what follows differs: read the file again.`;
}

function nearMatch(
  lines: readonly string[],
  wanted: readonly string[],
): { line: number; found: string } | undefined {
  const loose = lines.map(loosened);
  const searched = wanted.map(loosened);
  if (searched.every((line) => line === "")) return undefined;
  for (let at = 0; at + searched.length <= loose.length; at += 1) {
    if (
      searched.every(
        (line, index) =>
          loose[at + index]?.includes(line) === true && (searched.length === 1 || loose[at + index] === line),
      )
    ) {
      return { line: at + 1, found: lines.slice(at, at + searched.length).join("\n") };
    }
  }
  return undefined;
}

/** Lines that look the same to a reader are the same. */
function loosened(line: string): string {
  return line
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}
