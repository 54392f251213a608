/**
 * Runs the hooks of a session that observe: one event after the other, each after its fact is durable. The session's
 * next step waits for them. docs/reference/hooks.md
 */
import { contextBlock } from "../../hooks/index.ts";
import type { HandlerFailure, HandlerOutcome, HookName } from "../../extensions/index.ts";
import type { FactData, FactType, Json, KnownFact } from "../../events/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import { storyOf } from "../../projections/index.ts";
import type { SessionViews } from "../session-views.ts";
import type { HookSource } from "./hook-source.ts";
import { observe, type HookCall, type Observation } from "./observed.ts";

/** Milliseconds that each handler of an observer hook has. */
const OBSERVER_MS = 5_000;
/** Milliseconds that all handlers of the start, or of the end, of a session have together. */
const SESSION_EVENT_MS = 2_000;

/** What running hooks needs of its session. */
export interface SessionHooksParts {
  readonly stream: {
    readonly views: SessionViews;
    submit(type: FactType, data: unknown): Promise<unknown>;
  };
  /** `sources`: the extensions of now, in the order in which their hooks run. */
  readonly extensions: { readonly sources: readonly HookSource[] };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The start of a session, as its hooks wait for it. */
export interface HookStart {
  readonly go: () => void;
  readonly cancel: () => void;
  /** Never rejects. */
  readonly done: Promise<void>;
}

interface Ran {
  readonly source: HookSource;
  readonly handler: number;
  readonly outcome: HandlerOutcome;
}

/** The observing hooks of one session. */
export class SessionHooks {
  readonly #parts: SessionHooksParts;
  #observation: Observation | null = null;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasShutDown = false;

  constructor(parts: SessionHooksParts) {
    this.#parts = parts;
  }

  /** Resolves once the hooks of every fact so far have run. */
  async settled(): Promise<void> {
    while (this.#waiting > 0) await this.#last;
  }

  /** Takes a durable fact; what it calls runs in its turn. */
  take(fact: KnownFact): void {
    const wanted = this.#wanted();
    if (wanted.size === 0) {
      this.#observation = null;
      return;
    }
    const { session, transcript } = this.#parts.stream.views;
    // The view has this fact already; the story of what was open before it began with an earlier one.
    this.#observation ??= {
      story: storyOf(session),
      runFrom: session.run?.version ?? fact.version,
      turnFrom: session.run?.version ?? fact.version,
    };
    const [observation, calls] = observe(this.#observation, fact, wanted, transcript);
    this.#observation = observation;
    for (const call of calls) void this.#enqueue(() => this.#observe(call));
  }

  /**
   * Takes the first place: everything else of the session waits until `onSessionStart` has run and what it gave is
   * recorded. It begins at `go`; after `cancel` it never does.
   */
  start(args: {
    readonly sessionId: string;
    readonly cwd: string;
    readonly sessionScope: "main" | "subagent";
  }): HookStart {
    let decide: (goes: boolean) => void = () => undefined;
    const decided = new Promise<boolean>((resolve) => (decide = resolve));
    const done = this.#enqueue(async () => {
      if (!(await decided)) return;
      const { ran, isLate } = await this.#sessionEvent("onSessionStart", args);
      if (isLate) return;
      const given = ran.flatMap(({ source, handler, outcome }) => {
        const value = contextOf(outcome);
        return contextBlock([value]) === null ? [] : [{ source, handler, value }];
      });
      const text = contextBlock(given.map(({ value }) => value));
      if (text === null) return;
      const from = given.map(({ source: { module, sha256 }, handler }) => ({ module, sha256, handler }));
      await this.#record("hook_context.appended", { hook: "onSessionStart", text, from });
    });
    return { go: () => decide(true), cancel: () => decide(false), done };
  }

  /** Runs `onSessionShutdown`, the first time that it is called. */
  shutdown(reason: string): Promise<void> {
    if (this.#hasShutDown) return this.#last;
    this.#hasShutDown = true;
    return this.#enqueue(async () => {
      const { sessionId, cwd } = this.#parts.stream.views.session;
      await this.#sessionEvent("onSessionShutdown", { sessionId, cwd, reason });
    });
  }

  #wanted(): ReadonlySet<HookName> {
    const wanted = new Set<HookName>();
    for (const { hooks } of this.#parts.extensions.sources) {
      for (const [name, count] of Object.entries(hooks)) if (count > 0) wanted.add(name as HookName);
    }
    return wanted;
  }

  #enqueue(run: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#last = this.#last
      .then(run)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.name : typeof error;
        this.#parts.logger.error({ reason }, "hooks could not be run");
      })
      .finally(() => (this.#waiting -= 1));
    return this.#last;
  }

  async #observe({ hook, args, callId }: HookCall): Promise<void> {
    for (const source of this.#sourcesOf(hook)) {
      const options = { handlerMs: OBSERVER_MS, eventMs: null, untilBlocked: false };
      const outcomes = await source.runHooks(hook, args, options);
      for (const [handler, outcome] of outcomes.entries())
        await this.#told(hook, { source, handler, outcome }, callId);
    }
  }

  /** All handlers within one limit; at its end the running one is stopped and the rest don't run. */
  async #sessionEvent(hook: HookName, event: Json): Promise<{ ran: readonly Ran[]; isLate: boolean }> {
    const { clock, logger } = this.#parts;
    const dueAt = clock.monotonic() + SESSION_EVENT_MS;
    const ran: Ran[] = [];
    let isLate = false;
    for (const source of this.#sourcesOf(hook)) {
      const left = Math.ceil(dueAt - clock.monotonic());
      isLate ||= left <= 0;
      if (isLate) break;
      const options = { handlerMs: SESSION_EVENT_MS, eventMs: left, untilBlocked: false };
      const outcomes = await source.runHooks(hook, [event], options);
      for (const [handler, outcome] of outcomes.entries()) {
        ran.push({ source, handler, outcome });
        await this.#told(hook, { source, handler, outcome }, null);
        isLate ||= outcome.status === "failed" && outcome.failure.kind === "timeout";
      }
      isLate ||= outcomes.some(({ status }) => status === "not_run") && clock.monotonic() >= dueAt;
    }
    if (isLate)
      logger.warn({ hook }, `${hook} ran over its ${SESSION_EVENT_MS} ms; the rest of it is dropped`);
    return { ran, isLate };
  }

  #sourcesOf(hook: HookName): readonly HookSource[] {
    return this.#parts.extensions.sources.filter(({ hooks }) => (hooks[hook] ?? 0) > 0);
  }

  /** A failure is a fact and a log line; the next handler runs all the same. */
  async #told(hook: HookName, { source, handler, outcome }: Ran, callId: string | null): Promise<void> {
    if (outcome.status !== "failed") return;
    const { module, sha256 } = source;
    const { kind, class: failureClass }: HandlerFailure = outcome.failure;
    this.#parts.logger.warn({ hook, module, failure: kind, class: failureClass }, "a hook failed");
    const { message } = outcome.failure;
    const failed: FactData<"hook.failed"> = {
      hook,
      module,
      sha256,
      handler,
      kind,
      class: failureClass,
      message,
      callId,
      durationMs: outcome.durationMs,
    };
    await this.#record("hook.failed", failed);
  }

  /** A session that is being closed can't record any more; the failure is in the log lines all the same. */
  async #record(type: FactType, data: unknown): Promise<void> {
    try {
      await this.#parts.stream.submit(type, data);
    } catch (error) {
      const reason = error instanceof Error ? error.name : typeof error;
      this.#parts.logger.warn({ type, reason }, "what a hook did could not be recorded");
    }
  }
}

function contextOf(outcome: HandlerOutcome): unknown {
  if (outcome.status !== "answered") return null;
  const { answer } = outcome;
  const isRecord = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  return isRecord ? (answer as { readonly [key: string]: Json })["additionalContext"] : null;
}
