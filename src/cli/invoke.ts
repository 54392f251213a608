/** How the grammar of the command line hands over to a command. */
import type { Status } from "./errors.ts";
import type { Context } from "./globals.ts";

/** Loads a command and runs it. */
export type Invoke = <Args extends readonly unknown[]>(
  load: () => Promise<(context: Context, ...args: Args) => Promise<Status>>,
  ...args: Args
) => Promise<void>;
