/** `lemon inspect` */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../errors.ts";
import {
  Inspector,
  parsePrices,
  type ForkAnswer,
  type ForkRequest,
  type Prices,
} from "../../inspector/index.ts";
import type { EventLog } from "../../log/index.ts";
import { requireSession } from "../../replay/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { openInBrowser } from "../browser.ts";
import { UsageError, type Status } from "../errors.ts";
import type { InspectFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { loggerOf } from "../logger.ts";
import { readingLog } from "../reading.ts";
import { commandPid } from "../results.ts";

/** Serves the page until the command is interrupted. */
export async function inspect(
  context: Context,
  id: string | undefined,
  { port = 0, open = false, prices }: InspectFlags,
): Promise<Status> {
  const known = prices === undefined ? {} : await pricesIn(prices);
  const stop = context.interrupts.soften();
  await readingLog(context, async (log) => {
    if (id !== undefined) await requireSession(log, id);
    const inspector = await Inspector.listen(partsOf(context, log, id, known), port);
    try {
      say(context, inspector);
      if (open) await openInBrowser(inspector.url, context.out);
      await aborted(stop);
    } finally {
      await inspector.close();
    }
  });
  return context.interrupts.status;
}

function partsOf(context: Context, log: EventLog, id: string | undefined, prices: Prices) {
  return {
    log,
    clock: systemClock,
    logger: loggerOf(context.out),
    prices,
    fork: (request: ForkRequest) => fork(context, request),
    ...(id === undefined ? {} : { selected: id }),
  };
}

function say({ out }: Context, { url, port }: Inspector): void {
  if (out.json) out.document({ url, port, pid: commandPid() });
  else out.line(url);
  out.note("Ctrl-C ends it");
}

/** The log is open for reading alone: a runtime is opened for the fork, and closed after it. */
async function fork(context: Context, { sessionId: id, at, into }: ForkRequest): Promise<ForkAnswer> {
  const options = { at, ...(into === undefined ? {} : { cwd: path.resolve(context.cwd, into) }) };
  const { withRuntime } = await import("../leading.ts");
  const { sessionId, cwd } = await withRuntime(context, ({ sessions }) => sessions.recordFork(id, options));
  return { sessionId, forkedFrom: { sessionId: id, at }, cwd };
}

async function pricesIn(file: string): Promise<Prices> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`--prices: ${messageOf(error)}`, {
      field: "prices",
      expected: "a file that can be read",
    });
  }
  return parsePrices(text);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
