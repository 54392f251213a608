/** The files that a session wrote, as receipts and restores tell it. */
import { callIdOf, type Fact } from "../../events/index.ts";
import { writesOf, type FileWrite } from "../../projections/index.ts";
import type { FileContent, FileRow } from "../api.ts";

interface Write extends Pick<FileWrite, "before" | "after"> {
  readonly version: number;
  readonly at: number;
  readonly callId: string | null;
}

/** Grows by one fact at a time, in version order. */
export class WriteLedger {
  readonly #byPath = new Map<string, Write[]>();

  /** @param fact - one that this version can read */
  take(fact: Fact): void {
    for (const { path, before, after } of writesOf(fact)) {
      const write = {
        version: fact.version,
        at: fact.at,
        callId: callIdOf(fact.data) || null,
        before,
        after,
      };
      const known = this.#byPath.get(path);
      if (known === undefined) this.#byPath.set(path, [write]);
      else known.push(write);
    }
  }

  /** The files that had been written by a version, by path. */
  at(version: number, toolOf: (callId: string | null) => string | null): FileRow[] {
    const rows: FileRow[] = [];
    for (const [path, writes] of this.#byPath) {
      const seen = writes.filter((write) => write.version <= version);
      const [first, last] = [seen[0], seen.at(-1)];
      if (first === undefined || last === undefined) continue;
      rows.push({
        path,
        change: changeOf(first.before, last.after),
        first: first.before,
        now: last.after,
        writes: seen.map(({ version: at, at: time, callId }) => ({
          version: at,
          at: time,
          callId,
          tool: toolOf(callId),
        })),
      });
    }
    return rows.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** What a path held at a version; `null` for a path that was never written. */
  contentAt(path: string, version: number): FileContent | null {
    const writes = this.#byPath.get(path);
    if (writes === undefined) return null;
    const last = writes.findLast((write) => write.version <= version);
    return last?.after ?? (writes[0] as Write).before;
  }
}

function changeOf(first: FileContent, now: FileContent): FileRow["change"] {
  if (first.is === "absent") return now.is === "absent" ? "unchanged" : "created";
  if (now.is === "absent") return "deleted";
  const isSame =
    first.is === "file" && now.is === "file" && first.sha256 === now.sha256 && first.mode === now.mode;
  return isSame ? "unchanged" : "modified";
}
