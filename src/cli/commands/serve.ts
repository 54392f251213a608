/** `lemon serve` */
import type { Readable } from "node:stream";
import {
  ensureTokenFile,
  parseScopes,
  serveHttp,
  serveStdio,
  Tokens,
  type ControlPlaneParts,
  type Scope,
} from "../../control-plane/index.ts";
import { systemClock, systemIds } from "../../runtime/index.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import type { ServeFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { openRuntime } from "../leading.ts";
import { loggerOf } from "../logger.ts";
import { commandPid, isPrivate, results, runPrivately } from "../results.ts";

/** Serves the control plane until its input ends, or it is interrupted. */
export async function serve(context: Context, flags: ServeFlags): Promise<Status> {
  const limit = scopesOf(flags.scopes);
  if (flags.port !== undefined && flags.http !== true) {
    throw new UsageError("--port goes with --http", { field: "port", expected: "--http as well" });
  }
  // Extensions of sessions run beside the protocol from the first call on.
  const isProtocol = flags.http !== true || context.out.json;
  if (isProtocol && !isPrivate()) return runPrivately();
  return flags.http === true ? overHttp(context, flags, limit) : overStdio(context, limit);
}

function scopesOf(list: string | undefined): ReadonlySet<Scope> | null {
  if (list === undefined) return null;
  const scopes = parseScopes(list);
  if (scopes !== null) return scopes;
  const expected = "a list of read, write, approvals and admin";
  throw new UsageError(`--scopes: expected ${expected}, with commas between them`, {
    field: "scopes",
    expected,
  });
}

async function overStdio(context: Context, limit: ReadonlySet<Scope> | null): Promise<Status> {
  const { interrupts } = context;
  const stop = interrupts.soften();
  const parts = await partsOf(context);
  const input: Readable = process.stdin;
  const scopes = limit ?? new Set<Scope>(["admin"]);
  await serveStdio(parts, { input, output: results(), scopes, stop });
  return interrupts.happened ? interrupts.status : statuses.done;
}

async function overHttp(
  context: Context,
  { port = 0 }: ServeFlags,
  limit: ReadonlySet<Scope> | null,
): Promise<Status> {
  const { out, interrupts, home, env } = context;
  // Before the runtime, which then knows it as a secret.
  const { file, token } = await ensureTokenFile(home);
  const tokens = new Tokens(limit);
  tokens.add(token, ["admin"]);
  const stop = interrupts.soften();
  const parts = await partsOf(context);
  for (const warning of tokens.addConfigured(parts.runtime.config.controlPlane.tokens, env))
    out.warn(warning);
  try {
    await serveHttp(parts, {
      tokens,
      port,
      stop,
      listening: (url, at) => {
        out.fault(`listening on ${url}\ntoken in ${file}`);
        if (out.json) out.document({ url, port: at, tokenFile: file, pid: commandPid() });
      },
    });
  } finally {
    await parts.closeRuntime();
  }
  return interrupts.status;
}

async function partsOf(context: Context): Promise<ControlPlaneParts> {
  const runtime = await openRuntime(context);
  const closeRuntime = async (): Promise<void> => context.leftBehind(await runtime.close());
  return { runtime, logger: loggerOf(context.out), clock: systemClock, ids: systemIds, closeRuntime };
}
