// A memory that a team shares: one file of JSON lines in a folder that everybody can reach.
import { appendFile, readFile } from "node:fs/promises";
import { defineExtension } from "lemon-runtime";

interface Note {
  readonly id: string;
  readonly scope: "session" | "agent" | "workspace" | "all";
  readonly content: string;
  readonly createdAt: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export default defineExtension({
  name: "team-memory",
  version: "1.0.0",
  capabilities: ["memory_provider"],
  configSchema: {
    type: "object",
    properties: { file: { type: "string", description: "Where the notes are kept, as an absolute path" } },
    required: ["file"],
    additionalProperties: false,
  },
  providers: ({ config }) => {
    const file = String(config["file"]);
    return [
      {
        type: "memory",
        name: "team",
        // Only what concerns the workspace is the team's business.
        config: { scopes: ["workspace", "all"], timeoutMs: 1_000 },
        provider: {
          put: (document) => appendFile(file, `${JSON.stringify(document)}\n`),
          search: async (query, { limit, signal }) => {
            const words = query.toLowerCase().split(/\s+/);
            const notes = await readNotes(file, signal);
            return notes
              .filter(({ content }) => words.some((word) => content.toLowerCase().includes(word)))
              .slice(-limit);
          },
        },
      },
    ];
  },
});

async function readNotes(file: string, signal: AbortSignal): Promise<Note[]> {
  const text = await readFile(file, { encoding: "utf8", signal });
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Note);
}
