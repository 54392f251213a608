/** What a test says when it runs one hook by hand, and what the kit fills in. */
import type { Json } from "../events/index.ts";
import type { HookHandlers, HookName } from "../extensions/index.ts";

type Parameter<Name extends HookName> = Parameters<HookHandlers[Name]>;
type EventHook = "onSessionStart" | "onSessionShutdown" | "onToolCall" | "onToolResult";

/** Arguments of a hook. Of an event only what matters to the test need be there. */
export type HookArguments<Name extends HookName> = Name extends EventHook
  ? [event?: Partial<Parameter<Name>[0]>]
  : Parameter<Name>;

/** An answer as it arrives in the runtime: a copy in JSON, `null` for none. */
export type HookAnswer<Name extends HookName> = Name extends EventHook
  ? NonNullable<Exclude<Awaited<ReturnType<HookHandlers[Name]>>, void>> | null
  : unknown;

/** Where the event happens. */
export interface Place {
  readonly sessionId: string;
  readonly cwd: string;
}

/** The arguments of a hook, with defaults for what an event leaves out. */
export function completeArguments(name: HookName, args: readonly unknown[], place: Place): readonly Json[] {
  const defaults = defaultsOf(name, place);
  // Arguments of a test are the author's own; what is no JSON is found where they cross to the extension.
  if (defaults === null) return args as readonly Json[];
  return [{ ...defaults, ...(args[0] as { readonly [key: string]: Json } | undefined) }];
}

function defaultsOf(name: HookName, place: Place): { readonly [key: string]: Json } | null {
  const call = { toolCallId: "call_test", toolName: "tool", args: {}, ...place };
  switch (name) {
    case "onSessionStart":
      return { ...place, sessionScope: "main" };
    case "onSessionShutdown":
      return { ...place, reason: "normal" };
    case "onToolCall":
      return call;
    case "onToolResult":
      return { ...call, result: { content: [], details: null }, isError: false };
    default:
      return null;
  }
}
