/** Finds the first fact after which an expression over the state holds. docs/reference/bisect.md, "An expression" */
import type { Fact } from "../../events/index.ts";
import { sessionStreamName, versionAt } from "../../harness/index.ts";
import { historyOf, type EventLog } from "../../log/index.ts";
import { BisectError } from "../errors.ts";
import { requireSession } from "../session-list.ts";
import type { BisectOptions, BisectResult } from "./options.ts";
import { callBehind } from "./call-behind.ts";
import { Expression } from "./expression.ts";
import { RunningState } from "./running-state.ts";

/** How long all evaluations together may take. */
const DEFAULT_TIMEOUT_MS = 60_000;
const PAGE_FACTS = 500;

/** What a search over states is given. */
export type WhenOptions = Omit<BisectOptions, "run"> & { readonly when: string };

/**
 * Goes through the states one after the other: each is made from the one before, so all of them cost little more than
 * the last, and the answer is the first, also where the expression holds for a while only.
 *
 * @throws InvalidExpressionError, BisectError, SessionNotFoundError, InvalidVersionError; the signal's reason
 */
export async function bisectWhen(
  log: EventLog,
  sessionId: string,
  options: WhenOptions,
): Promise<BisectResult> {
  const expression = new Expression(options.when);
  const session = await requireSession(log, sessionId);
  const stream = sessionStreamName(sessionId);
  const to = await versionAt(log, stream, options.to);
  const from = await versionAt(log, stream, options.from ?? 1);
  const search = new Search(
    new RunningState(log, session, expression.members),
    expression,
    from,
    options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  );
  for await (const page of pagesOf(historyOf(log, stream, { to }))) {
    options.signal?.throwIfAborted();
    const fact = await search.page(page);
    if (fact !== null) {
      const call = await callBehind(log, fact);
      return { version: fact.version, fact, runs: search.runs, sessionId, call };
    }
  }
  const why =
    expression.thrown === null ? "" : `; where it could not be evaluated it threw ${expression.thrown}`;
  throw new BisectError(
    "expression_never_holds",
    `the expression holds after none of the ${search.runs} facts from version ${from} to ${to} of session ${sessionId}${why}`,
  );
}

class Search {
  readonly #expression: Expression;
  readonly #from: number;
  readonly #state: RunningState;
  #leftMs: number;
  runs = 0;

  constructor(state: RunningState, expression: Expression, from: number, timeoutMs: number) {
    this.#expression = expression;
    this.#from = from;
    this.#state = state;
    this.#leftMs = timeoutMs;
  }

  /** The first of these facts after which it holds; `null` for none. */
  async page(facts: readonly Fact[]): Promise<Fact | null> {
    await this.#state.prepare(facts);
    let index = -1;
    const started = performance.now();
    const at = this.#expression.scan(() => {
      for (index += 1; index < facts.length; index += 1) {
        const fact = facts[index] as Fact;
        this.#state.take(fact);
        if (fact.version < this.#from) continue;
        for (const [name, value] of this.#state.members()) this.#expression.give(name, value);
        this.runs += 1;
        return fact.version;
      }
      return null;
    }, this.#leftMs);
    this.#leftMs -= performance.now() - started;
    return at === null ? null : (facts[index] ?? null);
  }
}

async function* pagesOf(facts: AsyncIterable<Fact>): AsyncGenerator<readonly Fact[]> {
  let page: Fact[] = [];
  for await (const fact of facts) {
    page.push(fact);
    if (page.length < PAGE_FACTS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
