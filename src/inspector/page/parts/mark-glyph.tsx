import type { MarkKind } from "../../api.ts";

/** Around the point 0, 0; at most 4 px each way. */
const SHAPES: Readonly<Record<MarkKind, string>> = {
  prompt: "M0-3.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 1 0 0-7z",
  turn: "M-.5-2.500h1v5h-1z",
  block: "M-1.600-3.800h3.200l2.200 2.200v3.200l-2.200 2.200h-3.200l-2.200-2.200v-3.200z",
  error: "M0-4 4.200 3.500h-8.400z",
  restart: "M0-4a4 4 0 1 0 0 8 4 4 0 1 0 0-8zm0 2a2 2 0 1 1 0 4 2 2 0 1 1 0-4z",
  compaction: "M-4-3.500h8v2h-8zM-2.500-.9h5v2h-5zM-1.200 1.700h2.400v2h-2.400z",
  abort:
    "M-3.500-2.300l1.200-1.200L0-1.200l2.300-2.300 1.200 1.200L1.200 0l2.300 2.300-1.200 1.200L0 1.200l-2.300 2.300-1.200-1.200L-1.200 0z",
  fork: "M-3.500-4h2L0-.8 1.500-4h2L1 .8V4h-2V.8z",
  end: "M-3-3h6v6h-6z",
  checkpoint: "M0-4 4 0 0 4-4 0z",
};

/** The shape of a mark. */
export function MarkGlyph({
  kind,
  x = 0,
  y = 0,
}: {
  readonly kind: MarkKind;
  readonly x?: number;
  readonly y?: number;
}): preact.JSX.Element {
  return <path class={`mark ${kind}`} d={SHAPES[kind]} transform={`translate(${x} ${y})`} />;
}
