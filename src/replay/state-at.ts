/** A session as it stood after any of its facts. docs/reference/time-travel.md, "State at a version" */
import { nearestState } from "../actors/session-states.ts";
import { featuresKnownAt, type FeaturesAt } from "../harness/index.ts";
import { historyOf, InvalidVersionError, type EventLog } from "../log/index.ts";
import {
  approvalsIn,
  messagesOf,
  project,
  SessionTally,
  sessionView,
  transcript,
  type PendingApproval,
  type SessionView,
  type TallyView,
  type Transcript,
  type TranscriptMessage,
} from "../projections/index.ts";
import { supervisionAt, type SupervisionAt } from "./supervision-at.ts";

/** All that is known of a session at a version, as JSON. */
export interface StateAt extends TallyView {
  readonly version: number;
  readonly session: SessionView;
  /** Oldest first. */
  readonly messages: readonly TranscriptMessage[];
  /** The feature file of its folder; `null` when nothing was known of one. */
  readonly features: FeaturesAt | null;
  /** Calls that wait for a person, in call order. */
  readonly approvals: readonly PendingApproval[];
  /** Its part of the supervision tree; `null` when no runtime told of it. */
  readonly supervision: SupervisionAt | null;
}

/** What the facts of its own stream, and of those that it was forked from, add up to. */
export interface ViewsAt {
  readonly version: number;
  /** Of the last fact, over the whole log; 0 without any. */
  readonly position: number;
  readonly session: SessionView;
  readonly transcript: Transcript;
  readonly tally: SessionTally;
}

/**
 * Folds a session's facts up to a version, and looks up what other streams knew by then.
 *
 * @param at - the last version to take; default the stream's last
 * @throws InvalidVersionError when the stream has no such version
 */
export async function stateAt(log: EventLog, stream: string, at?: number): Promise<StateAt> {
  const { version, position, session, transcript: conversation, tally } = await viewsAt(log, stream, at);
  const [features, supervision] = await Promise.all([
    session.cwd === "" ? null : featuresKnownAt(log, session.cwd, position),
    session.sessionId === "" ? null : supervisionAt(log, session.sessionId, position),
  ]);
  return {
    version,
    session,
    messages: messagesOf(conversation),
    ...tally.view(),
    features,
    approvals: approvalsIn(session),
    supervision,
  };
}

/** The views alone. @throws InvalidVersionError when the stream has no such version */
export async function viewsAt(log: EventLog, stream: string, at?: number): Promise<ViewsAt> {
  const stored = await nearestState(log, stream, at);
  let session = stored?.session ?? sessionView.initial;
  let conversation: Transcript = stored?.transcript ?? transcript.initial;
  const tally = stored?.tally ?? new SessionTally();
  let { version, position } = stored ?? { version: 0, position: 0 };
  const range = {
    ...(stored === null ? {} : { from: version + 1 }),
    ...(at === undefined ? {} : { to: at }),
  };
  for await (const fact of historyOf(log, stream, range)) {
    session = project(sessionView, session, fact);
    conversation = project(transcript, conversation, fact);
    tally.fold(fact);
    ({ version, position } = fact);
  }
  if (at !== undefined && (version !== at || at < 1)) {
    const found = (await log.streams(stream)).find((candidate) => candidate.stream === stream);
    throw new InvalidVersionError(stream, at, found?.version ?? 0);
  }
  return { version, position, session, transcript: conversation, tally };
}
