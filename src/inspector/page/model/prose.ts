/** What a text of a model is drawn as: paragraphs, code between fences, code between backticks. No HTML, ever. */

/** A piece of a text. */
export type Block =
  | { readonly is: "prose"; readonly spans: readonly Span[] }
  | { readonly is: "code"; readonly language: string; readonly text: string };

/** A piece of a paragraph. */
export interface Span {
  readonly is: "text" | "code" | "strong";
  readonly text: string;
}

/** Splits a text. A fence that is not closed lasts to the end. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let prose: string[] = [];
  let code: { language: string; lines: string[] } | null = null;
  const endProse = (): void => {
    const joined = prose.join("\n").trim();
    if (joined !== "") blocks.push({ is: "prose", spans: spansOf(joined) });
    prose = [];
  };
  for (const line of text.split("\n")) {
    const fence = /^\s*```\s*([\w+#.-]*)/.exec(line);
    if (code !== null) {
      if (fence === null) code.lines.push(line);
      else {
        blocks.push({ is: "code", language: code.language, text: code.lines.join("\n") });
        code = null;
      }
    } else if (fence === null) prose.push(line);
    else {
      endProse();
      code = { language: fence[1] ?? "", lines: [] };
    }
  }
  endProse();
  if (code !== null) blocks.push({ is: "code", language: code.language, text: code.lines.join("\n") });
  return blocks;
}

function spansOf(text: string): Span[] {
  return text
    .split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)
    .filter((part) => part !== "")
    .map((part) => {
      if (/^`[^`]+`$/.test(part)) return { is: "code", text: part.slice(1, -1) };
      if (/^\*\*[^*]+\*\*$/.test(part)) return { is: "strong", text: part.slice(2, -2) };
      return { is: "text", text: part };
    });
}
