/** The flags, as the parser gives them. */
import type { ThinkingLevel } from "../events/index.ts";

/** Flags of every command. */
export interface GlobalFlags {
  readonly home?: string;
  readonly log?: string;
  readonly cwd?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Flags of the commands that lead a session. */
export interface LeadFlags {
  readonly model?: string;
  readonly approve?: "auto" | "ask" | "deny";
  readonly script?: string;
  readonly extension?: readonly string[];
}

/** Flags of `lemon run`. */
export interface RunFlags extends LeadFlags {
  readonly session?: string;
  readonly continue?: boolean;
}

/** Flags of `lemon ask`. */
export interface AskFlags extends LeadFlags {
  readonly timeout?: number;
}

/** Flags of `lemon facts`. */
export interface FactsFlags {
  readonly follow?: boolean;
  readonly from?: number;
  readonly type?: readonly string[];
}

/** Flags of `lemon serve`. */
export interface ServeFlags {
  readonly stdio?: boolean;
  readonly http?: boolean;
  readonly port?: number;
  readonly scopes?: string;
}

/** Flags of `lemon tree`. */
export interface TreeFlags {
  readonly at?: number;
  readonly follow?: boolean;
}

/** Flags of `lemon bisect`. */
export interface BisectFlags {
  readonly run?: string;
  readonly when?: string;
  readonly from?: number;
  readonly to?: number;
  readonly timeout?: number;
  readonly ignored?: "copy" | "link" | "none";
  readonly workDir?: string;
}

/** Flags of `lemon doctor`. */
export interface DoctorFlags {
  readonly bundle?: string;
}

/** Flags of the commands that load extensions without a session. */
export interface ExtensionFlags {
  readonly extension?: readonly string[];
  readonly capability?: string;
}

/** `lemon checkpoint create` */
export interface CheckpointCreateFlags {
  /** `true`: named without a path. */
  readonly files?: true | readonly string[];
}

/** `lemon checkpoint restore` */
export interface CheckpointRestoreFlags {
  readonly at?: number;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Flags of `lemon worker`. */
export interface WorkerFlags {
  /** Seconds. */
  readonly idle?: number;
}

/** `lemon background start` */
export interface BackgroundStartFlags extends LeadFlags {
  readonly thinking?: ThinkingLevel;
  readonly timeout?: number;
  readonly onRestart?: "resume" | "lost";
}

/** `lemon background list` */
export interface BackgroundListFlags {
  readonly status?: string;
  readonly limit?: number;
}

/** Flags of `lemon inspect`. */
export interface InspectFlags {
  /** 0: one that is free. */
  readonly port?: number;
  readonly open?: boolean;
  readonly prices?: string;
}

/** `lemon export` */
export interface ExportFlags {
  readonly redact?: boolean;
}

/** `lemon fixture` */
export interface FixtureFlags {
  readonly out?: string;
}

/** Flags of `lemon what-if`. */
export interface WhatIfFlags {
  readonly all?: boolean;
  readonly extension?: readonly string[];
  /** `false`: `--no-extensions`. */
  readonly extensions?: boolean;
  readonly keep?: boolean;
  readonly approve?: "auto" | "ask" | "deny";
  readonly deny?: readonly string[];
  readonly requireApproval?: readonly string[];
  readonly failOnChange?: boolean;
}

/** Flags of `lemon blame`. */
export interface BlameFlags {
  readonly session?: string;
  readonly at?: number;
}

/** Of `lemon fork`. */
export interface ForkFlags {
  readonly at: number;
  readonly into?: string;
}
