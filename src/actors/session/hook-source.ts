/** What the session needs of an extension to run its hooks. */
import type { HandlerOutcome, HookName, RunHooksOptions } from "../../extensions/index.ts";
import type { Json } from "../../events/index.ts";

/** The hooks of one extension, as a session uses them. */
export interface HookSource {
  readonly module: string;
  /** Of the code that runs; `null` for an extension inside the program. */
  readonly sha256: string | null;
  readonly hooks: Readonly<Partial<Record<HookName, number>>>;
  runHooks(
    name: HookName,
    args: readonly Json[],
    options: RunHooksOptions,
  ): Promise<readonly HandlerOutcome[]>;
}
