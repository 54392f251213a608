/** `lemon tree` */
import { NotFoundError } from "../../errors.ts";
import type { Fact } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import {
  childrenOf,
  project,
  supervisionTree,
  type SupervisionNode,
  type SupervisionView,
} from "../../projections/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { TreeFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { timeOf } from "../printable.ts";
import { followStream, readingLog } from "../reading.ts";

const PREFIX = "supervision-";
const ROOT = "runtime";

/** Shows the supervision tree of the newest runtime, now or after a position; with `--follow` after each change. */
export async function tree(context: Context, { at, follow = false }: TreeFlags): Promise<Status> {
  await readingLog(context, async (log) => {
    const stream = await newestRuntime(log, at);
    if (stream === null) {
      const when = at === undefined ? "" : ` at position ${at} or before`;
      throw new NotFoundError(`no runtime has written to ${context.log}${when}`);
    }
    let view = supervisionTree.initial;
    let last: Fact | null = null;
    for await (const fact of log.read(stream)) {
      if (at !== undefined && fact.position > at) break;
      view = project(supervisionTree, view, fact);
      last = fact;
    }
    print(context, stream, last, view);
    if (!follow) return;
    await followStream(log, stream, last, (fact) => {
      view = project(supervisionTree, view, fact);
      print(context, stream, fact, view);
    });
  });
  return statuses.done;
}

/** Streams come in the order of their first facts, so the newest is the last that had begun by then. */
async function newestRuntime(log: EventLog, at: number | undefined): Promise<string | null> {
  for (const { stream } of (await log.streams(PREFIX)).toReversed()) {
    if (at === undefined) return stream;
    for await (const { position } of log.read(stream, { to: 1 })) if (position <= at) return stream;
  }
  return null;
}

function print({ out }: Context, stream: string, last: Fact | null, view: SupervisionView): void {
  const runtimeId = stream.slice(PREFIX.length);
  const position = last?.position ?? null;
  const children = childrenOf(view, ROOT);
  const gaveUpOn = view.gaveUp[ROOT] ?? null;
  if (out.json) return out.document({ runtimeId, position, path: ROOT, gaveUpOn, children });
  out.line(`${out.paint("bold", ROOT)}  ${runtimeId}, position ${position ?? 0}${gaveUp(gaveUpOn)}`);
  for (const line of linesOf(children, "")) out.line(line);
}

function linesOf(nodes: readonly SupervisionNode[], indent: string): string[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1;
    const line = `${indent}${isLast ? "└─" : "├─"} ${describe(node)}`;
    return [line, ...linesOf(node.children, `${indent}${isLast ? "   " : "│  "}`)];
  });
}

function describe(node: SupervisionNode): string {
  const { id, type, state, restarts, startedAt, reason, gaveUpOn } = node;
  const how =
    reason === null ? `${state} since ${timeOf(startedAt)}` : `${state.replace("_", " ")} (${reason.kind})`;
  const again = restarts === 0 ? "" : `, restarted ${restarts} times`;
  return `${id}  ${type}, ${how}${again}${gaveUp(gaveUpOn)}`;
}

function gaveUp(on: string | null): string {
  return on === null ? "" : `, gave up on ${on}`;
}
