/** What a side query is asked about: found when it is asked, and read when its turn has come. docs/reference/side-queries.md, "Sources" */
import {
  conversationOf,
  readSessionViews,
  SideQueryError,
  type ReadSource,
  type SessionViews,
  type SourceConversation,
} from "../actors/index.ts";
import { kindOf } from "../errors.ts";
import { idOfKey, isSessionId } from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import { findSession, listSessions, type SessionSummary } from "../replay/index.ts";
import { Session } from "./session.ts";
import type { Settings } from "./session-factory.ts";
import type { Sessions } from "./sessions.ts";

/**
 * A session that is open here, the id or key of any session of the log, or a conversation of the caller's own.
 *
 * Messages are those of `runtime.replay.stateAt`, or plain `{ role: "user" | "assistant", content: text }`.
 */
export type SideQuerySource =
  | Session
  | string
  | { readonly messages: readonly unknown[]; readonly systemPrompt?: string };

/** Where a conversation will be read. */
export type FoundSource = FoundSession | FoundConversation;

interface FoundSession {
  readonly kind: "live" | "log";
  readonly sessionId: string;
  /** As it was handed over; `null`: it was named. */
  readonly session: Session | null;
  readonly cwd: string;
}

interface FoundConversation {
  readonly kind: "transcript";
  readonly sessionId: null;
  readonly conversation: SourceConversation;
  readonly cwd: string;
}

/** A source as it was read, and what of its session says which model to ask; `null` without a session. */
export interface Reading extends ReadSource {
  readonly session: { readonly cwd: string; readonly settings: Settings } | null;
}

type Standing = Pick<Session["reading"], "version" | "closed"> & { readonly views: SessionViews };

/** Finds and reads sources. */
export class SideQuerySources {
  readonly #log: EventLog;
  readonly #sessions: Sessions;

  constructor(log: EventLog, sessions: Sessions) {
    this.#log = log;
    this.#sessions = sessions;
  }

  /** @throws SideQueryError `invalid_source`, `session_not_found`, `session_unavailable`, `history_unavailable` */
  async find(source: unknown): Promise<FoundSource> {
    if (source instanceof Session) return this.#ofSession(source);
    if (typeof source === "string") return this.#named(source);
    if (typeof source === "object" && source !== null && !Array.isArray(source)) {
      const { readGivenConversation } = await import("./given-conversation.ts");
      const conversation = readGivenConversation(source);
      return { kind: "transcript", sessionId: null, conversation, cwd: this.#sessions.cwd };
    }
    const expected = "a session, the id or key of one, or { messages, systemPrompt }";
    throw new SideQueryError("invalid_source", { field: "source", expected, got: kindOf(source) });
  }

  /** As it is now: one version of it, in the middle of a turn too. @throws as `find` */
  async read(found: FoundSource, limit: number): Promise<Reading> {
    if (found.kind === "transcript")
      return { conversation: found.conversation, version: null, session: null };
    const live = await this.#live(found);
    if (live !== null) return readingOf(live, null);
    return readingOf(await this.#history(found.sessionId), limit);
  }

  async #ofSession(session: Session): Promise<FoundSession> {
    const { id: sessionId } = session;
    const live = await this.#live({ sessionId, session });
    if (live !== null) return { kind: "live", sessionId, session, cwd: live.views.session.cwd };
    // It has been shut down since, and the log has it all.
    const found = await this.#inLog(sessionId);
    if (found === null) throw new SideQueryError("session_unavailable", { field: "source" });
    return found;
  }

  /** The id of an open session, the key of one, then either in the log. */
  async #named(source: string): Promise<FoundSession> {
    const byKey = idOfKey(source);
    const ids = [source, this.#sessions.idOfLiveKey(source), byKey];
    for (const sessionId of ids.filter(isSessionId)) {
      const live = await this.#live({ sessionId, session: null });
      if (live !== null) return { kind: "live", sessionId, session: null, cwd: live.views.session.cwd };
    }
    const found = (await this.#inLog(source)) ?? (await this.#inLog(byKey)) ?? (await this.#keyInLog(source));
    if (found === null) throw new SideQueryError("session_not_found", { field: "source" });
    return found;
  }

  /** `null`: it is not open here. */
  async #live({ sessionId, session }: Pick<FoundSession, "sessionId" | "session">): Promise<Standing | null> {
    const stream = session?.reading ?? this.#sessions.streamOf(sessionId);
    if (stream !== null && isOpen(stream)) return stream;
    try {
      const opened = (await this.#sessions.get(sessionId))?.reading ?? null;
      return opened !== null && isOpen(opened) ? opened : null;
    } catch {
      // It is being opened here and that fails, which is told to whoever opens it.
      throw new SideQueryError("session_unavailable", { field: "source" });
    }
  }

  async #inLog(sessionId: string): Promise<FoundSession | null> {
    if (!isSessionId(sessionId)) return null;
    const found = await orUnavailable(() => findSession(this.#log, sessionId));
    return found === null ? null : inLog(found);
  }

  /** A key that its caller gave: of those who share it, the session with the newest fact. */
  async #keyInLog(sessionKey: string): Promise<FoundSession | null> {
    const sessions = await orUnavailable(() => listSessions(this.#log));
    const found = sessions.find((session) => session.sessionKey === sessionKey);
    if (found === undefined) return null;
    return inLog(found);
  }

  async #history(sessionId: string): Promise<Omit<Standing, "closed">> {
    const read = await orUnavailable(() => readSessionViews(this.#log, sessionId));
    if (read.views.session.status === "new")
      throw new SideQueryError("session_not_found", { field: "source" });
    return read;
  }
}

function inLog({ sessionId, cwd }: SessionSummary): FoundSession {
  // Its conversation was left out of the bundle that it came with.
  if (cwd === null) throw new SideQueryError("history_unavailable", { field: "source" });
  return { kind: "log", sessionId, session: null, cwd };
}

function isOpen({ closed, views }: Standing): boolean {
  return closed === null && views.session.status !== "new";
}

function readingOf({ views, version }: Omit<Standing, "closed">, limit: number | null): Reading {
  const { session, transcript } = views;
  const { cwd, settings, systemPrompt } = session;
  return {
    conversation: conversationOf(systemPrompt, transcript, limit),
    version,
    session: { cwd, settings },
  };
}

/** Why the log can't be read is told to whoever looks after it, by its own errors. */
async function orUnavailable<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch {
    throw new SideQueryError("history_unavailable", { field: "source" });
  }
}
