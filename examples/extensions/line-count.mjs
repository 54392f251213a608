// @ts-check
// Plain JavaScript is as good: the types come from comments, and an editor checks them all the same.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { defineExtension, defineTool } from "lemon-runtime";

export default defineExtension({
  name: "line-count",
  version: "1.0.0",
  capabilities: ["tools"],
  tools: [
    defineTool({
      name: "line_count",
      description: "Counts the lines of a text file.",
      // JSON Schema, so that nothing has to be loaded to read it. `as const` in a comment gives `args` its type.
      parameters: /** @type {const} */ ({
        type: "object",
        properties: { file: { type: "string", description: "Its path, from the working directory" } },
        required: ["file"],
        additionalProperties: false,
      }),
      readOnly: true,
      parallelSafe: true,
      idempotent: true,
      execute: async (_toolCallId, { file }, signal, _onUpdate, { cwd }) => {
        const text = await readFile(path.resolve(cwd, file), { encoding: "utf8", signal });
        return { content: [{ type: "text", text: `${linesIn(text)} lines` }] };
      },
    }),
  ],
});

/**
 * @param {string} text
 * @returns {number} a last line without its end counts too
 */
function linesIn(text) {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
