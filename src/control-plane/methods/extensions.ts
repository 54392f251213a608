/** `extensions.*` */
import { z } from "zod";
import { NotFoundError } from "../../errors.ts";
import type { Runtime } from "../../runtime/index.ts";
import { defineMethod, type Method } from "../method.ts";
import { hashedReport } from "../hashed-report.ts";
import { jsonObject, sessionId } from "./shapes.ts";

const report = jsonObject.describe("a status report in which paths and messages are hashes");

const status = defineMethod({
  name: "extensions.status",
  scope: "read",
  summary: "Tells how the extensions are doing, of an open session or of the server. Loads nothing.",
  params: z.object({ sessionId: sessionId.exactOptional() }),
  result: report,
  run: async ({ sessionId: id }, { runtime }) => hashedReport(await reportOf(runtime, id)),
});

const reload = defineMethod({
  name: "extensions.reload",
  scope: "admin",
  summary: "Loads the extensions of an open session again, from their files as they are now.",
  params: z.object({ sessionId }),
  result: report,
  run: async ({ sessionId: id }, { runtime }) => {
    const session = await runtime.sessions.get(id);
    if (session === null) throw notOpen();
    return hashedReport(await session.reloadExtensions());
  },
});

/** All of them. */
export const extensionMethods: readonly Method[] = [status, reload];

async function reportOf(runtime: Runtime, id: string | undefined): Promise<object> {
  if (id !== undefined) {
    const session = await runtime.sessions.get(id);
    if (session !== null) return session.extensionStatusReport();
    return lastReport(runtime, id);
  }
  return runtime.extensions.status();
}

/** What a session that is not open told last. */
async function lastReport(runtime: Runtime, id: string): Promise<object> {
  await runtime.sessions.state(id);
  const types = ["extension_status_report.published"];
  for await (const { data } of runtime.log.read(`session-${id}`, { types, backwards: true }))
    return (data as { readonly report: object }).report;
  // A fork that was never opened has that of its parent.
  const { extensions } = await runtime.replay.stateAt(id);
  if (extensions !== null) return extensions;
  throw notOpen();
}

function notOpen(): NotFoundError {
  return new NotFoundError("the session is not open in this server", { field: "sessionId" });
}
