/** What the calls and the restores of a session wrote: what each path held before and after. */
import { upcast, type Fact, type FactData, type FactOf } from "../events/index.ts";

/** What a path holds, as far as it was recorded. `mode` is `null` when only the bytes are known. */
export type PathContent =
  | { readonly is: "file"; readonly sha256: string; readonly mode: number | null }
  | { readonly is: "absent" }
  | { readonly is: "unknown" };

/** One path that was changed. */
export interface FileWrite {
  readonly path: string;
  readonly before: PathContent;
  readonly after: PathContent;
  /** Of the fact that tells it, over the whole log. */
  readonly position: number;
}

/** A directory that was made for a file. */
export interface MadeDirectory {
  readonly path: string;
  readonly position: number;
}

/** The types of the facts that tell of writes. */
export const fileHistoryTypes = [
  "tool_call.returned",
  "tool_call.interrupted",
  "tool_call.receipt_recorded",
  "checkpoint.restored",
] as const;

type Told = FactOf<(typeof fileHistoryTypes)[number]>;
type Receipt = NonNullable<FactData<"tool_call.returned">["receipt"]>;
type Change = Receipt["files"][number];

/** What a fact tells of writes, in its order; nothing for a fact of another type. */
export function writesOf(fact: Fact): FileWrite[] {
  const told = toldBy(fact);
  if (told === null) return [];
  const { position } = fact;
  if (told.type !== "checkpoint.restored")
    return (told.data.receipt?.files ?? []).map((change) => ({ ...imagesOf(change), position }));
  return told.data.written.map(({ path, beforeSha256, beforeMode, afterSha256, afterMode }) => ({
    path,
    before: fileOr(beforeSha256, beforeMode, "absent"),
    after: fileOr(afterSha256, afterMode, "absent"),
    position,
  }));
}

/** The directories that a fact tells of, outermost first. */
export function madeDirectoriesOf(fact: Fact): MadeDirectory[] {
  const told = toldBy(fact);
  if (told === null) return [];
  const made =
    told.type === "checkpoint.restored" ? told.data.createdDirs : (told.data.receipt?.createdDirs ?? []);
  return made.map((path) => ({ path, position: fact.position }));
}

/** What was last written to each path, by writes after a position. */
export function ledgerOf(writes: readonly FileWrite[], after: number): Map<string, PathContent> {
  return new Map(
    writes.filter(({ position }) => position > after).map(({ path, after: now }) => [path, now]),
  );
}

/** What each path held before the first write to it after a position, in the order of those writes. */
export function heldAt(writes: readonly FileWrite[], at: number): Map<string, PathContent> {
  const held = new Map<string, PathContent>();
  for (const { path, before, position } of writes)
    if (position > at && !held.has(path)) held.set(path, before);
  return held;
}

function toldBy(fact: Fact): Told | null {
  // The catalogue ties data to type, and the type is one of these.
  return (fileHistoryTypes as readonly string[]).includes(fact.type) ? (upcast(fact) as Told) : null;
}

/** A change says what was not there; any other hash that is missing is not known. */
function imagesOf({ path, change, ...images }: Change): Omit<FileWrite, "position"> {
  const { beforeSha256, beforeMode, afterSha256, afterMode } = images;
  return {
    path,
    before: change === "created" ? { is: "absent" } : fileOr(beforeSha256, beforeMode, "unknown"),
    after: change === "deleted" ? { is: "absent" } : fileOr(afterSha256, afterMode, "unknown"),
  };
}

function fileOr(sha256: string | null, mode: number | null, otherwise: "absent" | "unknown"): PathContent {
  return sha256 === null ? { is: otherwise } : { is: "file", sha256, mode };
}

/** Whether two contents are the same as far as both are known; of what is not known that can't be said. */
export function isSameContent(a: PathContent, b: PathContent): boolean {
  if (a.is === "unknown" || b.is === "unknown") return false;
  if (a.is === "absent" || b.is === "absent") return a.is === b.is;
  return a.sha256 === b.sha256 && (a.mode === null || b.mode === null || a.mode === b.mode);
}
