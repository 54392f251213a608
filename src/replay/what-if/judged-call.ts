/**
 * One call of a stored session while it is judged again: the facts that the log has of it beside those that the machine
 * decides now. The machine is the one that decided then. docs/reference/what-if.md
 */
import { newRunner, stepToolRunner, type ToolRunnerEvent } from "../../actors/tool-runner/machine.ts";
import type { FactData, ModelCall } from "../../events/index.ts";
import type { HookAnswer } from "../../hooks/index.ts";
import { notOffered, verdictOf, type AuthorOf, type Verdict, type VerdictFact } from "./verdict.ts";

/** Under which rules a call is judged now. */
export interface Terms {
  /** `false`: the policy takes its tool away. */
  readonly isOffered: boolean;
  readonly approval: ModelCall["approval"];
  /** How many handlers of `onToolCall` there are, and of `onToolResult`. */
  readonly hooks: number;
  readonly resultHooks: number;
}

/** Handlers that are to be asked. */
export interface Question {
  readonly hook: HookName;
  readonly callId: string;
  readonly tool: string;
  readonly mode: FactData<"tool_call.requested">["mode"];
  /** What the handlers see: the model's arguments, or those that hooks have put in their place by now. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly isReplaced: boolean;
  /** For `onToolResult`: what the tool returned then; `null`: the call was denied. */
  readonly returned: FactData<"tool_call.returned"> | null;
}

type HookName = FactData<"hook.requested">["hook"];

/** A call that is judged again. */
export class JudgedCall {
  readonly call: ModelCall;
  /** Of the fact that asked for it. */
  readonly version: number;
  readonly #isOffered: boolean;
  readonly #then: VerdictFact[] = [];
  readonly #now: VerdictFact[] = [];
  readonly #answers = new Map<HookName, readonly HookAnswer[]>();
  #runner = newRunner;
  #question: Question | null = null;
  #mode: Question["mode"];

  constructor(
    call: ModelCall,
    { version, data }: { readonly version: number; readonly data: FactData<"tool_call.requested"> },
    { isOffered, approval, hooks, resultHooks }: Terms,
  ) {
    this.call = call;
    this.version = version;
    this.#isOffered = isOffered;
    this.#mode = data.mode;
    if (isOffered)
      this.#feed({
        type: "tool_call.requested",
        version,
        at: 0,
        data: { ...data, approval, hooks, resultHooks },
      });
  }

  /** Who is to be asked now; `null` for nobody. */
  get question(): Question | null {
    return this.#question;
  }

  /** The same, which is asked then. */
  takeQuestion(): Question | null {
    const question = this.#question;
    this.#question = null;
    return question;
  }

  /** What became of a question. `waits`: the log has an answer to it, and what it led to counts from there. */
  answer(hook: HookName, answers: readonly HookAnswer[], waits: boolean): void {
    this.#answers.set(hook, answers);
    if (!waits) this.#take(hook);
  }

  /** A fact of the log about this call, in its turn. */
  record(fact: VerdictFact, version: number): void {
    this.#then.push(fact);
    switch (fact.type) {
      case "hook.answered":
        this.#take(fact.data.hook);
        break;
      case "approval.resolved":
      case "tool_call.returned":
        // What the log has of it is the basis also where it would not have come to it.
        this.#feed({ ...fact, version, at: 0 });
        break;
      case "approval.requested":
      case "tool_call.started":
      case "tool_call.blocked":
      case "tool_call.completed":
      case "tool_call.interrupted":
        break;
    }
  }

  /** Plan mode begins. */
  enterPlan(version: number): void {
    this.#feed({ type: "plan_mode.entered", version, at: 0, data: {} });
  }

  /** The log has no more of it: what was still to be taken counts from here. */
  end(): void {
    for (const hook of this.#answers.keys()) this.#take(hook);
  }

  /** Both verdicts. `null` for one that nobody came to. */
  verdicts(
    authorThen: AuthorOf,
    authorNow: AuthorOf,
  ): { readonly before: Verdict | null; readonly after: Verdict | null } {
    return {
      before: verdictOf(this.#then, authorThen),
      after: this.#isOffered ? verdictOf(this.#now, authorNow) : notOffered,
    };
  }

  #take(hook: HookName): void {
    const answers = this.#answers.get(hook);
    if (answers === undefined) return;
    this.#answers.delete(hook);
    const data = { callId: this.call.callId, hook, masked: false, answers: [...answers] };
    this.#feed({ type: "hook.answered", version: this.version, at: 0, data });
  }

  #feed(event: ToolRunnerEvent): void {
    if (!this.#isOffered) return;
    const before = this.#runner;
    const { state, decision } = stepToolRunner(before, event);
    this.#runner = state;
    if (state === before) return;
    if (event.type === "plan_mode.entered") this.#mode = state.call?.mode ?? this.#mode;
    if (isTold(event)) this.#now.push(event);
    if (decision === null) return;
    if (decision.type === "hook.requested") this.#ask(decision.data.hook);
    else this.#now.push(decision as VerdictFact);
  }

  #ask(hook: HookName): void {
    const { verdict, result } = this.#runner;
    const { callId, name, args } = this.call;
    this.#question = {
      hook,
      callId,
      tool: name,
      mode: this.#mode,
      args: verdict?.args ?? args ?? {},
      isReplaced: (verdict?.args ?? null) !== null,
      returned: result?.kind === "returned" ? result.data : null,
    };
  }
}

/** Whether an input tells of a verdict by itself. */
function isTold(event: ToolRunnerEvent): event is Extract<ToolRunnerEvent, { type: VerdictFact["type"] }> {
  return (
    event.type !== "tool_call.requested" &&
    event.type !== "abort.requested" &&
    event.type !== "plan_mode.entered"
  );
}
