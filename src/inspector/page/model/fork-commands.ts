/** How to go on with a fork, on the command line. */
import type { ForkAnswer } from "../../api.ts";

/** Commands with what they do. */
export function commandsOf({ sessionId }: ForkAnswer): { readonly what: string; readonly command: string }[] {
  return [
    { what: "Go on", command: `lemon run --session ${sessionId} "…"` },
    { what: "Look at it", command: `lemon show ${sessionId}` },
  ];
}
