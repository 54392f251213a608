// A tool that asks another program. It changes nothing, so it says all three things that make it cheap to run.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { defineExtension, defineTool, z } from "lemon-runtime";

export default defineExtension({
  name: "git-log",
  version: "1.0.0",
  capabilities: ["tools"],
  tools: [
    defineTool({
      name: "git_log",
      description: "Lists the newest commits of the repository, newest first, one line each.",
      parameters: z.object({
        limit: z.number().int().min(1).max(200).optional().describe("How many; 20 unless said otherwise"),
        path: z.string().optional().describe("Only commits that touch this file or folder"),
      }),
      readOnly: true, // runs without approval
      parallelSafe: true, // may overlap with other calls like it
      idempotent: true, // after a crash it is simply run again
      timeoutMs: 20_000,
      execute: async (_toolCallId, { limit = 20, path }, signal, _onUpdate, { cwd }) => {
        // Arguments go as a list, never through a shell; what follows "--" is a path, whatever it looks like.
        const args = [
          "log",
          `--max-count=${limit}`,
          "--format=%h %as %an: %s",
          "--",
          ...(path ? [path] : []),
        ];
        // The session's folder, and never process.cwd(): many sessions share one worker.
        const { stdout } = await promisify(execFile)("git", args, { cwd, signal });
        const commits = stdout.trim().split("\n").filter(Boolean);
        return {
          content: [{ type: "text", text: commits.join("\n") || "No commits." }],
          details: { commits: commits.length }, // for people and programs; the model never sees it
        };
      },
    }),
  ],
});
