/** Stored folds: the newest of each stream and name. They may be lost at any time, and are then folded again. */
import type { Statement } from "better-sqlite3";
import type { Snapshot, SnapshotHead } from "../port.ts";
import { assertName, assertText, assertWhole } from "./checks.ts";
import type { Connection } from "./connection.ts";
import { sha256OfAll } from "./hash.ts";

interface Row extends Omit<Snapshot, "text"> {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** The table of snapshots. */
export class Snapshots {
  readonly #save: Statement<[string, string, number, string, string, string]>;
  readonly #heads: Statement<[string], SnapshotHead>;
  readonly #load: Statement<[string, string], Row>;

  constructor({ db }: Connection) {
    this.#save = db.prepare(`
      INSERT INTO snapshots (stream, name, version, writer, text, sha256) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (stream, name) DO UPDATE
        SET version = excluded.version, writer = excluded.writer, text = excluded.text, sha256 = excluded.sha256
        WHERE excluded.version >= version`);
    this.#load = db.prepare(`
      SELECT stream, name, version, writer, CAST(text AS BLOB) AS bytes, sha256
      FROM snapshots WHERE stream = ? AND name = ?`);
    this.#heads = db.prepare(`SELECT name, version, writer FROM snapshots WHERE stream = ? ORDER BY name`);
  }

  /** Inside a transaction. An older one than what is stored is dropped. */
  save(snapshot: Snapshot): void {
    const { stream, name, version, writer, text } = snapshot;
    this.#save.run(stream, name, version, writer, text, digestOf(snapshot, text));
  }

  /** Those of a stream. One whose bytes have changed since is left out: folding again is slower, but true. */
  of(
    stream: string,
    choose: (heads: readonly SnapshotHead[]) => readonly SnapshotHead[] = (heads) => heads,
  ): Snapshot[] {
    const snapshots: Snapshot[] = [];
    for (const { name } of choose(this.#heads.all(stream))) {
      const row = this.#load.get(stream, name);
      if (row !== undefined && digestOf(row, row.bytes) === row.sha256)
        snapshots.push(new LoadedSnapshot(row));
    }
    return snapshots;
  }
}

/** Decoded when its text is asked for: making the strings costs twice what reading and checking the bytes does. */
class LoadedSnapshot implements Snapshot {
  readonly stream: string;
  readonly name: string;
  readonly version: number;
  readonly writer: string;
  readonly #bytes: Buffer;

  constructor({ stream, name, version, writer, bytes }: Row) {
    this.stream = stream;
    this.name = name;
    this.version = version;
    this.writer = writer;
    this.#bytes = bytes;
  }

  get text(): string {
    return this.#bytes.toString();
  }
}

/** SHA-256 over all of a snapshot, in lower-case hex. `text` may be its UTF-8 bytes. */
export function digestOf(
  { stream, name, version, writer }: Omit<Snapshot, "text">,
  text: string | Uint8Array,
): string {
  return sha256OfAll([JSON.stringify([stream, name, version, writer]), text]);
}

/** @throws InvalidEnvelopeError */
export function assertSnapshot({ stream, name, version, writer, text }: Snapshot): void {
  assertName("snapshot", "stream", stream);
  assertName("snapshot", "name", name);
  assertName("snapshot", "writer", writer);
  assertWhole("snapshot", "version", version, 0);
  assertText("snapshot", "text", text);
}
