/** Calls as bars over time or over facts. All places are fractions of the axis, 0 to 1. */
import type { CallBar, Moment } from "../../api.ts";

/** What the axis counts. */
export type Axis = "time" | "facts";
/** A stretch of a call: judged by hooks, waiting for a person, at work, its result under review. */
export type Phase = "judged" | "asking" | "running" | "reviewed";

/** A call as it is drawn. */
export interface GanttRow {
  readonly call: CallBar;
  /** First of its turn in this list. */
  readonly opensTurn: boolean;
  readonly from: number;
  readonly to: number;
  readonly segments: readonly { readonly phase: Phase; readonly from: number; readonly to: number }[];
  readonly verdicts: readonly {
    readonly at: number;
    readonly verdict: CallBar["hooks"][number]["verdict"];
  }[];
  /** Milliseconds from the answer to its end, or to now. */
  readonly tookMs: number;
}

/** What the axis shows. */
export interface Gantt {
  readonly rows: readonly GanttRow[];
  readonly first: Moment;
  readonly last: Moment;
}

/** Lays calls out. `now`: the fact at which they are looked at, where bars of open calls end. */
export function gantt(calls: readonly CallBar[], axis: Axis, now: Moment): Gantt {
  const first = calls.reduce(
    (least, { answered }) => ({
      version: Math.min(least.version, answered.version),
      at: Math.min(least.at, answered.at),
    }),
    now,
  );
  const last = calls.reduce(
    (most, call) => ({
      version: Math.max(most.version, endOf(call, now).version),
      at: Math.max(most.at, endOf(call, now).at),
    }),
    first,
  );
  const place = (moment: Moment): number =>
    fraction(valueOf(first, axis), valueOf(last, axis), valueOf(moment, axis));
  return { rows: calls.map((call, index) => rowOf(call, calls[index - 1], now, place)), first, last };
}

function rowOf(
  call: CallBar,
  before: CallBar | undefined,
  now: Moment,
  place: (moment: Moment) => number,
): GanttRow {
  const end = endOf(call, now);
  const steps: readonly (readonly [Phase, Moment | null])[] = [
    ["judged", call.answered],
    ["asking", call.approval?.asked ?? null],
    ["running", call.started],
    ["reviewed", call.returned],
  ];
  const begun = steps.filter((step): step is readonly [Phase, Moment] => step[1] !== null);
  const segments = begun.map(([phase, moment], index) => ({
    phase,
    from: place(moment),
    to: place(begun[index + 1]?.[1] ?? end),
  }));
  return {
    call,
    opensTurn: before === undefined || before.turn !== call.turn,
    from: place(call.answered),
    to: place(end),
    segments,
    verdicts: call.hooks.map(({ version, at, verdict }) => ({ at: place({ version, at }), verdict })),
    tookMs: Math.max(0, end.at - call.answered.at),
  };
}

function endOf(call: CallBar, now: Moment): Moment {
  return call.ended ?? now;
}

function valueOf(moment: Moment, axis: Axis): number {
  return axis === "time" ? moment.at : moment.version;
}

/** The clock may go backwards, so a place is held within the axis. */
function fraction(first: number, last: number, value: number): number {
  return last <= first ? 0 : Math.max(0, Math.min(1, (value - first) / (last - first)));
}

/** What became of a call, in a word. */
export function outcomeWord(call: CallBar): string {
  return (
    call.outcome ??
    {
      queued: "queued",
      judged: "judged",
      asking: "waits for approval",
      running: "running",
      reviewed: "under review",
      ended: "ended",
    }[call.state]
  );
}

/** How it is coloured. */
export function outcomeTone(call: CallBar): "good" | "bad" | "warn" | "busy" {
  if (call.outcome === null) return call.state === "asking" ? "warn" : "busy";
  if (call.outcome === "completed") return call.isError ? "bad" : "good";
  return call.outcome === "failed" ? "bad" : "warn";
}

/** Arguments in one line, with as little of JSON as can be: `{"path":"a.ts"}` is `path: a.ts`. The line may be cut. */
export function plainArgs(summary: string): string {
  return summary
    .replace(/^\{/, "")
    .replace(/\}$/, "")
    .replaceAll(
      /(^|[,{])"(\w+)":"?/g,
      (_, before: string, name: string) => `${before === "," ? ", " : before}${name}: `,
    )
    .replaceAll(/"(?=,|$|\})/g, "");
}
