import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { clampVersion } from "../model/timeline-shape.ts";
import { THEME_EVENT } from "./use-keys.ts";
import { useWidth } from "./use-width.ts";

/** A line of a chart. */
export interface ChartLine {
  readonly label: string;
  /** A property of the style that holds its colour. */
  readonly colour: string;
  readonly isFilled: boolean;
}

interface Props {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** The axis, then one column a line. */
  readonly columns: readonly (readonly (number | null)[])[];
  readonly at: number;
  readonly format: (value: number) => string;
  readonly onVersion: (version: number) => void;
}

const TALL = 170;

/** Lines over versions, with the selected fact marked; a press goes to the fact there. The table beside it says the same in words. */
export function Chart(props: Props): preact.JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const shown = useRef(props);
  shown.current = props;
  const width = useWidth(element);
  const theme = useThemeTurn();
  useEffect(() => {
    const { current } = element;
    if (current === null || width === 0) return;
    let isGone = false;
    // As large as all the rest of the page, and wanted by this panel alone.
    void import("uplot").then(({ default: Plot }) => {
      if (isGone) return;
      chart.current = new Plot(optionsOf(Plot, shown, current, width), data(shown.current.columns), current);
    });
    return () => {
      isGone = true;
      chart.current?.destroy();
      chart.current = null;
    };
  }, [width, theme, props.lines]);
  useEffect(() => chart.current?.setData(data(props.columns)), [props.columns]);
  useEffect(() => chart.current?.redraw(false), [props.at]);
  return (
    <figure class="chart">
      <figcaption>
        <b>{props.title}</b>
        {props.lines.length < 2
          ? null
          : props.lines.map(({ label, colour }) => (
              <span key={label} class={`key ${colour.slice(2)}`}>
                {label}
              </span>
            ))}
      </figcaption>
      <div ref={element} class="chart-body" style={{ height: `${TALL}px` }} aria-hidden="true" />
    </figure>
  );
}

function data(columns: Props["columns"]): uPlot.AlignedData {
  // uPlot's type asks for arrays that it may change; it does not.
  return columns as unknown as uPlot.AlignedData;
}

function optionsOf(
  Plot: typeof uPlot,
  shown: { readonly current: Props },
  element: HTMLElement,
  width: number,
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name);
  const font = `11px ${style.fontFamily}`;
  const axis = {
    stroke: colour("--chart-text"),
    font,
    grid: { stroke: colour("--chart-grid"), width: 1 },
    ticks: { show: false },
  };
  const { lines, format } = shown.current;
  const stepped = Plot.paths.stepped?.({ align: 1 });
  return {
    width,
    height: TALL,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    scales: { x: { time: false }, y: { range: (_chart, _low, high) => [0, Math.max(high * 1.08, 0.000_1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28 },
      { ...axis, size: 56, values: (_chart, values) => values.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ label, colour: name, isFilled }) => ({
        label,
        stroke: colour(name),
        width: 1.5,
        points: { show: false },
        ...(isFilled ? { fill: colour(`${name}-fill`) } : {}),
        ...(stepped === undefined ? {} : { paths: stepped }),
      })),
    ],
    hooks: {
      draw: [(chart) => drawHere(chart, shown.current.at, colour("--chart-head"))],
      ready: [
        (chart) =>
          chart.over.addEventListener("click", () => {
            const { left } = chart.cursor;
            if (left === undefined || left < 0) return;
            shown.current.onVersion(
              clampVersion(Math.round(chart.posToVal(left, "x")), Number.MAX_SAFE_INTEGER),
            );
          }),
      ],
    },
  };
}

function drawHere(chart: uPlot, at: number, colour: string): void {
  const x = chart.valToPos(at, "x", true);
  if (!Number.isFinite(x)) return;
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(Math.min(x, bbox.left + bbox.width), bbox.top, devicePixelRatio, bbox.height);
  ctx.restore();
}

/** Counts changes of the theme: a canvas does not follow the style by itself. */
function useThemeTurn(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const look = (): void => setTurn((before) => before + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    addEventListener(THEME_EVENT, look);
    system.addEventListener("change", look);
    return () => {
      removeEventListener(THEME_EVENT, look);
      system.removeEventListener("change", look);
    };
  }, []);
  return turn;
}
