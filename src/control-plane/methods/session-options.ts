/** How sessions, and runs of them, are asked for. */
import { z } from "zod";
import { optionalText } from "./shapes.ts";

/** Names of things, or paths. */
export const names = z.array(z.string());

const approval = z.enum(["auto", "ask", "deny"]);
/** Options of a session. */
export const sessionOptions = {
  model: optionalText.describe("`provider/model-id`; default: what is configured"),
  approval: approval.exactOptional().describe("what becomes of calls that ask for approval"),
  script: z
    .object({ path: z.string(), text: z.string() })
    .exactOptional()
    .describe("a script in place of a model: where it came from, and its JSON text"),
  extensions: names
    .exactOptional()
    .describe("files and folders of extensions beside those that are configured"),
  extensionPaths: names.exactOptional().describe("in place of all that is configured"),
  disabled: names.exactOptional().describe("tools that are not offered"),
  enabledOnly: names.exactOptional().describe("the only tools that are offered"),
  includeExtensions: z.boolean().exactOptional(),
  toolPolicy: z
    .object({
      allow: z.union([z.literal("all"), names]).exactOptional(),
      deny: names.exactOptional(),
      blockedTools: names.exactOptional(),
      requireApproval: names.exactOptional(),
      approvals: z.record(z.string(), z.enum(["auto", "ask", "deny", "never", "always"])).exactOptional(),
    })
    .exactOptional(),
};
