import { useMemo, useState } from "preact/hooks";
import type { CallsAnswer, HookVerdict } from "../../api.ts";
import { usePage } from "../data/page.ts";
import { count, counted, duration } from "../model/format.ts";
import { gantt, outcomeTone, outcomeWord, plainArgs, type Axis, type GanttRow } from "../model/gantt.ts";
import { Answered } from "../parts/answered.tsx";
import { FactLink } from "../parts/fact-detail.tsx";
import { Notice } from "../parts/notice.tsx";
import { useAtQuery } from "./use-at-query.ts";

const MOST = 300;

/** Tool calls as bars: when hooks judged them, a person was waited for, they ran, their results were reviewed. */
export function CallsPanel(): preact.JSX.Element {
  const query = useAtQuery<CallsAnswer>("/calls", { limit: MOST });
  const [axis, setAxis] = useState<Axis>("time");
  return (
    <Answered query={query}>
      {(answer) =>
        answer.total === 0 ? (
          <Notice title="No tool was called yet" />
        ) : (
          <div class="gantt">
            <div class="panel-bar">
              <p>
                {answer.from === 0
                  ? counted(answer.total, "call")
                  : `the last ${count(answer.calls.length)} of ${counted(answer.total, "call")}`}
              </p>
              <AxisChoice axis={axis} onAxis={setAxis} />
            </div>
            <Chart answer={answer} axis={axis} />
            <Legend />
          </div>
        )
      }
    </Answered>
  );
}

function AxisChoice({
  axis,
  onAxis,
}: {
  readonly axis: Axis;
  readonly onAxis: (axis: Axis) => void;
}): preact.JSX.Element {
  return (
    <div class="choice" role="group" aria-label="Axis">
      {(["time", "facts"] as const).map((name) => (
        <button key={name} type="button" aria-pressed={axis === name} onClick={() => onAxis(name)}>
          {name === "time" ? "Time" : "Facts"}
        </button>
      ))}
    </div>
  );
}

function Chart({ answer, axis }: { readonly answer: CallsAnswer; readonly axis: Axis }): preact.JSX.Element {
  const chart = useMemo(() => gantt(answer.calls, axis, answer), [answer, axis]);
  const [open, setOpen] = useState<string | null>(null);
  const span =
    axis === "time" ? duration(chart.last.at - chart.first.at) : `fact ${count(chart.last.version)}`;
  return (
    <>
      <div class="gantt-axis" aria-hidden="true">
        <span />
        <span>
          <i>{axis === "time" ? "0" : `fact ${count(chart.first.version)}`}</i>
          <i>{span}</i>
        </span>
        <span />
      </div>
      <ul class="gantt-rows" aria-label="Tool calls">
        {chart.rows.map((row) => (
          <CallRow
            key={row.call.callId}
            row={row}
            isOpen={open === row.call.callId}
            onTurn={() => setOpen(open === row.call.callId ? null : row.call.callId)}
          />
        ))}
      </ul>
    </>
  );
}

function percent(value: number): string {
  return `${(value * 100).toFixed(3)}%`;
}

function CallRow(props: {
  readonly row: GanttRow;
  readonly isOpen: boolean;
  readonly onTurn: () => void;
}): preact.JSX.Element {
  const { call, segments, verdicts, opensTurn, tookMs } = props.row;
  const tone = outcomeTone(call);
  return (
    <li class={opensTurn ? "opens-turn" : ""}>
      <button type="button" class="gantt-row" aria-expanded={props.isOpen} onClick={props.onTurn}>
        <span class="gantt-call">
          <span class={`dot ${tone}`} />
          <b>{call.tool}</b>
          <span>{plainArgs(call.summary)}</span>
        </span>
        <span class="gantt-lane">
          {segments.map(({ phase, from, to }) => (
            <i
              key={phase}
              class={`bar ${phase} ${tone}`}
              style={{ left: percent(from), width: percent(to - from) }}
            />
          ))}
          {verdicts.map(({ at, verdict }, index) => (
            <i key={index} class={`verdict ${verdict}`} style={{ left: percent(at) }} />
          ))}
        </span>
        <span class="gantt-end">
          <span class={tone}>{call.outcome === "completed" && !call.isError ? "" : outcomeWord(call)}</span>
          <span>{duration(tookMs)}</span>
        </span>
      </button>
      {props.isOpen ? <CallMore row={props.row} /> : null}
    </li>
  );
}

function CallMore({ row: { call } }: { readonly row: GanttRow }): preact.JSX.Element {
  const { actions } = usePage();
  const steps = [
    ["answered", call.answered],
    ["requested", call.requested],
    ["asked for approval", call.approval?.asked ?? null],
    ["answered by a person", call.approval?.resolved ?? null],
    ["started", call.started],
    ["returned", call.returned],
    ["ended", call.ended],
  ] as const;
  return (
    <div class="call-more">
      {call.reason === null ? null : <p class="call-reason">{call.reason}</p>}
      <ol class="call-steps">
        {steps.map(([name, moment]) =>
          moment === null ? null : (
            <li key={name}>
              <button type="button" class="link" onClick={() => actions.select(moment.version)}>
                {name}
              </button>
              <span class="faint">{`+${duration(moment.at - call.answered.at)}`}</span>
            </li>
          ),
        )}
      </ol>
      {call.approval === null ? null : (
        <p>
          {call.approval.verdict === null
            ? "Still waits for a person"
            : `A person said ${call.approval.verdict}`}
          {call.approval.waitedMs === null ? "" : ` after ${duration(call.approval.waitedMs)}`}
        </p>
      )}
      {call.hooks.length === 0 ? null : (
        <table class="rows">
          <thead>
            <tr>
              <th>Hook</th>
              <th>Extension</th>
              <th>Verdict</th>
              <th class="number">Took</th>
            </tr>
          </thead>
          <tbody>
            {call.hooks.map((hook, index) => (
              <HookRow key={index} hook={hook} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function HookRow({ hook }: { readonly hook: HookVerdict }): preact.JSX.Element {
  const tone =
    hook.verdict === "blocked" || hook.verdict === "failed" ? "bad" : hook.verdict === "passed" ? "" : "warn";
  return (
    <tr>
      <td>
        <FactLink version={hook.version} text={hook.hook} />
      </td>
      <td>
        {hook.module} {hook.sha256 === null ? null : <span class="faint">{hook.sha256.slice(0, 8)}</span>}
      </td>
      <td>
        <span class={`badge ${tone}`}>{hook.verdict.replace("_", " ")}</span> {hook.reason}
      </td>
      <td class="number">{duration(hook.durationMs)}</td>
    </tr>
  );
}

function Legend(): preact.JSX.Element {
  return (
    <ul class="legend inline" aria-label="Legend">
      <li>
        <i class="bar judged" /> hooks judge
      </li>
      <li>
        <i class="bar asking" /> waits for approval
      </li>
      <li>
        <i class="bar running good" /> runs
      </li>
      <li>
        <i class="bar reviewed" /> result reviewed
      </li>
      <li>
        <i class="verdict blocked" /> a hook blocked
      </li>
      <li>
        <i class="verdict replaced" /> a hook replaced
      </li>
    </ul>
  );
}
