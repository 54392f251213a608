/** Runs the control plane over a runtime until it is told to stop. docs/reference/control-plane.md */
import type { Readable, Writable } from "node:stream";
import type { Clock, Ids, Logger } from "../ports.ts";
import type { Runtime } from "../runtime/index.ts";
import { Dispatcher } from "./dispatcher.ts";
import { HttpServer } from "./http/server.ts";
import type { Tokens } from "./http/tokens.ts";
import { methodTable } from "./methods/index.ts";
import type { Scope } from "./scopes.ts";
import { StdioServer } from "./stdio/server.ts";

/** What a control plane works with. */
export interface ControlPlaneParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Closes the runtime: its sessions end, and so do the calls that wait for them. */
  readonly closeRuntime: () => Promise<void>;
}

/** How long calls may take that run when the server is told to stop. Then their runs are aborted. */
const GRACE_MS = 1_000;
/** How long calls may take once nobody sends more, before their runs are aborted. */
const LAST_CALLS_MS = 30_000;
/** How long the runtime and the last answers may take. */
const CLOSING_MS = 10_000;

/**
 * Serves one connection over two streams, until the input has ended and all calls are answered, the output breaks, or
 * `stop` is aborted.
 */
export async function serveStdio(
  parts: ControlPlaneParts,
  options: {
    readonly input: Readable;
    readonly output: Writable;
    readonly scopes: ReadonlySet<Scope>;
    readonly stop: AbortSignal;
  },
): Promise<void> {
  const { clock } = parts;
  const dispatcher = dispatcherOf(parts);
  const server = new StdioServer({ ...parts, ...options, log: parts.runtime.log, dispatcher });
  const end = await Promise.race([server.ended, aborted(options.stop)]);
  if (end === "input_ended")
    await within(Promise.race([server.answered(), aborted(options.stop)]), LAST_CALLS_MS, clock);
  await finish(parts, dispatcher, { close: () => server.close(), answered: () => server.answered() });
}

/** Serves over HTTP until `stop` is aborted. @throws PortUnavailableError */
export async function serveHttp(
  parts: ControlPlaneParts,
  options: {
    readonly tokens: Tokens;
    readonly port: number;
    readonly stop: AbortSignal;
    /** Told once it listens. */
    readonly listening: (url: string, port: number) => void;
  },
): Promise<void> {
  const dispatcher = dispatcherOf(parts);
  const { tokens, port, stop } = options;
  const server = await HttpServer.listen({ ...parts, log: parts.runtime.log, dispatcher, tokens }, port);
  options.listening(server.url, server.port);
  await aborted(stop);
  await finish(parts, dispatcher, {
    close: () => Promise.resolve(server.close()),
    answered: () => server.answered(),
  });
  server.destroy();
}

function dispatcherOf({ runtime, logger, ids }: ControlPlaneParts): Dispatcher {
  return new Dispatcher({ methods: methodTable, runtime, logger, ids });
}

interface Transport {
  readonly close: () => Promise<void>;
  readonly answered: () => Promise<void>;
}

/** New calls are refused, subscriptions end, calls that run get a moment, and then the runtime ends them. */
async function finish(parts: ControlPlaneParts, dispatcher: Dispatcher, transport: Transport): Promise<void> {
  const { clock, closeRuntime } = parts;
  dispatcher.close();
  await within(transport.close(), GRACE_MS, clock);
  await within(transport.answered(), GRACE_MS, clock);
  await within(closeRuntime(), CLOSING_MS, clock);
  await within(transport.answered(), GRACE_MS, clock);
}

/** Waits for something, but not for ever. */
async function within(work: Promise<unknown>, limitMs: number, clock: Clock): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => (cancel = clock.setTimer(limitMs, resolve)));
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

function aborted(signal: AbortSignal): Promise<"stopped"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("stopped");
    else signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
}
