/** What a child is started from, checked once at the door; defaults are OTP's (stdlib `supervisor`, `child_spec()`). */
import type { AnyActorLogic } from "xstate";
import type { Child } from "./child.ts";
import { SupervisorError } from "./errors.ts";
import type { MailboxOptions } from "./mailbox.ts";

/** Tells a child from its siblings; any value but null and undefined, compared as a `Map` compares keys. */
export type ChildId = string | number | bigint | boolean | symbol | object;

/** What a start function may give: the child, the child and information for whoever asked, or nothing to supervise. */
export type Started<C extends Child = Child> = C | { readonly child: C; readonly info?: unknown } | "ignore";

/** Starts a child. Its parameters are the extra arguments of `startChild`; what it throws refuses the start. */
export type StartFunction<C extends Child = Child> = (...args: never[]) => Started<C> | Promise<Started<C>>;

/** Starts an XState v5 actor as a root actor. An extra argument of `startChild` is laid over `input`. */
export interface ActorStart {
  readonly logic: AnyActorLogic;
  readonly input?: unknown;
  readonly mailbox?: MailboxOptions;
}

/** Starts a worker thread from a file. An extra argument of `startChild` is laid over `workerData`. */
export interface ThreadStart {
  readonly file: string | URL;
  readonly workerData?: unknown;
  /** Wait until the worker has posted `{ type: "ready" }`. Default false: until it is online. */
  readonly awaitReady?: boolean;
}

/** The ways of starting a child. */
export type Start<C extends Child = Child> = StartFunction<C> | ActorStart | AnyActorLogic | ThreadStart;

/** When a child is started again: always; after a crash or a kill; never. */
export type RestartType = "permanent" | "transient" | "temporary";
/** How long a child has to end when asked: milliseconds, for ever, or not at all. */
export type Shutdown = number | "infinity" | "brutal_kill";
/** What a supervisor watches over. */
export type ChildType = "worker" | "supervisor";

/** A child spec; what is left out has OTP's default. Unknown keys are ignored. */
export interface ChildSpec<C extends Child = Child> {
  readonly id: ChildId;
  readonly start: Start<C>;
  /** Default `permanent`. */
  readonly restart?: RestartType;
  /** Default 5000 ms for a worker, `infinity` for a supervisor. */
  readonly shutdown?: Shutdown;
  /** Its clean end counts for `autoShutdown`. Default false; not for permanent children. */
  readonly significant?: boolean;
  /** Default `worker`. */
  readonly type?: ChildType;
  /**
   * `thread`: a kill really ends it. `inline` (default): a kill aborts it, closes its mailbox and drops what it still
   * produces, but a synchronous loop goes on. With a start function it states what that function makes.
   */
  readonly isolation?: "inline" | "thread";
}

/** A dynamic supervisor ignores `id` except as a label in events. */
export type DynamicChildSpec<C extends Child = Child> = Omit<ChildSpec<C>, "id"> & { readonly id?: ChildId };

/** A spec with its defaults filled in. `start` is undefined once a temporary child has started: it is not kept. */
export interface FullChildSpec {
  readonly id: ChildId | undefined;
  readonly start: Start | undefined;
  readonly restart: RestartType;
  readonly shutdown: Shutdown;
  readonly significant: boolean;
  readonly type: ChildType;
  readonly isolation: "inline" | "thread";
}

/**
 * Checks a spec and fills in its defaults, without a supervisor.
 *
 * @param options.autoShutdown - when given, `significant` is checked against it
 * @param options.needsId - default true; a dynamic supervisor does not need one
 * @throws SupervisorError `invalid_spec` with `field`, `expected` and `got` (code `LEMON_INVALID_SPEC`)
 */
export function checkChildSpec(
  spec: unknown,
  options: { readonly autoShutdown?: string; readonly needsId?: boolean } = {},
): FullChildSpec {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    throw invalid("spec", spec, "an object { id, start, … }");
  }
  const given = spec as { readonly [Key in keyof FullChildSpec]?: unknown }; // its members are unknown and checked here
  const { id, start, restart = "permanent", significant = false, type = "worker", isolation } = given;
  if ((id === undefined || id === null) && options.needsId !== false)
    throw invalid("id", id, "any value but undefined");
  if (!isStart(start))
    throw invalid("start", start, "a function, an actor logic, { logic, input } or { file }", id);
  if (!isOneOf(restart, restartTypes)) throw invalid("restart", restart, restartTypes.join(" | "), id);
  if (!isOneOf(type, childTypes)) throw invalid("type", type, childTypes.join(" | "), id);
  const shutdown = given.shutdown ?? (type === "supervisor" ? "infinity" : 5000);
  if (!isShutdown(shutdown)) throw invalid("shutdown", shutdown, "ms >= 0 | infinity | brutal_kill", id);
  if (typeof significant !== "boolean") throw invalid("significant", significant, "true | false", id);
  if (significant && restart === "permanent") {
    throw invalid(
      "significant",
      significant,
      "false, or restart transient | temporary: a permanent child never ends",
      id,
    );
  }
  if (significant && options.autoShutdown === "never") {
    throw invalid(
      "significant",
      significant,
      "false, or a supervisor with autoShutdown any_significant | all_significant",
      id,
    );
  }
  const inThread = !isActorStart(start) && !isLogic(start) && typeof start !== "function";
  const isolated = isolation ?? (inThread ? "thread" : "inline");
  if (!isOneOf(isolated, isolations)) throw invalid("isolation", isolated, isolations.join(" | "), id);
  if (typeof start !== "function" && (isolated === "thread") !== inThread) {
    throw invalid(
      "isolation",
      isolated,
      inThread
        ? "thread, as start names a file"
        : "inline: a logic can't cross into a thread; give start { file }",
      id,
    );
  }
  const checkedId = (id ?? undefined) as ChildId | undefined; // null is refused above or means no label
  return { id: checkedId, start, restart, shutdown, significant, type, isolation: isolated };
}

/**
 * Checks a list of specs, ids that occur twice included.
 *
 * @throws SupervisorError `invalid_spec`
 */
export function checkChildSpecs(
  specs: unknown,
  options: { readonly autoShutdown?: string } = {},
): FullChildSpec[] {
  if (!Array.isArray(specs)) throw invalid("children", specs, "an array of child specs");
  const seen = new Set<unknown>();
  return specs.map((spec) => {
    const checked = checkChildSpec(spec, options);
    if (seen.has(checked.id)) throw invalid("id", checked.id, "an id that no sibling has", checked.id);
    seen.add(checked.id);
    return checked;
  });
}

/** The error for a wrong field of a spec or of a supervisor's options. */
export function invalid(field: string, value: unknown, expected: string, id?: unknown): SupervisorError {
  const of = id === undefined || field === "id" ? "" : ` of child ${idText(id)}`;
  const got = shown(value);
  const childId = id === undefined ? {} : { childId: idText(id) };
  return new SupervisorError("invalid_spec", `${field}${of} is ${got}; expected ${expected}`, {
    field,
    expected,
    got,
    ...childId,
  });
}

/** An id as text, for paths, events and messages. */
export function idText(id: unknown): string {
  if (typeof id === "symbol") return id.description ?? "symbol";
  return typeof id === "object" && id !== null ? shown(id) : String(id);
}

/** Words and numbers are shown, anything larger only by its kind: a spec can hold content. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "symbol") return value.description ?? "symbol";
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

const restartTypes = ["permanent", "transient", "temporary"] as const;
const childTypes = ["worker", "supervisor"] as const;
const isolations = ["inline", "thread"] as const;

/** Whether a value is one of some words. */
export function isOneOf<W extends string>(value: unknown, words: readonly W[]): value is W {
  return (words as readonly unknown[]).includes(value); // `includes` of the narrow array refuses an unknown
}

function isShutdown(value: unknown): value is Shutdown {
  return value === "infinity" || value === "brutal_kill" || (Number.isInteger(value) && Number(value) >= 0);
}

function isStart(value: unknown): value is Start {
  return typeof value === "function" || isLogic(value) || isActorStart(value) || isThreadStart(value);
}

/** An XState actor logic, told by the two members that XState itself calls. */
export function isLogic(value: unknown): value is AnyActorLogic {
  return (
    typeof value === "object" &&
    value !== null &&
    "transition" in value &&
    typeof value.transition === "function" &&
    "getInitialSnapshot" in value
  );
}

/** `{ logic, input }`. */
export function isActorStart(value: unknown): value is ActorStart {
  return typeof value === "object" && value !== null && "logic" in value && isLogic(value.logic);
}

function isThreadStart(value: unknown): value is ThreadStart {
  return (
    typeof value === "object" &&
    value !== null &&
    "file" in value &&
    (typeof value.file === "string" || value.file instanceof URL)
  );
}
