import type { ComponentChildren } from "preact";
import type { Query } from "../data/use-query.ts";
import { Notice } from "./notice.tsx";

/** What a panel shows of a question: that it waits, why there is no answer, or the answer; an old one stays until the new is there. */
export function Answered<Answer>(props: {
  readonly query: Query<Answer>;
  readonly children: (answer: Answer) => ComponentChildren;
}): preact.JSX.Element {
  const { answer, fault, isStale } = props.query;
  if (fault !== null && (answer === null || fault.reason !== "unreachable"))
    return (
      <Notice tone="bad" title="This can't be shown">
        {fault.message}
      </Notice>
    );
  if (answer === null)
    return (
      <div class="skeleton" aria-busy="true" aria-label="Loading">
        <i />
        <i />
        <i />
      </div>
    );
  return (
    <div class={isStale ? "answered stale" : "answered"} aria-busy={isStale}>
      {props.children(answer)}
    </div>
  );
}
