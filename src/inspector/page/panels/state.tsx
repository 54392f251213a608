import type { StateAnswer } from "../../api.ts";
import { clock, count } from "../model/format.ts";
import { textAt } from "../model/views.ts";
import { Answered } from "../parts/answered.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { useAtQuery } from "./use-at-query.ts";

/** All parts of the state at the selected fact. */
export function StatePanel(): preact.JSX.Element {
  const query = useAtQuery<StateAnswer>("/state");
  return (
    <Answered query={query}>
      {(state) => (
        <div class="state">
          <dl class="tiles">
            <Tile name="status" value={textAt(state.views, "/session/status") || "–"} />
            <Tile name="model" value={textAt(state.views, "/session/settings/model") || "–"} />
            <Tile name="mode" value={textAt(state.views, "/session/mode") || "–"} />
            <Tile name="messages" value={count(state.messageCount)} />
            <Tile name="time" value={clock(state.at)} />
          </dl>
          {Object.entries(state.views).map(([name, view]) => (
            <section key={name} aria-label={name}>
              <h3>{name}</h3>
              <JsonView value={view} openLevels={0} label={name} />
            </section>
          ))}
        </div>
      )}
    </Answered>
  );
}

/** A figure with its name. */
export function Tile({ name, value }: { readonly name: string; readonly value: string }): preact.JSX.Element {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd title={value}>{value}</dd>
    </div>
  );
}
