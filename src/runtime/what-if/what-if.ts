/**
 * `runtime.replay.whatIf`: stored sessions judged again with other extensions or approval rules. No tool runs, no model is
 * asked and nothing is recorded. docs/reference/what-if.md
 */
import type { ApprovalMode } from "../../events/index.ts";
import { historyOf, type EventLog } from "../../log/index.ts";
import { silentLogger, type Clock, type Logger } from "../../ports.ts";
import { rejudge, requireWhole, type ChangedVerdict } from "../../replay/index.ts";
import type { KnownSecret } from "../../secrets/index.ts";
import { startDynamicSupervisor, systemClock, type Supervisor } from "../../supervision/index.ts";
import type { SpokenToolPolicy } from "../../tools/index.ts";
import { InvalidOptionsError } from "../errors.ts";
import { ExtensionWorkshop } from "../extension-workshop.ts";
import { knownSecrets } from "../known-secrets.ts";
import type { Configured } from "../load-builder.ts";
import { ChangingMasker, maskedLogger } from "../masking.ts";
import { Cast } from "./cast.ts";
import { SessionJudge, type ChangedContext, type Rules } from "./judge.ts";
import { RecordedAnswers, recordedReloads } from "./recorded.ts";
import type { Zombie } from "../../extensions/index.ts";

/** Under which rules stored sessions are judged. What is left out stays as it was recorded. */
export interface WhatIfOptions {
  /**
   * In place of all that the sessions had: paths of files and folders, relative to the working directory, and objects. An
   * empty list: no extension at all. Left out: hooks said what they said then.
   */
  readonly extensions?: readonly (string | object)[];
  /** Recorded extensions whose module is not among `extensions` go on saying what they said. Default `false`. */
  readonly keepRecorded?: boolean;
  /** In place of each session's approval mode. */
  readonly approval?: ApprovalMode;
  /** Laid over each session's tool policy. */
  readonly toolPolicy?: Partial<SpokenToolPolicy>;
  /** Called after each session. */
  readonly onSession?: (done: {
    readonly sessionId: string;
    readonly done: number;
    readonly of: number;
  }) => void;
  /** Ends the work before the next session; rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface WhatIfReport {
  /** How many were judged. */
  readonly sessions: number;
  /** Calls that were judged then, or would be now. */
  readonly calls: number;
  /** In the order of the sessions, then of the ends of the calls. */
  readonly changes: readonly ChangedVerdict[];
  /** What hooks give at a start of a session, where that is something else now. */
  readonly contexts: readonly (ChangedContext & { readonly sessionId: string })[];
}

/** What it needs of the world. */
export interface WhatIfParts {
  readonly log: EventLog;
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configure: (cwd: string) => Promise<Configured>;
  readonly secretsOfHome: readonly KnownSecret[];
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly onExtensionOutput?: ((module: string, line: string) => void) | undefined;
  /** Told of workers that could not be ended. */
  readonly leftBehind?: (zombies: readonly Zombie[]) => void;
}

/**
 * Judges stored sessions again.
 *
 * @param ids - sessions; one that is named twice is judged once
 * @throws SessionNotFoundError, DataRedactedError, InvalidExtensionsError, InvalidConfigError: then there is no report at all
 */
export async function whatIf(
  ids: string | readonly string[],
  options: WhatIfOptions,
  parts: WhatIfParts,
): Promise<WhatIfReport> {
  const { log, clock = systemClock } = parts;
  const sessions = [...new Set(typeof ids === "string" ? [ids] : ids)];
  for (const id of sessions) await requireWhole(log, id);
  const hiding = new Hiding([
    ...knownSecrets((await parts.configure(parts.cwd)).config, parts.env),
    ...parts.secretsOfHome,
  ]);
  const logger = maskedLogger(parts.logger ?? silentLogger, hiding.mask);
  const company =
    options.extensions === undefined ? null : await openCompany(options.extensions, parts, hiding);
  const rules: Rules = {
    approval: options.approval ?? null,
    toolPolicy: options.toolPolicy ?? null,
    cast: company?.cast ?? null,
    keeps: options.keepRecorded ?? false,
  };
  try {
    // Whether they can be used is known before the first session is judged.
    await company?.cast.start(parts.cwd);
    const reloads = company === null ? [] : await recordedReloads(log);
    const report = {
      sessions: 0,
      calls: 0,
      changes: [] as ChangedVerdict[],
      contexts: [] as WhatIfReport["contexts"][number][],
    };
    for (const sessionId of sessions) {
      options.signal?.throwIfAborted();
      const stream = `session-${sessionId}`;
      const recorded = await RecordedAnswers.read(log, stream);
      const judge = new SessionJudge({ rules, recorded, reloads, mask: hiding.mask, clock, logger });
      const { calls, changes } = await rejudge(sessionId, historyOf(log, stream), judge);
      await judge.settled();
      report.sessions += 1;
      report.calls += calls;
      report.changes.push(...changes);
      report.contexts.push(...judge.contexts.map((context) => ({ sessionId, ...context })));
      options.onSession?.({ sessionId, done: report.sessions, of: sessions.length });
    }
    return report;
  } finally {
    await company?.close();
  }
}

/** What is secret, as it becomes known. */
class Hiding {
  readonly mask: ChangingMasker;
  readonly #known: KnownSecret[];

  constructor(secrets: readonly KnownSecret[]) {
    this.#known = [...secrets];
    this.mask = new ChangingMasker(this.#known);
  }

  hideToo(secrets: readonly KnownSecret[]): void {
    const isNew = ({ name, value }: KnownSecret): boolean =>
      !this.#known.some((known) => known.name === name && known.value === value);
    const fresh = secrets.filter(isNew);
    if (fresh.length === 0) return;
    this.#known.push(...fresh);
    this.mask.hide(this.#known);
  }
}

/** The extensions, and the workers in which they live: under a supervisor of their own, which tells nobody. */
async function openCompany(
  extensions: readonly (string | object)[],
  parts: WhatIfParts,
  hiding: Hiding,
): Promise<{ readonly cast: Cast; readonly close: () => Promise<void> }> {
  const { home, cwd, env, clock = systemClock, logger = silentLogger, onExtensionOutput } = parts;
  if (!extensions.every(isExtension))
    throw new InvalidOptionsError("extensions", "paths and extension objects", extensions);
  const { config } = await parts.configure(cwd);
  const hidden = maskedLogger(logger, hiding.mask);
  const workers: Supervisor = await startDynamicSupervisor({});
  const tell = onExtensionOutput ?? ((module: string, line: string) => hidden.info({ module }, line));
  const workshop = new ExtensionWorkshop({
    home,
    clock,
    logger: hidden,
    env,
    memoryLimitMb: config.extensions.memoryLimitMb,
    supervisor: () => workers,
    events: {
      restarted: (module, _generation, cause) =>
        hidden.warn({ module, cause }, "an extension was started again"),
      quarantined: (module, _generation, reason) =>
        hidden.warn({ module, reason }, "an extension was quarantined"),
      output: (module, line) => tell(module, hiding.mask.json(line)),
    },
  });
  const cast = new Cast({
    workshop,
    home,
    cwd,
    extensions,
    logger: hidden,
    // Another folder may have secrets of its own.
    configure: async (folder) => {
      const configured = await parts.configure(folder);
      hiding.hideToo(knownSecrets(configured.config, env));
      return configured;
    },
    hideToo: (secrets) => hiding.hideToo(secrets),
  });
  const close = async (): Promise<void> => {
    await cast.end();
    const zombies = await workshop.close();
    await workers.shutdown();
    if (zombies.length > 0) parts.leftBehind?.(zombies);
  };
  return { cast, close };
}

function isExtension(each: unknown): boolean {
  return typeof each === "string" || (typeof each === "object" && each !== null);
}
