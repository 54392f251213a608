import type { RuntimeTree, SupervisionAnswer } from "../../api.ts";
import type { SupervisionNode } from "../../../projections/index.ts";
import { clock, counted } from "../model/format.ts";
import { supervisionRows, type TreeRow } from "../model/trees.ts";
import { Answered } from "../parts/answered.tsx";
import { Notice } from "../parts/notice.tsx";
import { TreeGuides } from "../parts/tree-guides.tsx";
import { useAtQuery } from "./use-at-query.ts";

/** Who supervised whom when the selected fact was written, and what was restarted. */
export function SupervisionPanel(): preact.JSX.Element {
  const query = useAtQuery<SupervisionAnswer>("/supervision");
  return (
    <Answered query={query}>
      {({ runtimes }) =>
        runtimes.length === 0 ? (
          <Notice title="No supervisor has told anything yet" />
        ) : (
          <div class="supervision">
            {runtimes.toReversed().map((runtime) => (
              <Runtime key={runtime.runtimeId} runtime={runtime} />
            ))}
          </div>
        )
      }
    </Answered>
  );
}

function Runtime({ runtime }: { readonly runtime: RuntimeTree }): preact.JSX.Element {
  return (
    <section aria-label={`Runtime ${runtime.runtimeId}`}>
      <div class="panel-bar">
        <h3>{runtime.runtimeId}</h3>
        <p>{counted(runtime.restarts.length, "restart")}</p>
      </div>
      <ul class="tree" aria-label="Supervision tree">
        {supervisionRows(runtime.tree).map((row) => (
          <Child key={row.node.path} row={row} />
        ))}
      </ul>
      {runtime.restarts.length === 0 ? null : (
        <table class="rows">
          <caption class="unseen">Restarts</caption>
          <thead>
            <tr>
              <th>When</th>
              <th>Child</th>
              <th>What</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {runtime.restarts.map((restart) => (
              <tr key={restart.position}>
                <td>{clock(restart.at)}</td>
                <td>{restart.path}</td>
                <td>
                  <span class={`badge ${restart.what === "restarted" ? "warn" : "bad"}`}>
                    {restart.what.replace("_", " ")}
                  </span>
                </td>
                <td>{restart.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Child({
  row: { node, level, lasts },
}: {
  readonly row: TreeRow<SupervisionNode>;
}): preact.JSX.Element {
  const tone = node.state === "running" ? "good" : node.state === "exited" ? "off" : "bad";
  return (
    <li>
      <TreeGuides level={level} lasts={lasts} />
      <span class="child">
        <span class={`dot ${tone}`} />
        <span class={node.type === "supervisor" ? "child-id strong" : "child-id"}>{node.id}</span>
        <span class="faint">{node.state.replace("_", " ")}</span>
        {node.restarts === 0 ? null : <span class="badge warn">{counted(node.restarts, "restart")}</span>}
        {node.gaveUpOn === null ? null : <span class="badge bad">{`gave up on ${node.gaveUpOn}`}</span>}
      </span>
    </li>
  );
}
