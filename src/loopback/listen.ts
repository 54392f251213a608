/** A server that this machine alone can reach. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { LemonError } from "../errors.ts";

/** The only address that is listened on. */
export const LOOPBACK_HOST = "127.0.0.1";

/** The port can't be had. Code `LEMON_PORT_UNAVAILABLE`. */
class PortUnavailableError extends LemonError {
  constructor(port: number, cause: NodeJS.ErrnoException) {
    super(
      "port_unavailable",
      `port ${port} of ${LOOPBACK_HOST} can't be used: ${cause.code ?? cause.message}`,
      {
        field: "port",
        cause,
      },
    );
  }
}

/** For a head that never ends. */
const HEAD_MS = 10_000;

/**
 * A server that does not listen yet.
 *
 * @param fetch - answers a request
 * @param requestMs - milliseconds for a request to come in whole
 */
export function loopbackServer(
  fetch: Parameters<typeof createAdaptorServer>[0]["fetch"],
  requestMs: number,
): Server {
  return createAdaptorServer({
    fetch,
    serverOptions: { requestTimeout: requestMs, headersTimeout: HEAD_MS },
    overrideGlobalObjects: false,
    // Without options for HTTP/2 or TLS it is a plain server.
  }) as Server;
}

/**
 * Listens.
 *
 * @param port - 0: one that is free
 * @returns the port
 * @throws PortUnavailableError
 */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new PortUnavailableError(port, error)));
    server.listen(port, LOOPBACK_HOST, resolve);
  });
  return (server.address() as AddressInfo).port;
}
