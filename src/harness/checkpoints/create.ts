/** Checks what a caller gives for a checkpoint, and makes its fact. docs/reference/checkpoints.md, "Taking one" */
import { assertJson, type FactData, type Json } from "../../events/index.ts";
import { LemonError } from "../../errors.ts";
import type { CheckpointFile } from "../../workspace/index.ts";
import { CheckpointError } from "./errors.ts";
import { ownMetadata, type SessionContent } from "./record.ts";
import type { CheckpointOrigin } from "./types.ts";

/** Bytes of a session checkpoint's content that a fact holds; more goes into a blob. */
const MAX_INLINE_BYTES = 256 * 1024;
/** More than this is refused. */
const MAX_CONTENT_BYTES = 10 * 1024 * 1024;

type Created = FactData<"checkpoint.created">;

/** How checked content is stored. */
export interface Storing {
  /** Hides secrets. */
  readonly mask: <Value extends Json>(value: Value) => Value;
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
}

/** @throws CheckpointError `invalid_state` naming the member that is no JSON */
export function assertContent(content: SessionContent): void {
  for (const field of ["state", "context", "todos", "requirements"] as const) {
    const value = content[field];
    try {
      assertJson(value, field);
    } catch (error) {
      throw invalidState(field, error instanceof LemonError ? error.message : `${field} is no JSON`);
    }
    if (field === "todos" && value !== null && !Array.isArray(value))
      throw invalidState(field, "todos: expected a list or null");
  }
}

function invalidState(field: string, message: string): CheckpointError {
  return new CheckpointError("invalid_state", message, { field, expected: "JSON" });
}

/** What a caller adds to a record; none: nothing. @throws CheckpointError `invalid_metadata` */
export function checkedMetadata(metadata: unknown): Created["metadata"] {
  if (metadata === undefined) return {};
  const refuse = (what: string, field: string): never => {
    throw new CheckpointError("invalid_metadata", `metadata: ${what}`, { field });
  };
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return refuse("expected an object", "metadata");
  const given = metadata as Readonly<Record<string, unknown>>;
  for (const name of ownMetadata)
    if (Object.hasOwn(given, name)) refuse(`${name} is the runtime's own member`, `metadata.${name}`);
  try {
    assertJson(given, "metadata");
  } catch (error) {
    return refuse(error instanceof LemonError ? error.message : "is no JSON", "metadata");
  }
  return JSON.parse(JSON.stringify(given)) as Created["metadata"];
}

/** The fact of a session checkpoint. @throws CheckpointError `invalid_state` when it is too large */
export async function sessionCheckpoint(
  checkpointId: string,
  content: SessionContent,
  metadata: Created["metadata"],
  { mask, putBlob }: Storing,
): Promise<Created> {
  const text = JSON.stringify(mask(content as unknown as Json));
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_CONTENT_BYTES)
    throw invalidState(
      "state",
      `the content has ${bytes.length} bytes, at most ${MAX_CONTENT_BYTES} can be kept`,
    );
  const isInline = bytes.length <= MAX_INLINE_BYTES;
  return {
    ...blank,
    checkpointId,
    kind: "session",
    content: isInline ? (JSON.parse(text) as SessionContent) : null,
    contentSha256: isInline ? null : await putBlob(bytes),
    metadata,
    bytes: bytes.length,
  };
}

/** Of what a checkpoint of files is made. */
export interface FilesToKeep {
  readonly checkpointId: string;
  readonly origin: CheckpointOrigin;
  /** As the checkpoint's paths have it: its links resolved. */
  readonly cwd: string;
  /** `null`: a point. */
  readonly files: readonly CheckpointFile[] | null;
  readonly tool?: string | null | undefined;
  readonly callId?: string | null | undefined;
  readonly runId?: string | null | undefined;
  readonly metadata?: Created["metadata"] | undefined;
}

/** The fact of a checkpoint of files. */
export function filesCheckpoint({ files, tool, callId, runId, metadata, ...rest }: FilesToKeep): Created {
  return {
    ...blank,
    ...rest,
    kind: "filesystem",
    tool: tool ?? null,
    callId: callId ?? null,
    runId: runId ?? null,
    point: files === null,
    files: [...(files ?? [])],
    metadata: metadata ?? {},
    bytes: (files ?? []).reduce((sum, { size }) => sum + (size ?? 0), 0),
  };
}

const blank = {
  origin: "user",
  tool: null,
  callId: null,
  runId: null,
  cwd: null,
  point: false,
  files: [],
  content: null,
  contentSha256: null,
  metadata: {},
} satisfies Partial<Created>;
