/** How a runtime is made. docs/reference/runtime.md, "createRuntime" */
import type { ConfigOverrides } from "../config/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock, Ids, Logger, Random } from "../ports.ts";
import type { ModelSource } from "../providers/index.ts";
import type { WorkspaceScanner } from "../workspace/index.ts";

/** How a runtime is made. All of it has a default. */
export interface RuntimeOptions {
  /** Folder of configuration and log. Default `$LEMON_HOME`, else `~/.lemon`. */
  readonly home?: string;
  /** Where sessions work unless they say otherwise, and where `.lemon/` is looked for. Default `process.cwd()`. */
  readonly cwd?: string;
  /** Path of a log, `:memory:`, or an open one, which the runtime then does not close. Default `<home>/log.db`. */
  readonly log?: string | EventLog;
  /** Extensions that run in this process. One that can't be used stands in the status report. */
  readonly extensions?: readonly unknown[];
  /** Models by `provider` or whole `provider/model-id`. */
  readonly models?: Readonly<Record<string, ModelSource>>;
  /** Laid over the configuration files. */
  readonly config?: ConfigOverrides;
  /** Runs of sessions at once where the configuration says nothing of it. Default: no limit. @internal */
  readonly mainLane?: number;
  /** What the command line says; wins over all. @internal */
  readonly flags?: ConfigOverrides;
  /** May the project's configuration lead to code? Default: what was recorded for it. */
  readonly trustProject?: boolean;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Gets each line that an extension writes to its output. Default: the logger, at level info. */
  readonly onExtensionOutput?: (module: string, line: string) => void;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
  /** The environment of commands, and where API keys are looked up. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Which background runs it works on, and under which key its lease stands. Default: those that it is asked for. @internal */
  readonly background?: { readonly role: "worker" | "library" | "command"; readonly leaseKey?: string };
  /** Looks at workspaces before and after calls. @internal */
  readonly scanner?: WorkspaceScanner;
}
