/** What a bisect is asked, and what it answers. docs/reference/bisect.md */
import type { Fact } from "../../events/index.ts";
import type { IgnoredFiles } from "../../workspace/index.ts";
import type { MaterialiseReason } from "../materialise/materialise.ts";
import type { CallBehind } from "./call-behind.ts";
import type { CheckRun } from "./run-check.ts";

/** What is searched for: `run` or `when`, and where. */
export interface BisectOptions {
  /** A shell command, run in copies of the workspace: exit status 0 is good, 125 can't tell, all else is bad. */
  readonly run?: string;
  /** A JavaScript expression over `state`. */
  readonly when?: string;
  /** A version that is good. Default 1. */
  readonly from?: number;
  /** A version that is bad. Default: the last. */
  readonly to?: number;
  /** Of one run of the command (default 300,000), or of all evaluations together (default 60,000). */
  readonly timeoutMs?: number;
  /** Where the copy is made. Default: the system's folder for temporary files. */
  readonly workDir?: string;
  /** What becomes of ignored files in the copy. Default `copy`. */
  readonly ignored?: IgnoredFiles;
  /** Environment of the command. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Absolute paths that are never copied: the home of the runtime. The files of the log never are. */
  readonly skipped?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** What the command prints. */
  readonly onOutput?: (bytes: Uint8Array) => void;
  /** Told before each run of the command. */
  readonly onStart?: (run: { readonly version: number; readonly left: number }) => void;
  /** Told after each run of the command. */
  readonly onRun?: (run: BisectRun) => void;
}

/** A run of the command. */
export interface BisectRun extends CheckRun {
  readonly version: number;
}

/** The first fact after which the command fails, or the expression holds. */
export interface BisectResult {
  /** Of the session. Of a fact in the stream of a subagent: the first that comes after it. */
  readonly version: number;
  readonly fact: Fact;
  /** How often the command ran, or the expression was evaluated. */
  readonly runs: number;
  readonly sessionId: string;
  /** The call that the fact belongs to; `null` when it belongs to none. */
  readonly call: CallBehind | null;
  /** Of a command: each run, in their order. */
  readonly checks?: readonly BisectRun[];
  /** Of a command: paths whose content was not known at some of the versions. docs/reference/bisect.md, "The copy" */
  readonly filesUnavailable?: readonly string[];
  readonly coverage?: "full" | "partial" | "none";
  readonly coverageReasons?: readonly MaterialiseReason[];
}
