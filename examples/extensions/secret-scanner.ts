// Reviews results: what looks like a key of a well-known service is hidden before the model sees it.
import { defineExtension } from "lemon-runtime";

const keys = [
  { of: "AWS", pattern: /\bAKIA[0-9A-Z]{16}\b/g },
  { of: "GitHub", pattern: /\bgh[pousr]_[A-Za-z0-9]{36}\b/g },
  { of: "private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/g },
];

export default defineExtension({
  name: "secret-scanner",
  version: "1.0.0",
  capabilities: ["hooks"],
  hooks: {
    onToolResult: ({ result, isError }) => {
      // The message of an exception is shown as it is: it can't be replaced.
      if (isError || !hasContent(result)) return;
      const found = new Set<string>();
      const content = result.content.map((block) => {
        if (block.type !== "text") return block;
        let { text } = block;
        for (const { of, pattern } of keys) {
          text = text.replaceAll(pattern, () => {
            found.add(of);
            return `[${of} hidden]`;
          });
        }
        return { type: "text" as const, text };
      });
      // Nothing found: no answer, so the result stays as it is.
      if (found.size === 0) return;
      return {
        replace: { content },
        additionalContext: `Hidden here: ${[...found].join(", ")}. Do not try to read it in another way.`,
      };
    },
  },
});

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

function hasContent(result: unknown): result is { readonly content: readonly Block[] } {
  return typeof result === "object" && result !== null && "content" in result;
}
