import type { StateAnswer } from "../../api.ts";
import { counted } from "../model/format.ts";
import { featuresIn, tasksIn } from "../model/views.ts";
import { Answered } from "../parts/answered.tsx";
import { Notice } from "../parts/notice.tsx";
import { useAtQuery } from "./use-at-query.ts";

/** Todos with their progress, features, tasks of subagents. */
export function WorkPanel(): preact.JSX.Element {
  const query = useAtQuery<StateAnswer>("/state");
  return (
    <Answered query={query}>
      {(state) => {
        const features = featuresIn(state.views);
        const tasks = tasksIn(state.views);
        if (state.todos.length + features.length + tasks.length === 0)
          return (
            <Notice title="Nothing is planned yet">No todos, no features, no tasks at this fact.</Notice>
          );
        return (
          <div class="work">
            {state.todos.length === 0 ? null : <Todos state={state} />}
            <Lines title="Features" noun="feature" lines={features} />
            <Lines title="Subagents" noun="task" lines={tasks} />
          </div>
        );
      }}
    </Answered>
  );
}

function Todos({ state: { todos, todoProgress } }: { readonly state: StateAnswer }): preact.JSX.Element {
  const { total, completed, inProgress, blocked, percentage } = todoProgress;
  const share = (value: number): { width: string } => ({ width: `${(value / Math.max(1, total)) * 100}%` });
  return (
    <section aria-label="Todos">
      <div class="panel-bar">
        <h3>Todos</h3>
        <p>{`${completed} of ${total} done`}</p>
      </div>
      <div
        class="progress"
        role="progressbar"
        aria-label="Todos done"
        aria-valuenow={percentage}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i class="completed" style={share(completed)} />
        <i class="in_progress" style={share(inProgress)} />
        <i class="blocked" style={share(blocked)} />
      </div>
      <ul class="lines">
        {todos.map((todo, index) => (
          <li key={index} class={String(todo["status"] ?? "pending")}>
            <Status status={String(todo["status"] ?? "pending")} />
            <span class="line-title">{String(todo["content"] ?? todo["title"] ?? todo["id"] ?? "")}</span>
            <span class="faint">{String(todo["priority"] ?? "")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lines(props: {
  readonly title: string;
  readonly noun: string;
  readonly lines: readonly { readonly id: string; readonly title: string; readonly status: string }[];
}): preact.JSX.Element | null {
  if (props.lines.length === 0) return null;
  return (
    <section aria-label={props.title}>
      <div class="panel-bar">
        <h3>{props.title}</h3>
        <p>{counted(props.lines.length, props.noun)}</p>
      </div>
      <ul class="lines">
        {props.lines.map(({ id, title, status }) => (
          <li key={id} class={status}>
            <Status status={status} />
            <span class="line-title">{title === "" ? id : title}</span>
            <span class="faint">{id}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Status({ status }: { readonly status: string }): preact.JSX.Element {
  return <span class={`status ${status}`}>{status.replaceAll("_", " ")}</span>;
}
