/** The views of a session that the page shows as its state. */
import type { Fact } from "../../events/index.ts";
import { approvalsIn, project, sessionView, tasks, todoProgress, todos } from "../../projections/index.ts";
import type { StateAnswer } from "../api.ts";

/** What it tells, apart from where it stands. */
export type FoldedState = Pick<StateAnswer, "todos" | "todoProgress" | "views">;

/** Views that grow by one fact at a time. */
export class SessionFold {
  #session = sessionView.initial;
  #todos = todos.initial;
  #tasks = tasks.initial;

  take(fact: Fact): void {
    this.#session = project(sessionView, this.#session, fact);
    this.#todos = project(todos, this.#todos, fact);
    this.#tasks = project(tasks, this.#tasks, fact);
  }

  /** The same, to go on by itself. */
  copy(): SessionFold {
    const copy = new SessionFold();
    copy.#session = this.#session;
    copy.#todos = this.#todos;
    copy.#tasks = this.#tasks;
    return copy;
  }

  state(): FoldedState {
    const session = this.#session;
    return {
      todos: this.#todos,
      todoProgress: todoProgress(this.#todos),
      views: { session, approvals: approvalsIn(session), tasks: Object.values(this.#tasks) },
    };
  }
}
