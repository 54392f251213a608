/** Checkpoints as callers see them. */
import type { EventLog } from "../../log/index.ts";
import type { StoredCheckpoint } from "../../projections/index.ts";
import { isoTime } from "../iso-time.ts";
import type { FoundCheckpoint } from "./store.ts";
import { CheckpointError } from "./errors.ts";
import type { CheckpointRecord, CheckpointSummary } from "./types.ts";

/** The form of the record. */
const RECORD_VERSION = "1.0";

/** Members of `metadata` that are the runtime's. */
export const ownMetadata = [
  "version",
  "kind",
  "origin",
  "tool",
  "pathCount",
  "sessionVersion",
  "position",
] as const;

/** What a session checkpoint holds. */
export interface SessionContent {
  readonly state: unknown;
  readonly context: unknown;
  readonly todos: unknown;
  readonly requirements: unknown;
}

/** A checkpoint in a list. */
export function summaryOf(sessionId: string, { data, at }: StoredCheckpoint): CheckpointSummary {
  const { checkpointId, kind, origin, tool, files, bytes } = data;
  return {
    id: checkpointId,
    sessionId,
    timestamp: isoTime(at),
    kind,
    origin,
    tool,
    pathCount: files.length,
    bytes,
  };
}

/** A whole checkpoint. @throws CheckpointError `content_unavailable` when its content was freed */
export async function recordOf(
  { sessionId, stored }: FoundCheckpoint,
  log: EventLog,
): Promise<CheckpointRecord> {
  const { data, version, position } = stored;
  const summary = summaryOf(sessionId, stored);
  const { kind, origin, tool, pathCount } = summary;
  return {
    ...summary,
    ...(await contentOf(stored, log)),
    metadata: {
      ...data.metadata,
      version: RECORD_VERSION,
      kind,
      origin,
      tool,
      pathCount,
      sessionVersion: version,
      position,
    },
  };
}

/** What it holds. @throws CheckpointError `content_unavailable` */
export async function contentOf({ data }: StoredCheckpoint, log: EventLog): Promise<SessionContent> {
  const { kind, cwd, point, files, content, contentSha256, checkpointId } = data;
  if (kind === "filesystem")
    return { state: { filesystem: { cwd, point, files } }, context: {}, todos: null, requirements: null };
  if (contentSha256 === null) return content as SessionContent;
  if (!(await log.hasBlob(contentSha256)))
    throw new CheckpointError(
      "content_unavailable",
      `the content of ${checkpointId} is not in the log any more`,
    );
  return JSON.parse(Buffer.from(await log.getBlob(contentSha256)).toString()) as SessionContent;
}
