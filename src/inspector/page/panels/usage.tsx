import { useMemo } from "preact/hooks";
import type { UsageAnswer } from "../../api.ts";
import { sessionPath } from "../data/client.ts";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { useQuery } from "../data/use-query.ts";
import { count, dollars, short } from "../model/format.ts";
import { usageAt, usageSeries } from "../model/usage-series.ts";
import { Answered } from "../parts/answered.tsx";
import { Chart, type ChartLine } from "../parts/chart.tsx";
import { Notice } from "../parts/notice.tsx";
import { Tile } from "./state.tsx";

const TOKENS: readonly ChartLine[] = [
  { label: "input", colour: "--chart-1", isFilled: true },
  { label: "cached", colour: "--chart-2", isFilled: false },
  { label: "output", colour: "--chart-3", isFilled: true },
];
const COST: readonly ChartLine[] = [{ label: "cost", colour: "--chart-4", isFilled: true }];

/** Tokens and cost over the session. */
export function UsagePanel(): preact.JSX.Element {
  const session = useStore(({ place }) => place.session);
  const version = useStore(({ timeline }) => timeline?.version ?? 0);
  // A session that grows is asked about again with its timeline.
  const path = session === null ? null : sessionPath(session, "/usage", { points: 300 });
  const query = useQuery<UsageAnswer>(path, version);
  return <Answered query={query}>{(answer) => <Usage answer={answer} />}</Answered>;
}

function Usage({ answer }: { readonly answer: UsageAnswer }): preact.JSX.Element {
  const { actions } = usePage();
  const at = useStore(atOf);
  const series = useMemo(() => usageSeries(answer.points), [answer]);
  if (answer.points.length === 0) return <Notice title="No model was asked yet" />;
  const here = usageAt(answer.points, at);
  return (
    <div class="usage">
      <dl class="tiles">
        <Tile name="input tokens" value={count(here?.usage.inputTokens ?? 0)} />
        <Tile name="of them cached" value={count(here?.usage.cachedInputTokens ?? 0)} />
        <Tile name="output tokens" value={count(here?.usage.outputTokens ?? 0)} />
        <Tile name="cost" value={here === null ? "$0" : dollars(here.cost)} />
      </dl>
      <Chart
        title="Tokens"
        lines={TOKENS}
        columns={[series.versions, series.input, series.cached, series.output]}
        at={at}
        format={short}
        onVersion={actions.select}
      />
      {series.cost.every((cost) => cost === null || cost === 0) ? (
        <p class="faint">The cost is not known: no price is set for the model.</p>
      ) : (
        <Chart
          title="Cost"
          lines={COST}
          columns={[series.versions, series.cost]}
          at={at}
          format={dollars}
          onVersion={actions.select}
        />
      )}
      <table class="rows">
        <caption>Models</caption>
        <thead>
          <tr>
            <th>Model</th>
            <th class="number">Requests</th>
            <th class="number">Failures</th>
            <th class="number">Input</th>
            <th class="number">Output</th>
            <th class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {answer.models.map(({ model, requests, failures, usage, cost }) => (
            <tr key={model}>
              <td>{model}</td>
              <td class="number">{count(requests)}</td>
              <td class="number">{count(failures)}</td>
              <td class="number">{count(usage.inputTokens)}</td>
              <td class="number">{count(usage.outputTokens)}</td>
              <td class="number">{dollars(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
