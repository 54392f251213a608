/** Answers calls that ask for approval: by the person at the terminal, or with no where there is none. */
import { LemonError, messageOf } from "../errors.ts";
import type { Session } from "../runtime/index.ts";
import { describeCall, describeWhole } from "./calls.ts";
import type { Context } from "./globals.ts";

/** A call that waits. */
export interface Question {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>> | null;
}

/** A person can be asked: what they type comes in, and what they are asked is seen. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks about one call after the other. */
export class Approver {
  readonly #context: Context;
  readonly #asked = new Set<string>();
  #queue: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Asks what waits in a session, and what will. */
  attend(session: Session): void {
    session.subscribe((event) => {
      if (event.type === "approval_requested") this.ask(session, event);
    });
    for (const pending of session.approvals.pending()) this.ask(session, pending);
  }

  /** Asks once, however often it is told of the same call. */
  ask(session: Session, question: Question): void {
    if (this.#asked.has(question.id)) return;
    this.#asked.add(question.id);
    this.#queue = this.#queue
      .then(() => this.#answer(session, question))
      .catch((error: unknown) => this.#fail(session, question, error));
  }

  async #answer(session: Session, question: Question): Promise<void> {
    if (canAsk()) {
      const verdict = await this.#askPerson(describeWhole(question.tool, question.args));
      if (verdict !== null) await session.approvals.resolve(question.id, verdict, "answered at the terminal");
      return;
    }
    const call = describeCall(question.tool, question.args);
    this.#context.out.note(
      `refused ${call}: it asks for approval and there is no terminal; --approve auto allows it`,
    );
    await session.approvals.resolve(
      question.id,
      "deny",
      "approval is asked for and there is no terminal to ask on",
    );
  }

  /** `null` when the run was interrupted instead. */
  async #askPerson(call: string): Promise<"allow" | "deny" | null> {
    const { out, interrupts } = this.#context;
    const { isCancel, select } = await import("@clack/prompts");
    out.clearProgress();
    const verdict = await select({
      message: `Allow ${call}`,
      options: [
        { value: "allow" as const, label: "Allow" },
        { value: "deny" as const, label: "Deny" },
      ],
      output: process.stderr,
      signal: interrupts.signal,
    });
    if (!isCancel(verdict)) return verdict;
    // While it asks, the terminal gives Ctrl-C as a key and not as a signal.
    if (!interrupts.happened) interrupts.interrupt("SIGINT");
    return null;
  }

  /** Who can't be asked has not allowed: the call is refused, or the run would wait for ever. */
  async #fail(session: Session, { id }: Question, error: unknown): Promise<void> {
    this.#report(error);
    await session.approvals
      .resolve(id, "deny", "approval is unavailable")
      .catch((cause: unknown) => this.#report(cause));
  }

  /** A call whose run has ended meanwhile waits for no answer. */
  #report(error: unknown): void {
    if (error instanceof LemonError && error.reason === "not_found") return;
    this.#context.out.error(`an answer could not be recorded: ${messageOf(error)}`, error);
  }
}
