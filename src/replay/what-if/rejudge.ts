/**
 * Judges the calls of one stored session again, in the order in which they were recorded. Model and tools are answered
 * from the log; who answers for hooks and approval rules is given. docs/reference/what-if.md
 */
import {
  callIdOf,
  isKnownType,
  upcast,
  type Fact,
  type FactOf,
  type KnownFact,
  type ModelCall,
} from "../../events/index.ts";
import type { HookAnswer } from "../../hooks/index.ts";
import { JudgedCall, type Question, type Terms } from "./judged-call.ts";
import {
  changedParts,
  verdictTypes,
  type AuthorOf,
  type Verdict,
  type VerdictFact,
  type VerdictPart,
} from "./verdict.ts";

/** Who judges now. */
export interface Judge {
  /** Sees each fact of the log before anything is asked about it. */
  take(fact: KnownFact): Promise<void>;
  /** Resolves once everything that watches has seen the facts so far. */
  settled(): Promise<void>;
  terms(call: ModelCall): Terms;
  ask(question: Question): Promise<readonly HookAnswer[]>;
  /** Whether the log has an answer of handlers to this question. */
  isAnswered(question: Pick<Question, "callId" | "hook">): boolean;
  readonly authorThen: AuthorOf;
  readonly authorNow: AuthorOf;
}

/** A call whose verdict is another one now. */
export interface ChangedVerdict {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** Of the `tool_call.requested` that began to judge it. */
  readonly version: number;
  readonly tool: string;
  /** As the model wrote them, secrets hidden. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly before: Verdict;
  readonly after: Verdict;
  /** Which parts differ, at least one. */
  readonly changed: readonly VerdictPart[];
}

/** A session that was judged again. */
export interface RejudgedSession {
  /** Calls that were judged then or would be now. */
  readonly calls: number;
  readonly changes: readonly ChangedVerdict[];
}

/**
 * Judges a session again.
 *
 * @param facts - its history, in order. Calls that began in a session from which it was forked are judged there.
 */
export async function rejudge(
  sessionId: string,
  facts: AsyncIterable<Fact>,
  judge: Judge,
): Promise<RejudgedSession> {
  const bench = new Bench(sessionId, judge);
  for await (const fact of facts) {
    // Its data was left out of a bundle: whoever asks looks at that before.
    if (!isKnownType(fact.type) || fact.redacted !== undefined) continue;
    // What an input led to was recorded with it; who waits for durable facts is asked after all of them.
    if (fact.kind === "input") await bench.pause();
    await bench.take(upcast(fact) as KnownFact);
  }
  await bench.pause();
  return bench.end();
}

/** The calls that are judged at the moment, and what came of those before. */
class Bench {
  readonly #sessionId: string;
  readonly #judge: Judge;
  readonly #asked = new Map<string, ModelCall>();
  readonly #open = new Map<string, JudgedCall>();
  readonly #ended = new Set<string>();
  readonly #changes: ChangedVerdict[] = [];
  #calls = 0;

  constructor(sessionId: string, judge: Judge) {
    this.#sessionId = sessionId;
    this.#judge = judge;
  }

  async take(fact: KnownFact): Promise<void> {
    await this.#judge.take(fact);
    if (fact.type === "model.responded") {
      this.#asked.clear();
      for (const call of fact.data.calls) this.#asked.set(call.callId, call);
    } else if (fact.type === "tool_call.requested") this.#begin(fact);
    else if (fact.type === "plan_mode.entered")
      for (const call of this.#open.values()) call.enterPlan(fact.version);
    else if (isVerdictFact(fact)) this.#record(fact);
    await this.#askNew(fact);
  }

  /** What nobody was asked then would have been asked before anything that followed. */
  async #askNew({ type, data }: KnownFact): Promise<void> {
    const callId = type === "tool_call.requested" || verdictTypeSet.has(type) ? callIdOf(data) : "";
    const call = this.#open.get(callId);
    const question = call?.question ?? null;
    if (call === undefined || question === null || this.#judge.isAnswered(question)) return;
    await this.#judge.settled();
    await this.#askAll(call);
  }

  /** Asks whoever is to be asked about the facts so far, then lets go of the calls that have ended. */
  async pause(): Promise<void> {
    if (this.#open.size === 0) return;
    await this.#judge.settled();
    for (const call of this.#open.values()) await this.#askAll(call);
    for (const callId of this.#ended) this.#close(callId);
    this.#ended.clear();
  }

  end(): RejudgedSession {
    for (const callId of this.#open.keys()) this.#close(callId);
    return { calls: this.#calls, changes: this.#changes };
  }

  #begin(fact: FactOf<"tool_call.requested">): void {
    const call = this.#asked.get(fact.data.callId);
    if (call === undefined || isOfAncestor(fact)) return;
    this.#open.set(call.callId, new JudgedCall(call, fact, this.#judge.terms(call)));
  }

  #record(fact: FactOf<VerdictFact["type"]>): void {
    const { callId } = fact.data;
    const call = this.#open.get(callId);
    if (call === undefined) return;
    call.record(fact, fact.version);
    if (isEnd(fact)) this.#ended.add(callId);
  }

  async #askAll(call: JudgedCall): Promise<void> {
    for (let question = call.takeQuestion(); question !== null; question = call.takeQuestion()) {
      const answers = await this.#judge.ask(question);
      const waits = !this.#ended.has(question.callId) && this.#judge.isAnswered(question);
      call.answer(question.hook, answers, waits);
    }
  }

  #close(callId: string): void {
    const open = this.#open.get(callId);
    this.#open.delete(callId);
    if (open === undefined) return;
    open.end();
    const { before, after } = open.verdicts(this.#judge.authorThen, this.#judge.authorNow);
    // One that was told to stop before anybody had decided has no verdict to compare.
    if (before === null || after === null) return;
    this.#calls += 1;
    const changed = changedParts(before, after);
    if (changed.length === 0) return;
    const { name: tool, args } = open.call;
    const { version } = open;
    this.#changes.push({
      sessionId: this.#sessionId,
      toolCallId: callId,
      version,
      tool,
      args,
      before,
      after,
      changed,
    });
  }
}

/** A history counts a session's own facts from 1. */
function isOfAncestor({ version }: Pick<Fact, "version">): boolean {
  return version < 1;
}

const verdictTypeSet: ReadonlySet<string> = new Set(verdictTypes);

function isVerdictFact(fact: KnownFact): fact is FactOf<VerdictFact["type"]> {
  return verdictTypeSet.has(fact.type);
}

function isEnd({ type }: KnownFact): boolean {
  return type === "tool_call.completed" || type === "tool_call.blocked" || type === "tool_call.interrupted";
}
