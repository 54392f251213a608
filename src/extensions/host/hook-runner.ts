/** The handlers of one extension for one event: one message to its worker, and what became of each of them. */
import type { Json } from "../../events/index.ts";
import type { HookName } from "../hooks.ts";
import type { HandlerFailure, HandlerOutcome, RunHooksOptions } from "../port.ts";
import { slotAt } from "../worker/shared-memory.ts";
import type { Caller, NoWorker } from "./caller.ts";
import { watchIndex } from "./index-deadline.ts";
import type { WorkerInstance } from "./instance.ts";
import { readThrown } from "./thrown-error.ts";

/** Which handlers, with what. */
export interface HookCall {
  readonly key: number;
  readonly name: HookName;
  readonly count: number;
  readonly args: readonly Json[];
  readonly options: RunHooksOptions;
}

/** Runs them. Never rejects. */
export function runHookCall(caller: Caller, call: HookCall): Promise<readonly HandlerOutcome[]> {
  if (call.count === 0) return Promise.resolve([]);
  return new Promise((resolve) => new HookRun(caller, call, resolve).begin());
}

const notRun: HandlerOutcome = { status: "not_run" };

class HookRun {
  readonly #caller: Caller;
  readonly #call: HookCall;
  readonly #resolve: (outcomes: readonly HandlerOutcome[]) => void;
  /** What has been told of each handler so far. */
  readonly #told: (HandlerOutcome | undefined)[] = [];
  readonly #startedAt: number;
  #isLate = false;
  #cancels: (() => void)[] = [];

  constructor(caller: Caller, call: HookCall, resolve: (outcomes: readonly HandlerOutcome[]) => void) {
    this.#caller = caller;
    this.#call = call;
    this.#resolve = resolve;
    this.#startedAt = caller.clock.monotonic();
  }

  begin(): void {
    const { handlerMs, eventMs } = this.#call.options;
    let hasBegun = false;
    // A worker that is being started again is waited for inside the first handler's own time.
    const takeBack = this.#caller.whenReady(
      (instance) => {
        hasBegun = true;
        this.#stopClocks();
        this.#run(instance);
      },
      (why) => {
        hasBegun = true;
        this.#finish(this.#refused(why));
      },
    );
    if (hasBegun) return;
    const limitMs = Math.min(handlerMs, eventMs ?? Infinity);
    const late = (): void => {
      takeBack();
      this.#finish([failed("timeout", `its worker was not there within ${limitMs}ms`, limitMs)]);
    };
    this.#cancels.push(this.#caller.clock.setTimer(limitMs, late));
  }

  #run(instance: WorkerInstance): void {
    const { clock } = this.#caller;
    const { key, name, count, args, options } = this.#call;
    let taken: { readonly id: number; readonly slot: number };
    try {
      taken = instance.newCall();
    } catch (error) {
      return this.#finish([failed("crash", error instanceof Error ? error.message : String(error), 0)]);
    }
    const { id, slot } = taken;
    const read = (): number => Atomics.load(instance.memory, slotAt(slot));
    const onLate = (): void => {
      this.#isLate = true;
      instance.end({ cause: "deadline", detail: `a handler of ${name} ran over its time` });
    };
    this.#cancels.push(watchIndex({ clock, read, eachMs: options.handlerMs, onLate }));
    if (options.eventMs !== null) {
      const left = Math.max(0, options.eventMs - (clock.monotonic() - this.#startedAt));
      this.#cancels.push(clock.setTimer(left, onLate));
    }
    let running = 0;
    const head = { key, name, count, slot, untilBlocked: options.untilBlocked, leftMs: options.handlerMs };
    instance.call(
      id,
      { m: "hooks", a: head },
      JSON.stringify(args),
      {
        part: (value) => this.#take(value),
        ok: (durations) => this.#finish(this.#complete(Array.isArray(durations) ? durations : [])),
        failed: (fields) => this.#finish([failed("crash", readThrown(fields).message, 0)]),
        ended: ({ detail }) => {
          running = Math.max(1, read()) - 1;
          this.#finish(this.#broken(running, detail));
        },
      },
      slot,
    );
  }

  /** One handler's answer; what comes after it in the batch can't take it away. */
  #take(value: unknown): void {
    const { i, ms, answer, failure } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof i !== "number" || i < 0 || i >= this.#call.count || this.#told[i] !== undefined) return;
    const durationMs = typeof ms === "number" ? ms : 0;
    this.#told[i] =
      failure === undefined
        ? { status: "answered", answer: (answer ?? null) as Json, durationMs } // it has been parsed from JSON
        : { status: "failed", failure: readFailure(failure), durationMs };
  }

  /** The batch is over: handlers that have a duration and told nothing answered nothing. */
  #complete(durations: readonly unknown[]): readonly HandlerOutcome[] {
    return durations.slice(0, this.#call.count).map((ms, index) => {
      const durationMs = typeof ms === "number" ? ms : 0;
      return this.#told[index] ?? { status: "answered", answer: null, durationMs };
    });
  }

  /** The worker ended while handler `running` was at work. */
  #broken(running: number, detail: string): readonly HandlerOutcome[] {
    const before = Array.from(
      { length: running },
      (_, index): HandlerOutcome => this.#told[index] ?? { status: "answered", answer: null, durationMs: 0 },
    );
    const tookMs = this.#caller.clock.monotonic() - this.#startedAt;
    return [...before, this.#told[running] ?? failed(this.#isLate ? "timeout" : "crash", detail, tookMs)];
  }

  #refused(why: NoWorker): readonly HandlerOutcome[] {
    const { name, count, options } = this.#call;
    if (why.kind === "ended") return [failed("crash", "its extension has been unloaded", 0)];
    if (name !== "onToolCall") return [];
    const message = `Extension ${this.#caller.module} is quarantined: ${why.reason}`;
    return Array.from({ length: options.untilBlocked ? 1 : count }, () => failed("quarantined", message, 0));
  }

  #finish(outcomes: readonly HandlerOutcome[]): void {
    this.#stopClocks();
    const rest = Math.max(0, this.#call.count - outcomes.length);
    this.#resolve([...outcomes, ...Array.from({ length: rest }, () => notRun)]);
  }

  #stopClocks(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
  }
}

function failed(kind: HandlerFailure["kind"], message: string, durationMs: number): HandlerOutcome {
  return { status: "failed", failure: { kind, class: kind, message }, durationMs };
}

function readFailure(value: unknown): HandlerFailure {
  const { kind, class: className, message } = value as Readonly<Record<string, unknown>>;
  const known = kind === "invalid" || kind === "not_a_function" ? kind : "throw";
  return {
    kind: known,
    class: typeof className === "string" ? className : known,
    message: typeof message === "string" ? message : "",
  };
}
