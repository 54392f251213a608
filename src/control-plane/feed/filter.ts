/** Which facts a consumer asks for. */
import type { FactFilter } from "./fact-feed.ts";

/**
 * @param asked.sessionId - all streams of this session: its own, and of a background run or a side query also that of
 * its lifecycle, as their ids are those of their sessions
 */
export function filterOf(asked: {
  readonly sessionId?: string | undefined;
  readonly streams?: string | undefined;
  readonly types?: readonly string[] | undefined;
}): FactFilter {
  const { sessionId, streams = "", types } = asked;
  return {
    prefix: streams,
    types: types === undefined ? null : new Set(types),
    streams:
      sessionId === undefined
        ? null
        : new Set(["session", "background", "side_query"].map((kind) => `${kind}-${sessionId}`)),
  };
}
