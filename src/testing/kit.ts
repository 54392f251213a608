/** What a test holds: one extension in a session that works. */
import type { ContentBlock, Fact } from "../events/index.ts";
import { HandlerFailedError } from "./errors.ts";
import type { HookName } from "../extensions/index.ts";
import type { ExtensionStatusReport } from "../projections/index.ts";
import {
  createMemory,
  createWebSearch,
  type Memory,
  type ScriptedTurn,
  type WebSearch,
} from "../providers/index.ts";
import type { Outcome, Prompt, Runtime, Session } from "../runtime/index.ts";
import { systemClock } from "../supervision/index.ts";
import { completeArguments, type HookAnswer, type HookArguments } from "./hook-arguments.ts";
import type { KitLog } from "./kit-log.ts";
import type { Turns } from "./turns.ts";

/** What the session made of a call: what the model is shown, and the details beside it. */
export interface KitCallResult {
  readonly content: readonly ContentBlock[];
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly isError: boolean;
  /** What the tool showed while it went on, in order. */
  readonly updates: readonly (readonly unknown[])[];
}

/** How a call is made. */
export interface CallOptions {
  /** Aborts the run of the call. */
  readonly signal?: AbortSignal;
  /** Sees each update as it comes. */
  readonly onUpdate?: (content: readonly unknown[]) => void;
}

/** Parts of a kit. @internal */
export interface KitParts {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly cwd: string;
  readonly turns: Turns;
  readonly log: KitLog;
  /** Removes what was made for it on disk. */
  readonly remove: () => Promise<void>;
}

/** A real session with one extension. Close it: `await kit.close()`, or `await using kit = await testExtension(…)`. */
export class ExtensionKit implements AsyncDisposable {
  readonly runtime: Runtime;
  readonly session: Session;
  /** Working directory of the session. */
  readonly cwd: string;
  readonly #parts: KitParts;
  #last: Promise<unknown> = Promise.resolve();

  /** @internal Kits come from `testExtension`. */
  constructor(parts: KitParts) {
    this.runtime = parts.runtime;
    this.session = parts.session;
    this.cwd = parts.cwd;
    this.#parts = parts;
  }

  /**
   * Lets the model call a tool, and gives what the session made of it: arguments are checked, hooks run, the deadline
   * holds. A call that fails is a result with `isError`. One call after the other.
   */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<KitCallResult> {
    return this.#inTurn(() => this.#callTool(name, args, options));
  }

  /**
   * Starts a run and waits for its end.
   *
   * @param turns - what the model says; default: the next ones of those that the kit was made with
   */
  prompt(prompt: Prompt, turns?: readonly ScriptedTurn[]): Promise<Outcome> {
    const run = (): Promise<Outcome> => this.session.prompt(prompt);
    return this.#inTurn(() => (turns === undefined ? run() : this.#parts.turns.during(turns, run)));
  }

  /**
   * Runs the handlers of one hook, in their order and with the time that a session gives them.
   *
   * @param args - what the hook is given; an event may leave out what does not matter
   * @returns an answer for each handler that ran: none after one that blocks a call
   * @throws HandlerFailedError for a handler that throws, is late, or answers what is no JSON
   */
  async runHook<Name extends HookName>(
    name: Name,
    ...args: HookArguments<Name>
  ): Promise<readonly HookAnswer<Name>[]> {
    const given = completeArguments(name, args, { sessionId: this.session.id, cwd: this.cwd });
    const answers: HookAnswer<Name>[] = [];
    for (const { collection } of this.#loaded()) {
      const outcomes = await collection.runHooks(name, given, limitsOf(name));
      for (const outcome of outcomes) {
        if (outcome.status === "failed") throw new HandlerFailedError(name, outcome.failure);
        // An answer is what the author's own types say; a test that looks at it finds out.
        if (outcome.status === "answered") answers.push(outcome.answer as HookAnswer<Name>);
      }
    }
    return answers;
  }

  /** The memory that the extension's memory providers make up, without the built-in one. */
  memory(): Memory {
    const providers = this.#loaded().flatMap(({ info, collection }) =>
      collection.providers.flatMap((each) =>
        each.type === "memory" ? [{ ...each, id: each.name, source: `extension:${info.name}` }] : [],
      ),
    );
    return createMemory({ providers, clock: systemClock, logger: this.#parts.log, mask: (value) => value });
  }

  /** Web search by the extension's search providers. */
  webSearch(): WebSearch {
    const providers = this.#loaded().flatMap(({ collection }) =>
      collection.providers.filter((each) => each.type === "search"),
    );
    return createWebSearch({ providers, clock: systemClock, logger: this.#parts.log });
  }

  /** The status report of the session's extensions. */
  report(): ExtensionStatusReport {
    return this.session.extensionStatusReport();
  }

  /** The facts of the session so far, oldest first. */
  async facts(): Promise<Fact[]> {
    const facts: Fact[] = [];
    for await (const fact of this.session.facts()) facts.push(fact);
    return facts;
  }

  /** Log lines so far: what the extension printed, and what the runtime warned about. */
  logLines(): readonly string[] {
    return this.#parts.log.lines;
  }

  /** Shuts the session and the runtime down and removes the temporary folder. */
  async close(): Promise<void> {
    await this.runtime.close();
    await this.#parts.remove();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal, onUpdate }: CallOptions,
  ): Promise<KitCallResult> {
    const updates: (readonly unknown[])[] = [];
    const results: Omit<KitCallResult, "updates">[] = [];
    using _subscription = this.session.subscribe((event) => {
      if (event.type === "tool_execution_end") results.push({ ...event.result, isError: event.isError });
      if (event.type !== "tool_execution_update") return;
      updates.push(event.content);
      onUpdate?.(event.content);
    });
    const run = (): Promise<Outcome> =>
      this.session.prompt(`Call ${name}`, signal === undefined ? {} : { signal });
    await this.#parts.turns.during([{ toolCalls: [{ name, args }] }, { text: "Done." }], run);
    const [result] = results;
    if (result === undefined) throw new Error("no call was made: the session's model is not the kit's own");
    return { ...result, updates };
  }

  /** The extensions of the newest load: the one that the session uses. */
  #loaded(): Runtime["extensions"]["registry"]["loads"][number]["extensions"] {
    return this.runtime.extensions.registry.loads.at(-1)?.extensions ?? [];
  }

  /** A session is in one run at a time. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function limitsOf(name: HookName): { handlerMs: number; eventMs: number | null; untilBlocked: boolean } {
  switch (name) {
    case "onSessionStart":
    case "onSessionShutdown":
      return { handlerMs: 2_000, eventMs: 2_000, untilBlocked: false };
    case "onToolCall":
    case "onToolResult":
      return { handlerMs: 60_000, eventMs: null, untilBlocked: name === "onToolCall" };
    default:
      return { handlerMs: 5_000, eventMs: null, untilBlocked: false };
  }
}
