/** What a session is given that is not recorded, and that its subagents get too. docs/reference/subagents.md */
import type { SessionOptions } from "./session-factory.ts";

/** What of the options is not recorded and holds for subagents too. */
export type HandedOptions = Pick<SessionOptions, "customTools" | "extraTools" | "onSubagent">;

/** Those among the options. */
export function handedIn({ customTools, extraTools, onSubagent }: SessionOptions): HandedOptions {
  return {
    ...(customTools === undefined ? {} : { customTools }),
    ...(extraTools === undefined ? {} : { extraTools }),
    ...(onSubagent === undefined ? {} : { onSubagent }),
  };
}
