/**
 * An extension as the runtime holds it, whether it lives in a worker thread or in this process: both keep the same
 * rules of order, precedence, deadlines and failure. docs/reference/extensions.md
 */
import type { Json } from "../events/index.ts";
import type { MemoryProvider, ModelProvider, SearchProvider } from "../providers/index.ts";
import type { Tool } from "../tools/index.ts";
import type { HookName } from "./hooks.ts";

/** Settings of an extension, checked against its `configSchema`, with defaults filled in. */
export type ExtensionSettings = Readonly<Record<string, unknown>>;

/** The members of an extension, in the order in which they are checked. */
export const memberNames = [
  "name",
  "version",
  "tools",
  "hooks",
  "capabilities",
  "configSchema",
  "providers",
] as const;

/** See {@link memberNames}. */
export type MemberName = (typeof memberNames)[number];

/** Faults by the member that has them; a member without one is left out. */
export type MemberErrors = { readonly [Name in MemberName]?: readonly string[] };

/** What an extension says of itself, before it is told a folder and settings. Plain JSON. */
export interface Description {
  /** `null` when it has none that can be used; then `errors` says why. The same for `version`. */
  readonly name: string | null;
  readonly version: string | null;
  readonly capabilities: readonly string[];
  readonly configSchema: Readonly<Record<string, unknown>>;
  /** Of the members name, version, capabilities and configSchema. */
  readonly errors: MemberErrors;
  readonly warnings: readonly string[];
}

/** A provider that an extension brings; its functions may be called in this process wherever they run. */
export type CollectedProvider =
  | (ProviderHead & { readonly type: "model"; readonly provider: ModelProvider })
  | (ProviderHead & { readonly type: "memory"; readonly provider: MemoryProvider })
  | (ProviderHead & { readonly type: "search"; readonly provider: SearchProvider });

interface ProviderHead {
  /** Trimmed. */
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** What became of one handler. */
export type HandlerOutcome =
  | {
      readonly status: "answered";
      /** A JSON copy; `null` for nothing. */
      readonly answer: Json;
      readonly durationMs: number;
    }
  | {
      readonly status: "failed";
      readonly failure: HandlerFailure;
      readonly durationMs: number;
    }
  /** A handler before it blocked, failed where that ends the event, or used the time up. */
  | { readonly status: "not_run" };

/** How a handler failed. */
export interface HandlerFailure {
  /** `invalid`: its answer is not JSON. `crash`: its worker ended. `quarantined`: it was not asked. */
  readonly kind: "throw" | "timeout" | "crash" | "invalid" | "not_a_function" | "quarantined";
  /** Name of the class that was thrown; the kind when nothing was. */
  readonly class: string;
  /** Bounded; may hold what the author wrote, so it is masked before it goes anywhere. */
  readonly message: string;
}

/** How the handlers of one extension are run for one event. */
export interface RunHooksOptions {
  /** Each handler's own limit in milliseconds, from its start. */
  readonly handlerMs: number;
  /** Left of the whole event's time, in milliseconds; `null`: no such limit. */
  readonly eventMs: number | null;
  /** Ends after the first handler that blocks or fails. For `onToolCall`. */
  readonly untilBlocked: boolean;
}

/** What an extension brings for one folder under one set of settings. */
export interface Collection {
  /** Normalised, in the author's order, bad ones left out. Ready to be called: see {@link ExtensionHost}. */
  readonly tools: readonly Tool[];
  /** How many handlers each hook has; entries that are no function count and fail. */
  readonly hooks: Readonly<Partial<Record<HookName, number>>>;
  readonly providers: readonly CollectedProvider[];
  /** Of the members tools, hooks and providers. */
  readonly errors: MemberErrors;
  readonly warnings: readonly string[];
  /**
   * Runs the handlers of one hook, one after the other, each with arguments of its own. Never rejects.
   *
   * @param args - JSON
   * @returns an outcome for each handler, in their order
   */
  runHooks(
    name: HookName,
    args: readonly Json[],
    options: RunHooksOptions,
  ): Promise<readonly HandlerOutcome[]>;
  /** Gives it back: nobody calls its tools, hooks or providers any more. */
  release(): void;
}

/**
 * One extension of one load. A call made while its worker restarts waits, inside its own deadline.
 *
 * `execute` of its tools rejects with `ToolFailure` for what the runtime itself has to say (crashed, quarantined, no
 * longer there) and with an error named like the author's class for what the tool threw.
 */
export interface ExtensionHost {
  readonly description: Description;
  /** SHA-256 of the code that runs, in hex; `null` for an object of the program. */
  readonly sha256: string | null;
  /** The same folder and settings give the same collection until all who asked have released it. */
  collect(cwd: string, settings: ExtensionSettings): Promise<Collection>;
  /** Ends it once its calls have settled; `now` does not wait for them. Resolves when nothing of it can arrive any more. */
  end(now?: boolean): Promise<void>;
}

/** A thread that has been told to end and has not: it is inside a native call. */
export interface Zombie {
  readonly module: string;
  readonly since: number;
}

/** What happens to the workers of extensions, as it happens. */
export interface HostEvents {
  /** A worker ended by itself, at a deadline or for its memory, and is started again. */
  restarted(module: string, generation: number, cause: RestartCause, restarts: number): void;
  /** It ended too often: nothing of it runs until a reload. `since`: epoch milliseconds. */
  quarantined(
    module: string,
    generation: number,
    reason: string,
    since: number,
    restarts: number,
    sourcePath: string,
  ): void;
  /** A line that the extension wrote; control characters are gone, positions are the author's. */
  output(module: string, line: string): void;
}

/** Why a worker ended. */
export type RestartCause = "exit" | "error" | "memory" | "deadline" | "unresponsive" | "start_failed";

/** A file that could not be loaded. Plain JSON. */
export interface LoadError {
  readonly sourcePath: string;
  readonly error: {
    readonly name: string;
    readonly message: string;
    readonly code?: string;
    /** When it is not the extension file itself. */
    readonly file?: string;
    readonly line?: number;
    readonly column?: number;
  };
  /** For people; docs/reference/extensions.md, "Load errors". */
  readonly errorMessage: string;
}

/** Thrown where one file is loaded; `loadError` is what is reported. */
export class ExtensionLoadError extends Error {
  readonly loadError: LoadError;

  constructor(loadError: LoadError) {
    super(loadError.errorMessage);
    this.name = "ExtensionLoadError";
    this.loadError = loadError;
  }
}

/** An extension file after bundling, before any of its code has run. */
export interface Bundle {
  /** Absolute path of the extension file as it was found. */
  readonly sourcePath: string;
  /** `file:` URL of the bundled code. */
  readonly url: string;
  /** Of the bundled code, in hex. */
  readonly sha256: string;
  /** `esm`: `exports` are all names that it exports. `commonjs`: only evaluating it tells. */
  readonly format: "esm" | "commonjs";
  readonly exports: readonly string[];
  /** Whether the file itself has code: one of types alone has none. */
  readonly hasCode: boolean;
  /** Real paths of the local files that are in it, the extension file among them. */
  readonly inputs: readonly string[];
  /** Maps positions of the bundle in a stack or a line of output to the author's. */
  mapPositions(text: string): string;
}
