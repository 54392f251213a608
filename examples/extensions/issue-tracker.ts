// Settings with a schema and a secret. In config.toml:
//
//   [extensions.settings.issue-tracker]
//   server = "https://issues.example.com"
//   token = { env = "ISSUES_TOKEN" }
import { defineExtension, defineTool, z } from "lemon-runtime";

export default defineExtension({
  name: "issue-tracker",
  version: "1.0.0",
  capabilities: ["tools"],
  // Settings are checked against this before anything else runs. A wrong one is named in the status report.
  configSchema: {
    type: "object",
    properties: {
      server: { type: "string", pattern: "^https?://", description: "Address of the tracker" },
      token: { type: "string", minLength: 1, secret: true, description: "Is hidden wherever it turns up" },
      timeoutSeconds: { type: "integer", minimum: 1, default: 10 },
    },
    required: ["server", "token"],
    additionalProperties: false,
  },
  tools: (_cwd, { config }) => [
    defineTool({
      name: "issue_title",
      description: "Looks an issue up by its number and gives its title and state.",
      parameters: z.object({ number: z.number().int().min(1) }),
      readOnly: true,
      parallelSafe: true,
      idempotent: true,
      timeoutMs: Number(config["timeoutSeconds"]) * 1_000,
      execute: async (_toolCallId, { number }, signal) => {
        const address = new URL(`/issues/${number}`, String(config["server"]));
        const headers = { authorization: `Bearer ${String(config["token"])}` };
        const response = await fetch(address, { signal, headers });
        // Say what the model can do something about, and leave the rest out.
        if (response.status === 404) throw new Error(`there is no issue ${number}`);
        if (!response.ok) throw new Error(`the tracker answered ${response.status}`);
        const { title, state } = (await response.json()) as { title: string; state: string };
        return {
          content: [{ type: "text", text: `#${number} (${state}): ${title}` }],
          trust: "untrusted", // anybody can write an issue
        };
      },
    }),
  ],
});
