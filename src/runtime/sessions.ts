/** `runtime.sessions`: starts, resumes and lists sessions, each under a supervisor of its own. */
import path from "node:path";
import { codeForLog } from "../errors.ts";
import type { SessionLineage } from "../events/index.ts";
import { assertSessionId, isSessionId, sessionStreamName } from "../harness/index.ts";
import type { PendingApproval } from "../projections/index.ts";
import {
  findSession,
  listSessions,
  pendingApprovals,
  requireSession,
  requireWhole,
  SessionNotFoundError,
  viewsAt,
  type SessionSummary,
} from "../replay/index.ts";
import type { Child, Supervisor } from "../supervision/index.ts";
import { SessionExistsError, SessionFailedError } from "./errors.ts";
import { recordFork, type ForkedFiles, type ForkOptions, type RecordedFork } from "./forking.ts";
import { handedIn, type HandedOptions } from "./handed-options.ts";
import { lineageOf } from "./lineage.ts";
import { configureSession } from "./session-configuring.ts";
import type { SessionStream } from "./session-stream.ts";
import type { OpenedSession, SessionOptions } from "./session-factory.ts";
import { Session } from "./session.ts";
import type { StartOptions } from "./start-options.ts";
import type { Beginning, SessionsDeps } from "./sessions-deps.ts";
import { causeOf, startSessionSupervisor } from "./session-supervisor.ts";
import { stateOf, type SessionState } from "./session-types.ts";

interface OpenOptions extends SessionOptions {
  readonly origin: SessionLineage["origin"];
}

/** The sessions of a runtime. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #live = new Map<string, Promise<Session>>();
  readonly #streams = new Map<string, SessionStream>();
  readonly #handed = new Map<string, HandedOptions>();
  /** What is still to be done for sessions that have ended. */
  readonly #ending = new Set<Promise<void>>();

  /** @internal */
  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a session; it is ready for its first prompt when the promise resolves.
   *
   * @throws SessionExistsError, InvalidSessionIdError, NoModelError, InvalidConfigError, SessionBusyError
   */
  async start(options: StartOptions = {}): Promise<Session> {
    const sessionId = options.sessionId ?? this.#deps.factory.world.ids("ses");
    assertSessionId(sessionId);
    if (this.#live.has(sessionId)) throw new SessionExistsError(sessionId);
    const cwd = path.resolve(this.#deps.cwd, options.cwd ?? ".");
    return this.#keep(sessionId, this.#start(sessionId, cwd, options));
  }

  /**
   * Opens a session that exists. A run that was cut off goes on by itself; calls that had started are told to the
   * model as interrupted.
   *
   * @param options - what is said here replaces what was recorded
   * @throws SessionNotFoundError; SessionBusyError when another process leads it
   */
  async resume(id: string, options: SessionOptions = {}): Promise<Session> {
    const live = this.#live.get(id);
    if (live !== undefined) {
      const session = await live;
      if (options.onEvent !== undefined) session.subscribe(options.onEvent);
      await configureSession(session, this.#deps.factory, options);
      await session.goOn();
      return session;
    }
    if (!isSessionId(id)) throw new SessionNotFoundError(id);
    return this.#keep(id, this.#resume(id, options));
  }

  /**
   * Starts a session that goes on from what another was at a version, which is only read: it may be open anywhere. A
   * run that is open there waits in the fork until that is resumed or prompted. docs/reference/forks.md
   *
   * @param options.at - the last version of the other session that belongs to its history
   * @param options.cwd - an absent or empty folder for it, into which the files are brought as they were. Default: it
   * works in the folder of the other session, and no file is touched
   * @throws SessionNotFoundError, InvalidVersionError, FolderNotEmptyError, ReplayDivergedError
   */
  async fork(id: string, options: ForkOptions): Promise<Session & ForkedFiles> {
    const { sessionId, told } = await recordFork(this.#deps, id, options);
    return Object.assign(await this.#keep(sessionId, this.#resume(sessionId, { isHeld: true })), told);
  }

  /** Makes a fork and leaves it to whoever opens it. @internal */
  recordFork(id: string, options: ForkOptions): Promise<RecordedFork> {
    return recordFork(this.#deps, id, options);
  }

  /** Whether there is such a session in the log. @internal */
  async isKnown(id: string): Promise<boolean> {
    return (await findSession(this.#deps.factory.world.log, id)) !== null;
  }

  /**
   * Ends what was left open in a session whose process is gone: the commands of its calls, the calls, and its run.
   *
   * @throws SessionBusyError when another process leads it; SessionNotFoundError
   * @internal
   */
  async tidy(id: string, reason: string, handed: HandedOptions = {}): Promise<void> {
    await (await this.resume(id, { ...handed, abortWith: reason })).shutdown(reason);
  }

  /** Where sessions work unless they say otherwise. */
  get cwd(): string {
    return this.#deps.cwd;
  }

  /** The session, if it is open in this runtime. */
  async get(id: string): Promise<Session | null> {
    return (await this.#live.get(id)) ?? null;
  }

  /** All sessions of the log, the one with the newest fact first. */
  list(): Promise<SessionSummary[]> {
    return listSessions(this.#deps.factory.world.log);
  }

  /** The session that is led here under a key; `null` for none. @internal */
  idOfLiveKey(sessionKey: string): string | null {
    for (const [id, { views }] of this.#streams)
      if (views.session.lineage.sessionKey === sessionKey) return id;
    return null;
  }

  /** The stream of a session that is led here, also before its start is done; `null` for any other. @internal */
  streamOf(id: string): SessionStream | null {
    return this.#streams.get(id) ?? null;
  }

  /** What a session was given that is not recorded: its subagents get it too. @internal */
  handedOf(id: string): HandedOptions {
    return this.#handed.get(id) ?? {};
  }

  /**
   * A session as it is, or was after one of its facts; it need not be open here.
   *
   * @throws SessionNotFoundError, InvalidVersionError
   */
  async state(id: string, at?: number): Promise<SessionState> {
    const live = at === undefined ? await this.get(id) : null;
    if (live !== null) return live.state();
    const { log } = this.#deps.factory.world;
    await requireSession(log, id);
    const { session, version } = await viewsAt(log, sessionStreamName(id), at);
    return stateOf(id, version, session);
  }

  /** Calls that wait for an answer, of all sessions or of one. @throws SessionNotFoundError */
  approvals(id?: string): Promise<PendingApproval[]> {
    return pendingApprovals(this.#deps.factory.world.log, id);
  }

  /** Shuts all open sessions down. @internal */
  async shutdown(reason: string): Promise<void> {
    const opened = await Promise.allSettled(this.#live.values());
    const sessions = opened.flatMap((session) => (session.status === "fulfilled" ? [session.value] : []));
    for (const end of await Promise.allSettled(sessions.map((session) => session.shutdown(reason)))) {
      // A session that cannot record its end is whole in the log all the same, and can be resumed.
      if (end.status === "rejected") this.#warn(end.reason, "a session was closed without recording its end");
    }
    await Promise.all(this.#ending);
  }

  #keep(id: string, opening: Promise<Session>): Promise<Session> {
    this.#live.set(id, opening);
    opening.catch(() => this.#live.delete(id));
    return opening;
  }

  async #start(sessionId: string, cwd: string, options: StartOptions): Promise<Session> {
    const { factory } = this.#deps;
    const settings = options.settings ?? (await factory.newSettings(cwd, options));
    const systemPrompt = options.systemPrompt ?? (await factory.systemPrompt(cwd));
    const lineage = lineageOf(sessionId, options);
    return this.#open(sessionId, cwd, { ...options, origin: lineage.origin }, ({ session, stream }) => {
      if (stream.views.session.status !== "new") throw new SessionExistsError(sessionId);
      const record = async (): Promise<void> => {
        await session.submit("session.started", { sessionId, cwd, systemPrompt, lineage, ...settings });
      };
      return Promise.resolve({ settings, record });
    });
  }

  async #resume(id: string, options: SessionOptions): Promise<Session> {
    const { factory } = this.#deps;
    const found = await requireWhole(factory.world.log, id);
    return this.#open(id, found.cwd, { ...options, origin: found.origin }, async ({ session }) => ({
      settings: await factory.changedSettings(session.settings(), options),
      record: async () => {
        await configureSession(session, factory, options);
        if (options.abortWith !== undefined) await session.abort(options.abortWith);
      },
    }));
  }

  /**
   * Starts a session's stream under a supervisor of its own. What was open in it goes on when its extensions are
   * reported and have seen its start.
   *
   * @param begin - once the stream is there: the settings of the session, and what records them
   */
  async #open(
    id: string,
    cwd: string,
    options: OpenOptions,
    begin: (opened: OpenedSession & { readonly session: Session }) => Promise<Beginning>,
  ): Promise<Session> {
    const { factory, population } = this.#deps;
    // Who has others work for it waits for their turn in another lane.
    const lane = options.origin === "session" ? this.#deps.lane : null;
    const { log, ids, logger } = factory.world;
    const opened = await factory.open(id, cwd, options);
    const { stream, hooks, receipts, extensions } = opened;
    const supervisor = population();
    let child: Child | undefined;
    const close = async (): Promise<void> => {
      if (child !== undefined) await supervisor.terminateChild(child);
      await this.#deps.leave(id);
    };
    const session = new Session({ id, stream, hooks, receipts, extensions, lane, log, ids, logger, close });
    stream.isHeld = options.isHeld ?? false;
    if (options.onEvent !== undefined) session.subscribe(options.onEvent);
    const sessionScope = options.origin === "subagent" ? "subagent" : "main";
    const started = hooks.start({ sessionId: id, cwd, sessionScope });
    try {
      const start = (): Promise<Supervisor> => startSessionSupervisor(id, stream);
      ({ child } = await supervisor.startChild({ id, type: "supervisor", restart: "temporary", start }));
      if (child !== undefined) {
        this.#streams.set(id, stream);
        this.#handed.set(id, handedIn(options));
        this.#follow(child, () => this.#ended(id, session, opened));
      }
      await this.#deps.recover(id);
      const { settings, record } = await begin({ ...opened, session });
      await extensions.load(cwd, settings);
      await record();
      session.goesOn();
      await extensions.publish();
      started.go();
      await started.done;
      if (options.origin === "subagent") options.onSubagent?.(session);
      return session;
    } catch (error) {
      started.cancel();
      if (child === undefined) await extensions.release();
      else await close();
      throw causeOf(error);
    }
  }

  #follow(child: Child, ended: () => Promise<void>): void {
    void child.exited.then(() => {
      const ending = ended()
        .catch((error: unknown) => this.#warn(error, "what a session had could not be given back"))
        .finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    });
  }

  /** The session's supervisor has ended: by shutdown, since another process leads it now, or by giving up. */
  async #ended(id: string, session: Session, { stream, hooks, extensions }: OpenedSession): Promise<void> {
    this.#live.delete(id);
    this.#handed.delete(id);
    if (this.#streams.get(id) === stream) this.#streams.delete(id);
    const { closed } = stream;
    try {
      if (closed === null) {
        await stream.giveUp();
        await hooks.shutdown("error");
      }
    } catch (error) {
      this.#warn(error, "the end of a run could not be recorded");
    } finally {
      await stream.close();
      session.fail(closed ?? new SessionFailedError(id));
      await this.#deps.leave(id);
      await extensions.release();
    }
  }

  #warn(error: unknown, what: string): void {
    const { logger } = this.#deps.factory.world;
    logger.warn({ code: codeForLog(error) }, what);
  }
}
