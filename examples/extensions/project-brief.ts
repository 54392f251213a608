// Context at the start of a session: the model learns how this project is built and tested before the first prompt.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { defineExtension } from "lemon-runtime";

export default defineExtension({
  name: "project-brief",
  version: "1.0.0",
  capabilities: ["hooks"],
  hooks: {
    // All handlers of all extensions have 2,000 ms together: read a file, don't ask a server.
    onSessionStart: async ({ cwd, sessionScope }) => {
      if (sessionScope !== "main") return;
      const scripts = await scriptsOf(cwd);
      if (scripts.length === 0) return;
      return { additionalContext: `Commands of this project: ${scripts.join(", ")}` };
    },
  },
});

async function scriptsOf(cwd: string): Promise<string[]> {
  try {
    const text = await readFile(path.join(cwd, "package.json"), "utf8");
    const { scripts = {} } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, string>> };
    return Object.keys(scripts).map((name) => `npm run ${name}`);
  } catch {
    return []; // no package.json, or a broken one: there is nothing to say
  }
}
