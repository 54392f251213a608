// Looks at calls before they run: some are refused, one is made safer.
import { defineExtension } from "lemon-runtime";

const forbidden = [
  { pattern: /\bgit\s+push\b.*(\s-f\b|--force\b)/, reason: "force pushes rewrite what others have" },
  { pattern: /\bgit\s+reset\s+--hard\b/, reason: "it throws work away; commit or stash it first" },
];

export default defineExtension({
  name: "git-guard",
  version: "1.0.0",
  capabilities: ["hooks"],
  hooks: {
    // A handler that throws or is late blocks the call too: a guard that fails must not let anything through.
    onToolCall: ({ toolName, args }) => {
      if (toolName !== "bash" || typeof args["command"] !== "string") return;
      const { command } = args;
      const found = forbidden.find(({ pattern }) => pattern.test(command));
      // The model reads the reason, so it says what to do instead.
      if (found !== undefined) return { block: found.reason };
      if (/\bgit\s+clean\b/.test(command) && !/--dry-run|-n\b/.test(command)) {
        return {
          // All the arguments, not only the changed one: the tool gets exactly this object, and nobody checks it.
          replaceArgs: { ...args, command: command.replace(/\bgit\s+clean\b/, "git clean --dry-run") },
          additionalContext: "git clean was run with --dry-run. Ask the user before anything is deleted.",
        };
      }
      return;
    },
  },
});
