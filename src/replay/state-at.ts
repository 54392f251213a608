/** A session's views as they stood after any of its facts. */
import { InvalidVersionError, type EventLog } from "../log/index.ts";
import {
  messagesOf,
  project,
  sessionView,
  transcript,
  type SessionView,
  type Transcript,
  type TranscriptMessage,
} from "../projections/index.ts";

/** State and conversation at a version. */
export interface StateAt {
  readonly version: number;
  readonly session: SessionView;
  readonly messages: readonly TranscriptMessage[];
}

/**
 * Folds a session's facts up to a version.
 *
 * @param at - the last version to take; default the stream's last
 * @throws InvalidVersionError when the stream has no such version
 */
export async function stateAt(log: EventLog, stream: string, at?: number): Promise<StateAt> {
  let session = sessionView.initial;
  let conversation: Transcript = transcript.initial;
  let version = 0;
  for await (const fact of log.read(stream, at === undefined ? {} : { to: at })) {
    session = project(sessionView, session, fact);
    conversation = project(transcript, conversation, fact);
    version = fact.version;
  }
  if (at !== undefined && version !== at) {
    const found = (await log.streams(stream)).find((candidate) => candidate.stream === stream);
    throw new InvalidVersionError(stream, at, found?.version ?? 0);
  }
  return { version, session, messages: messagesOf(conversation) };
}
