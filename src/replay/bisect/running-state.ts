/** The state of a session, fact by fact: what `stateAt` gives after each. Only what is asked for is worked out. */
import type { Fact } from "../../events/index.ts";
import { featuresKnownAt, type FeaturesAt } from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import {
  approvalsIn,
  messagesOf,
  project,
  SessionTally,
  sessionView,
  transcript,
} from "../../projections/index.ts";
import { supervisionAt, type SupervisionAt } from "../supervision-at.ts";

/** Whose state it is. */
export interface StateOf {
  readonly sessionId: string;
  readonly cwd: string | null;
}

const tallied = ["todos", "tools", "files", "extensions", "tasks", "checkpoints"];

/** Members of `StateAt`. One that is as it was is the same object as before. */
export class RunningState {
  readonly #log: EventLog;
  readonly #of: StateOf;
  readonly #wanted: ReadonlySet<string> | null;
  readonly #tally = new SessionTally();
  readonly #last = new Map<string, unknown>();
  readonly #features = new Map<number, FeaturesAt | null>();
  readonly #supervision = new Map<number, SupervisionAt | null>();
  #at = { version: 0, position: 0 };
  #session = sessionView.initial;
  #transcript = transcript.initial;
  #messages = { of: transcript.initial, list: messagesOf(transcript.initial) };

  /** @param wanted - the members that are asked for; `null`: all */
  constructor(log: EventLog, of: StateOf, wanted: ReadonlySet<string> | null) {
    this.#log = log;
    this.#of = of;
    this.#wanted = wanted;
  }

  /** Looks up what other streams knew at the positions of the facts that come next. */
  async prepare(facts: readonly Fact[]): Promise<void> {
    const { sessionId, cwd } = this.#of;
    this.#features.clear();
    this.#supervision.clear();
    for (const { position } of facts) {
      if (cwd !== null && this.#wants("features"))
        this.#features.set(position, await featuresKnownAt(this.#log, cwd, position));
      if (this.#wants("supervision"))
        this.#supervision.set(position, await supervisionAt(this.#log, sessionId, position));
    }
  }

  take(fact: Fact): void {
    this.#at = fact;
    this.#session = project(sessionView, this.#session, fact);
    this.#transcript = project(transcript, this.#transcript, fact);
    this.#tally.fold(fact);
  }

  /** Each member that is asked for, by its name. */
  *members(): Generator<readonly [string, unknown]> {
    const { version, position } = this.#at;
    if (this.#wants("version")) yield ["version", version];
    if (this.#wants("session")) yield ["session", this.#session];
    if (this.#wants("messages")) yield ["messages", this.#list()];
    if (this.#wants("approvals"))
      yield ["approvals", this.#unlessSame("approvals", approvalsIn(this.#session))];
    if (this.#wants("features")) yield ["features", this.#features.get(position) ?? null];
    if (this.#wants("supervision")) yield ["supervision", this.#supervision.get(position) ?? null];
    if (!tallied.some((name) => this.#wants(name))) return;
    for (const [name, value] of Object.entries(this.#tally.view()))
      if (this.#wants(name)) yield [name, this.#unlessSame(name, value)];
  }

  #wants(name: string): boolean {
    return this.#wanted === null || this.#wanted.has(name);
  }

  #list(): readonly unknown[] {
    if (this.#messages.of !== this.#transcript)
      this.#messages = { of: this.#transcript, list: messagesOf(this.#transcript) };
    return this.#messages.list;
  }

  /** A copy is made of it each time, so its members tell whether it is another. */
  #unlessSame(name: string, value: unknown): unknown {
    const before = this.#last.get(name);
    if (isShallowlySame(before, value)) return before;
    this.#last.set(name, value);
    return value;
  }
}

function isShallowlySame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [before, after] = [Object.entries(a), Object.entries(b)];
  return (
    before.length === after.length &&
    before.every(([key, value], at) => after[at]?.[0] === key && after[at]?.[1] === value)
  );
}
