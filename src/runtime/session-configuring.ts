/** Laying what is said of a session over what is recorded of it. */
import { isDeepStrictEqual } from "node:util";
import type { SessionFactory, SessionOptions } from "./session-factory.ts";
import type { Session } from "./session.ts";

/** Records what was said if it differs from what is recorded. */
export async function configureSession(
  session: Session,
  factory: SessionFactory,
  options: SessionOptions,
): Promise<void> {
  const current = session.settings();
  const wanted = await factory.changedSettings(current, options);
  if (!isDeepStrictEqual(wanted, current)) await session.submit("session.configured", wanted);
  const { approval } = options;
  if (approval !== "auto" && approval !== "deny") return;
  // Said in so many words, it answers what waits already too.
  for (const { id } of session.approvals.pending()) {
    await session.approvals.resolve(id, approval === "auto" ? "allow" : "deny", `approval is ${approval}`);
  }
}
