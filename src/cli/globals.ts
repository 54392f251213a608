/** What may be said before or after any command. */
import path from "node:path";
import { defaultHome } from "../home.ts";
import type { GlobalFlags } from "./flags.ts";
import type { Interrupts } from "./interrupts.ts";
import { Output } from "./output.ts";

/** What every command is given. */
export interface Context {
  /** Absolute. It need not exist. */
  readonly home: string;
  /** Path or URL of the log. It need not exist. */
  readonly log: string;
  /** The log was named by a flag, so it does not need the home. */
  readonly isLogNamed: boolean;
  /** Where sessions work. Absolute. */
  readonly cwd: string;
  /** It was named by a flag. */
  readonly isCwdNamed: boolean;
  /** Environment of the commands that sessions run. */
  readonly env: NodeJS.ProcessEnv;
  readonly out: Output;
  readonly interrupts: Interrupts;
  /** Threads that could not be ended: the command ends itself in spite of them once its output is written. */
  readonly leftBehind: (zombies: readonly { readonly module: string }[]) => void;
}

/** The context that flags and environment describe. Touches no file. */
export function contextOf(
  flags: GlobalFlags,
  interrupts: Interrupts,
  leftBehind: Context["leftBehind"],
): Context {
  const home = flags.home === undefined ? defaultHome() : path.resolve(flags.home);
  return {
    home,
    log: flags.log ?? path.join(home, "log.db"),
    isLogNamed: flags.log !== undefined,
    cwd: path.resolve(flags.cwd ?? "."),
    isCwdNamed: flags.cwd !== undefined,
    env: process.env,
    out: new Output(flags),
    interrupts,
    leftBehind,
  };
}
