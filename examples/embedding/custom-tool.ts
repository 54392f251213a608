// A tool of your own: the model counts words with it.
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime, defineExtension, defineTool, scriptedModel, z } from "lemon-runtime";

const countWords = defineTool({
  name: "count_words",
  description: "Counts the words of a text file.",
  parameters: z.object({ file: z.string(), minLength: z.number().optional() }),
  readOnly: true, // it never needs an approval
  idempotent: true, // after a crash it may simply run again
  timeoutMs: 10_000,
  execute: async (_toolCallId, { file, minLength = 1 }, signal, _onUpdate, { cwd }) => {
    const text = await readFile(path.resolve(cwd, file), { encoding: "utf8", signal });
    const words = text.split(/\s+/).filter((word) => word.length >= minLength);
    return { content: [{ type: "text", text: `${words.length} words` }], details: { words: words.length } };
  },
});

const home = await mkdtemp(path.join(tmpdir(), "lemon-"));
await writeFile(path.join(home, "poem.txt"), "so much depends upon a red wheel barrow");
const runtime = await createRuntime({
  home,
  cwd: home,
  extensions: [defineExtension({ name: "words", version: "1.0.0", tools: [countWords] })],
  models: {
    demo: scriptedModel([
      {
        toolCalls: [
          { name: "count_words", args: { file: "poem.txt" } },
          { name: "count_words", args: { file: "poem.txt", minLength: 5 } },
          { name: "count_words", args: { path: "poem.txt" } },
          { name: "count_words", args: { file: "gone.txt" } },
        ],
      },
      { text: "Eight words, three of them long." },
    ]),
  },
});

const session = await runtime.sessions.start({ model: "demo" });
session.subscribe((event) => {
  if (event.type !== "tool_execution_end") return;
  const [block] = event.result.content;
  const text = block?.type === "text" ? block.text.replaceAll(home, ".") : "";
  console.log(event.isError ? "error:" : "ok:", text);
});
console.log((await session.prompt("How many words has poem.txt?")).text);
await runtime.close();
