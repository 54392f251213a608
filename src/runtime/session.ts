/** A session, as the program that started it holds it. It survives restarts of its actors. */
import type { Observable } from "rxjs";
import { NotStreamingError, type PendingReceipts, type SessionHooks } from "../actors/index.ts";
import type { Fact, FactData, FactType } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Ids, Logger } from "../ports.ts";
import {
  approvalsIn,
  type ExtensionStatusReport,
  type PendingApproval,
  type SessionEvent,
  type SessionEventBody,
} from "../projections/index.ts";
import { hasFired, reasonOf } from "./abort-reason.ts";
import { AbortedError } from "./errors.ts";
import { followStream, readFacts } from "./facts.ts";
import type { Lane } from "./lane.ts";
import { inheritanceOf, type Inheritance } from "./lineage.ts";
import { changeMode, type PlanModeChange } from "./plan-mode.ts";
import { contentOf } from "./prompt-content.ts";
import { PromptLine } from "./prompt-line.ts";
import { RunWaiters } from "./run-waiters.ts";
import { SessionStory } from "./session-story.ts";
import type { SessionExtensions } from "./session-extensions.ts";
import type { SessionStream } from "./session-stream.ts";
import {
  outcomeOf,
  stateOf,
  toolInfos,
  type Outcome,
  type Prompt,
  type SessionState,
  type ToolInfo,
} from "./session-types.ts";

/** What a session is made of. @internal */
export interface SessionDeps {
  readonly id: string;
  readonly stream: SessionStream;
  readonly log: EventLog;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly hooks: SessionHooks;
  readonly receipts: PendingReceipts;
  readonly extensions: SessionExtensions;
  /** Where its prompts wait for their turn. */
  readonly lane: Lane | null;
  /** Ends its supervisor, and with it the stream. */
  readonly close: () => Promise<void>;
}

/** Milliseconds that a prompt waits for the receipts of calls which were stopped, so that what they did is known first. */
const RECEIPTS_MS = 2_000;
/** Milliseconds that they get at the end of the session. */
const LAST_RECEIPTS_MS = 4_000;

/** One session of a runtime. */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly #deps: SessionDeps;
  readonly #story: SessionStory;
  readonly #line: PromptLine;
  readonly #waiting = new RunWaiters();
  #ended: Promise<void> | null = null;

  /** @internal Sessions come from `runtime.sessions`. */
  constructor(deps: SessionDeps) {
    this.id = deps.id;
    this.#deps = deps;
    this.#line = new PromptLine(deps.id, deps.lane);
    this.#story = new SessionStory(deps.id, deps.stream, deps.logger, (fact) => this.#take(fact));
  }

  /**
   * Starts a run, in its turn, and waits for its end.
   *
   * @param options.signal - aborts the run, or takes the prompt out of the line
   * @throws AlreadyStreamingError while a run is open or another prompt waits; AbortedError before a run is open; EmptyPromptError; InvalidValueError
   */
  async prompt(prompt: Prompt, options: { readonly signal?: AbortSignal } = {}): Promise<Outcome> {
    const content = contentOf(prompt);
    if (hasFired(options.signal)) throw new AbortedError(reasonOf(options.signal?.reason));
    const { stream, receipts } = this.#deps;
    const { run } = stream.views.session;
    // The run of a fork that nobody has told to go on does so, and takes the prompt when it would end.
    const held = stream.isHeld ? run : null;
    if (held === null && stream.isHeld) await this.goOn();
    // While a run is open it is refused at once.
    const isOpen = run !== null;
    const leave = isOpen ? () => undefined : await this.#line.enter(options.signal);
    const runId = held?.runId ?? this.#deps.ids("run");
    const ended = this.#waiting.endOf(runId);
    const onAbort = (): void =>
      void this.abort(reasonOf(options.signal?.reason)).catch((error: unknown) => this.#story.report(error));
    options.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      if (!isOpen) await receipts.settled(RECEIPTS_MS);
      if (held === null) await stream.submit("prompt.submitted", { runId, content });
      else {
        await stream.submit("follow_up.submitted", { content });
        await this.goOn();
      }
      if (hasFired(options.signal)) onAbort();
      return await ended;
    } finally {
      leave();
      this.#waiting.take(runId);
      options.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** The end of the open run, or of the last one; `null` when there never was a run. */
  async outcome(): Promise<Outcome | null> {
    const { closed, views } = this.#deps.stream;
    const { run, outcome } = views.session;
    if (run === null) return outcomeOf(outcome);
    if (closed !== null) throw closed;
    return this.#waiting.endOf(run.runId);
  }

  /** Adds a user message before the next model request of the open run. @throws NotStreamingError without a run */
  async steer(message: Prompt): Promise<void> {
    await this.#deps.stream.submit("steer.submitted", { content: contentOf(message) });
  }

  /** Adds a user message when the open run would end. @throws NotStreamingError without a run */
  async followUp(message: Prompt): Promise<void> {
    await this.#deps.stream.submit("follow_up.submitted", { content: contentOf(message) });
  }

  /** Ends the open run, or takes a prompt out of the line. Without either nothing happens and nothing is recorded. */
  async abort(reason = "aborted by the caller"): Promise<{ readonly aborted: boolean }> {
    if (this.#line.leave(reason)) return { aborted: true };
    try {
      await this.#deps.stream.submit("abort.requested", { reason });
      return { aborted: true };
    } catch (error) {
      if (error instanceof NotStreamingError) return { aborted: false };
      throw error;
    }
  }

  /** Aborts an open run, records the end and gives the session back. It can be resumed. Safe to call again. */
  shutdown(reason = "normal"): Promise<void> {
    this.#ended ??= this.#shutdown(reason);
    return this.#ended;
  }

  /** Gives the session back as it is: an open run stays open, and goes on when the session is resumed. */
  release(): Promise<void> {
    this.#line.leave("the session was given back");
    this.#ended ??= this.#deps.close();
    return this.#ended;
  }

  /** The session as of the last durable fact. */
  state(): SessionState {
    const { stream } = this.#deps;
    const state = stateOf(this.id, stream.version, stream.views.session);
    return this.#line.isWaiting ? { ...state, status: "queued" } : state;
  }

  /**
   * The session's facts, oldest first.
   *
   * @param options.from - first version, default 1
   * @param options.follow - go on with new facts until the iteration is ended; default false
   */
  facts(options: { readonly from?: number; readonly follow?: boolean } = {}): AsyncIterable<Fact> {
    return readFacts(this.#deps.log, this.#deps.stream.name, options);
  }

  /** All facts, then each new one: no gap, no double. */
  get facts$(): Observable<Fact> {
    return followStream(this.#deps.log, this.#deps.stream.name);
  }

  /** Sees what happens from now on. @returns a function that ends it, which `using` understands too */
  subscribe(listener: (event: SessionEvent) => void): (() => void) & Disposable {
    return this.#story.subscribe(listener);
  }

  /** The tools that the model is offered, in their order. */
  tools(): ToolInfo[] {
    return toolInfos(this.#deps.extensions.toolsIn(this.#deps.stream.views.session.mode));
  }

  /** How the extensions are doing, now. docs/reference/status-report.md */
  extensionStatusReport(): ExtensionStatusReport {
    return this.#deps.extensions.report();
  }

  /** Which tools share a name, and who has it. `disabled` and the like change nothing about it. */
  toolConflictReport(): ExtensionStatusReport["toolConflicts"] {
    return this.#deps.extensions.report().toolConflicts;
  }

  /**
   * Loads the extensions again, from their files as they are now, and replaces tools, hooks and providers in one step.
   *
   * @throws LemonError `LEMON_SESSION_STREAMING` while a model answers or a call runs, `LEMON_RELOAD_FAILED` and
   * `LEMON_INVALID_CONFIG` when it failed as a whole: then everything is as it was
   */
  reloadExtensions(): Promise<ExtensionStatusReport> {
    return this.#deps.extensions.reload(null);
  }

  /** Calls that wait for a person, and their answer. */
  readonly approvals = {
    pending: (): PendingApproval[] => approvalsIn(this.#deps.stream.views.session),
    /** @throws LemonError `LEMON_NOT_FOUND` when nothing waits under this id (any more) */
    resolve: async (id: string, verdict: "allow" | "deny", reason: string | null = null): Promise<void> => {
      await this.#deps.stream.submit("approval.resolved", { callId: id, verdict, reason });
    },
  };

  /** Plan mode: the model may look at everything and write plans, nothing else. Also during a run. docs/reference/plan-mode.md */
  readonly planMode = {
    enter: (): Promise<PlanModeChange> => changeMode(this.#deps.stream, "plan"),
    exit: (): Promise<PlanModeChange> => changeMode(this.#deps.stream, "normal"),
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  /** Settings as recorded. @internal */
  settings(): FactData<"session.configured"> {
    return this.#deps.stream.views.session.settings;
  }

  /** Lets the open run of a fork go on. @internal */
  async goOn(): Promise<void> {
    const { stream } = this.#deps;
    if (!stream.isHeld) return;
    await stream.goOn();
    this.goesOn();
  }

  /** A run that was open when the session was resumed goes on: from here on it counts in the lane. @internal */
  goesOn(): void {
    const { run } = this.#deps.stream.views.session;
    if (run === null) return;
    const slot = this.#line.force();
    // Rejected or not, the run is over here.
    const over = (): void => slot?.release();
    void this.#waiting.endOf(run.runId).then(over, over);
  }

  /** Where it stands, for who only reads. @internal */
  get reading(): Pick<SessionStream, "views" | "version" | "closed"> {
    return this.#deps.stream;
  }

  /** What work for it takes over from it. @internal */
  inheritance(): Inheritance {
    return inheritanceOf(this.#deps.stream.views.session);
  }

  /** Tells subscribers of something that is no fact of the session. @internal */
  tell(event: SessionEventBody): void {
    this.#story.tell(event);
  }

  /** Sends another input. @internal */
  async submit(type: FactType, data: unknown): Promise<Fact> {
    return this.#deps.stream.submit(type, data);
  }

  /** The session has ended for good in this process: whoever waits is told. @internal */
  fail(error: unknown): void {
    this.#line.leave("the session has ended");
    this.#waiting.fail(error);
  }

  async #shutdown(reason: string): Promise<void> {
    try {
      await this.abort(reason);
      await this.#deps.receipts.settled(LAST_RECEIPTS_MS);
      await this.#deps.stream.submit("session.shut_down", { reason });
      await this.#deps.hooks.shutdown(reason);
    } finally {
      await this.#deps.close();
    }
  }

  #take(fact: Fact): void {
    if (fact.type !== "agent.ended") return;
    const outcome = this.#deps.stream.views.session.outcome;
    const ended = outcome === null || outcome.version !== fact.version ? null : outcomeOf(outcome);
    if (ended === null) return;
    const tell = this.#waiting.take(fact.correlation ?? "");
    // The run has ended for its caller when its last hook has run.
    void this.#deps.hooks.settled().then(() => tell(ended));
  }
}
