/** Puts the parts for background runs together. */
import type { Leadership } from "../../actors/index.ts";
import type { EventLog, LogInfo } from "../../log/index.ts";
import { parseLeaseOwner } from "../../log/index.ts";
import type { Clock, Ids, Logger } from "../../ports.ts";
import type { Masker } from "../../secrets/index.ts";
import type { FactType } from "../../events/index.ts";
import { recordOfRun } from "../../harness/index.ts";
import { backgroundRunView, project } from "../../projections/index.ts";
import type { RuntimeIntrospection } from "../introspection.ts";
import type { House } from "../house.ts";
import type { SessionFactory } from "../session-factory.ts";
import type { Sessions } from "../sessions.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { BackgroundRole } from "./role.ts";
import { RunLog } from "./run-log.ts";
import { BackgroundRuns } from "./service.ts";
import { WorkerProcess } from "./worker-process.ts";

/** What background runs need of their runtime. */
export interface BackgroundParts {
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly house: House;
  readonly sessions: Sessions;
  readonly factory: SessionFactory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly mask: Masker;
  readonly introspection: RuntimeIntrospection;
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly role: BackgroundRole;
  readonly slots: number;
  readonly onRestart: "resume" | "lost";
  /** Extensions that are objects of the program can't be had in another process. */
  readonly hasObjects: boolean;
  readonly sessionsOf: (id: string) => Promise<readonly string[]>;
}

/** The runs of a log, and what works on them here. The dispatcher has looked at none yet. */
export async function backgroundRuns(
  parts: BackgroundParts,
): Promise<{ readonly background: BackgroundRuns; readonly dispatcher: Dispatcher }> {
  const { log, leadership, house, sessions, factory, clock, ids, logger, mask, home, cwd, env, role } = parts;
  const info = await log.info();
  const isShared = isOnDisk(info);
  const runs = new RunLog({
    log,
    clock,
    mask,
    onStep: (id, before, fact) => {
      const record = recordOfRun(id, fact.type as FactType, project(backgroundRunView, before, fact));
      if (record !== null) void parts.introspection.record(record);
    },
  });
  const worker = isShared ? new WorkerProcess({ log, home, location: info.location, env, logger }) : null;
  const self = parseLeaseOwner(leadership.lease.owner);
  const dispatcher = new Dispatcher({
    log,
    leadership,
    role,
    slots: parts.slots,
    population: () => house.background,
    worker,
    tidy: (sessionId, reason) => sessions.tidy(sessionId, reason),
    owner: { pid: process.pid, host: self?.host ?? "localhost" },
    runs,
    sessions,
    promptOf: async (sha256) => Buffer.from(await log.getBlob(sha256)).toString("utf8"),
    clock,
    logger,
    onEnd: (id, { status, queued }) => {
      const parent = queued?.parentSessionId ?? null;
      if (parent === null) return;
      void sessions
        .get(parent)
        .then((session) => session?.tell({ type: "background_run_ended", id, status }))
        // Its parent could not be opened: then nobody listens.
        .catch(() => undefined);
    },
  });
  const background = new BackgroundRuns({
    log,
    runs,
    dispatcher,
    factory,
    sessions,
    clock,
    ids,
    mask,
    cwd,
    leaseKey: leadership.key,
    worker: role === "command" ? "detached" : "inProcess",
    canDetach: isShared && !parts.hasObjects,
    onRestart: parts.onRestart,
    sessionsOf: parts.sessionsOf,
  });
  return { background, dispatcher };
}

/** Whether another process can open the same log. */
function isOnDisk({ location }: LogInfo): boolean {
  return location !== ":memory:";
}
