/** The views of a session that the page shows as its state: those of `stateAt`, without messages and files. */
import type { Fact } from "../../events/index.ts";
import {
  approvalsIn,
  project,
  SessionTally,
  sessionView,
  todoProgress,
  type SessionView,
} from "../../projections/index.ts";
import type { StateAnswer } from "../api.ts";

/** What it tells, apart from where it stands. */
export type FoldedState = Pick<StateAnswer, "todos" | "todoProgress" | "views">;

/** Views that grow by one fact at a time. */
export class SessionFold {
  #session: SessionView = sessionView.initial;
  #tally = new SessionTally();

  take(fact: Fact): void {
    this.#session = project(sessionView, this.#session, fact);
    this.#tally.fold(fact);
  }

  /** The folder that it works in. */
  get cwd(): string {
    return this.#session.cwd;
  }

  /** The same, to go on by itself. */
  copy(): SessionFold {
    const copy = new SessionFold();
    copy.#session = this.#session;
    copy.#tally = new SessionTally(this.#tally.store());
    return copy;
  }

  state(): FoldedState {
    const session = this.#session;
    // Files have an answer of their own: a long session wrote thousands.
    const { todos, files: _files, ...parts } = this.#tally.view();
    return {
      todos,
      todoProgress: todoProgress(todos),
      views: { session, approvals: approvalsIn(session), ...parts },
    };
  }
}
