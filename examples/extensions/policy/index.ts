// Three rules for an agent that works in one folder: no destructive commands, no writes elsewhere, no environment dumps.
// It is one layer, and README.md says what goes through it.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { defineExtension } from "lemon-runtime";
import { hideVariables, isDump } from "./environment.ts";
import { verdictOn } from "./shell.ts";

interface Config {
  readonly writable?: readonly string[];
}

export default defineExtension({
  name: "policy",
  version: "1.0.0",
  capabilities: ["hooks"],
  configSchema: {
    type: "object",
    properties: {
      writable: {
        type: "array",
        items: { type: "string" },
        description: "Folders to write to beside the workspace",
      },
    },
    additionalProperties: false,
  },
  hooks: ({ config }) => {
    const writable = ((config as Config).writable ?? []).map((folder) => path.resolve(folder));
    return {
      onToolCall: async ({ toolName, args, cwd }) => {
        if (toolName === "bash") {
          const reason = verdictOn(String(args["command"]), { cwd, writable });
          return reason === null ? undefined : { block: reason };
        }
        for (const file of filesOf(toolName, args)) {
          const place = await realPlace(path.resolve(cwd, file));
          const roots = await Promise.all([cwd, ...writable].map(realPlace));
          if (!roots.some((root) => place === root || place.startsWith(root + path.sep)))
            return { block: `${file} is outside of the workspace` };
        }
        return undefined;
      },
      onToolResult: ({ toolName, args, result, isError }) => {
        if (toolName !== "bash" || isError || !hasContent(result)) return;
        const all = isDump(String(args["command"]));
        const content = result.content.map((block) =>
          block.type === "text" ? { ...block, text: hideVariables(block.text, all) } : block,
        );
        if (JSON.stringify(content) === JSON.stringify(result.content)) return;
        return { replace: { content }, additionalContext: "Values of environment variables were hidden." };
      },
    };
  },
});

/** Files that a call of a built-in tool would write. */
function filesOf(tool: string, args: Readonly<Record<string, unknown>>): string[] {
  if (tool === "write" || tool === "edit") return [String(args["path"])];
  if (tool !== "patch") return [];
  const lines = Object.values(args).join("\n").split("\n");
  return lines.flatMap((line) => {
    const named =
      /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |(?:---|\+\+\+) (?:[ab]\/)?)(\S.*)$/.exec(
        line,
      )?.[1];
    return named === undefined || named === "/dev/null" ? [] : [named];
  });
}

/** Where a path leads once links are followed; the part that is not there yet stays as it is. */
async function realPlace(place: string): Promise<string> {
  try {
    return await realpath(place);
  } catch {
    const above = path.dirname(place);
    return above === place ? place : path.join(await realPlace(above), path.basename(place));
  }
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

function hasContent(result: unknown): result is { readonly content: readonly Block[] } {
  return typeof result === "object" && result !== null && "content" in result;
}
