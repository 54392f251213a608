/** What a supervisor is started from: its flags, checked and with their defaults. */
import type { Clock } from "../ports.ts";
import type { SupervisionEvent } from "./events.ts";
import type { Backoff } from "./intensity.ts";
import type { Registry } from "./registry.ts";
import {
  checkChildSpec,
  checkChildSpecs,
  type ChildSpec,
  type FullChildSpec,
  invalid,
  isOneOf,
} from "./spec.ts";
import type { Strategy } from "./strategy.ts";

/** When the clean end of significant children ends the supervisor (OTP 24, `auto_shutdown`). */
export type AutoShutdown = "never" | "any_significant" | "all_significant";

interface Limits {
  /** Restarts that are allowed within the period. Default 1 for a static supervisor (OTP), 3 for a dynamic one (Elixir). */
  readonly intensity?: number;
  /** Width of the window in seconds. Default 5. */
  readonly periodSeconds?: number;
  /** A delay before automatic restarts: ours, not OTP's, and off by default. */
  readonly backoff?: Backoff;
}

/** Flags of a static supervisor, or of `simple_one_for_one`. */
export interface SupervisorOptions extends Limits {
  /** Default `one_for_one`. */
  readonly strategy?: Strategy;
  /** Default `never`. */
  readonly autoShutdown?: AutoShutdown;
  /** Started from the first to the last. With `simple_one_for_one` exactly one, the template. */
  readonly children?: readonly ChildSpec[];
  /** Forget transient children at their clean end instead of keeping their specs as stopped. Default false, as in OTP. */
  readonly sweepStopped?: boolean;
}

/** Flags of a dynamic supervisor (Elixir's `DynamicSupervisor`). */
export interface DynamicSupervisorOptions extends Limits {
  /** Children that may be there at once. Default no limit. */
  readonly maxChildren?: number;
}

/** Where a supervisor lives. What is left out comes from the supervisor in whose start function it is started. */
export interface SupervisorEnvironment {
  /** Registered in `registry` if there is one; the first part of the path for the root of a tree. */
  readonly name?: string;
  readonly registry?: Registry;
  readonly clock?: Clock;
  /** Hears every event. What it throws is raised as an uncaught exception and harms no supervisor. */
  readonly onEvent?: (event: SupervisionEvent) => void;
  /** Let stray errors crash the child whose code raised them. Default false: the process hooks are not installed. */
  readonly attributeErrors?: boolean;
}

/** The flags of any supervisor, complete. @internal */
export interface Flags {
  readonly kind: "static" | "simple" | "dynamic";
  readonly strategy: Strategy;
  readonly intensity: number;
  readonly periodSeconds: number;
  readonly autoShutdown: AutoShutdown;
  readonly maxChildren: number;
  readonly sweepStopped: boolean;
  readonly backoff: Backoff | undefined;
  readonly template: FullChildSpec | undefined;
}

/** What the init of a supervisor gives. @internal */
export interface Setup {
  readonly flags: Flags;
  readonly children: readonly FullChildSpec[];
}

/** Flags until the init has spoken. @internal */
export const unknownYet: Flags = {
  kind: "static",
  strategy: "one_for_one",
  intensity: 0,
  periodSeconds: 1,
  autoShutdown: "never",
  maxChildren: 0,
  sweepStopped: false,
  backoff: undefined,
  template: undefined,
};

const strategies = ["one_for_one", "one_for_all", "rest_for_one", "simple_one_for_one"] as const;
const autoShutdowns = ["never", "any_significant", "all_significant"] as const;

/** Checks static options. @internal */
export function checkOptions(options: unknown): { flags: Flags; children: FullChildSpec[] } {
  if (!isRecord(options)) throw invalid("options", options, "an object { strategy, intensity, children, … }");
  const { strategy = "one_for_one", autoShutdown = "never", sweepStopped = false } = options;
  if (!isOneOf(strategy, strategies)) throw invalid("strategy", strategy, strategies.join(" | "));
  const limits = checkLimits(options, 1);
  if (!isOneOf(autoShutdown, autoShutdowns))
    throw invalid("autoShutdown", autoShutdown, autoShutdowns.join(" | "));
  if (typeof sweepStopped !== "boolean") throw invalid("sweepStopped", sweepStopped, "true | false");
  const children = checkChildSpecs(options.children ?? [], { autoShutdown });
  const common = { strategy, ...limits, autoShutdown, maxChildren: Infinity, sweepStopped };
  if (strategy !== "simple_one_for_one")
    return { flags: { kind: "static", ...common, template: undefined }, children };
  if (autoShutdown !== "never") throw invalid("autoShutdown", autoShutdown, "never under simple_one_for_one");
  if (children.length !== 1)
    throw invalid("children", children, "exactly one template under simple_one_for_one");
  return { flags: { kind: "simple", ...common, template: children[0] }, children: [] };
}

/** Checks dynamic options. @internal */
export function checkDynamicOptions(options: unknown): Flags {
  if (!isRecord(options)) throw invalid("options", options, "an object { maxChildren, intensity, … }");
  const { strategy = "one_for_one", maxChildren = Infinity } = options;
  if (strategy !== "one_for_one")
    throw invalid("strategy", strategy, "one_for_one, the only one of a dynamic supervisor");
  if (maxChildren !== Infinity && !isCount(maxChildren))
    throw invalid("maxChildren", maxChildren, "a whole number >= 0, or Infinity");
  const limits = checkLimits(options, 3);
  return {
    kind: "dynamic",
    strategy,
    ...limits,
    autoShutdown: "never",
    maxChildren: Number(maxChildren),
    sweepStopped: false,
    template: undefined,
  };
}

/** Checks a spec for a dynamic supervisor, where `id` is ignored and `significant` refused. @internal */
export function checkDynamicSpec(spec: unknown): FullChildSpec {
  return checkChildSpec(spec, { autoShutdown: "never", needsId: false });
}

function checkLimits(
  options: Record<string, unknown>,
  defaultIntensity: number,
): Pick<Flags, "intensity" | "periodSeconds" | "backoff"> {
  const { intensity = defaultIntensity, periodSeconds = 5, backoff } = options;
  if (!isCount(intensity)) throw invalid("intensity", intensity, "a whole number >= 0");
  if (!isCount(periodSeconds) || periodSeconds === 0)
    throw invalid("periodSeconds", periodSeconds, "a whole number of seconds >= 1");
  return { intensity, periodSeconds, backoff: checkBackoff(backoff) };
}

function checkBackoff(backoff: unknown): Backoff | undefined {
  if (backoff === undefined) return undefined;
  if (!isRecord(backoff)) throw invalid("backoff", backoff, "{ firstMs, maxMs, factor? }");
  const { firstMs, maxMs, factor = 2 } = backoff;
  if (!isCount(firstMs)) throw invalid("backoff.firstMs", firstMs, "whole milliseconds >= 0");
  if (!isCount(maxMs) || maxMs < firstMs)
    throw invalid("backoff.maxMs", maxMs, "whole milliseconds >= firstMs");
  if (typeof factor !== "number" || !(factor >= 1)) throw invalid("backoff.factor", factor, "a number >= 1");
  return { firstMs, maxMs, factor };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
