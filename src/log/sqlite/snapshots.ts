/** Stored folds: the newest of each stream and name. They may be lost at any time, and are then folded again. */
import type { Statement } from "better-sqlite3";
import type { Snapshot } from "../port.ts";
import { assertName, assertText, assertWhole } from "./checks.ts";
import type { Connection } from "./connection.ts";

/** The table of snapshots. */
export class Snapshots {
  readonly #save: Statement<[string, string, number, string, string]>;
  readonly #load: Statement<[string], Snapshot>;

  constructor({ db }: Connection) {
    this.#save = db.prepare(`
      INSERT INTO snapshots (stream, name, version, writer, text) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (stream, name) DO UPDATE
        SET version = excluded.version, writer = excluded.writer, text = excluded.text
        WHERE excluded.version >= version`);
    this.#load = db.prepare(
      "SELECT stream, name, version, writer, text FROM snapshots WHERE stream = ? ORDER BY name",
    );
  }

  /** Inside a transaction. An older one than what is stored is dropped. */
  save({ stream, name, version, writer, text }: Snapshot): void {
    this.#save.run(stream, name, version, writer, text);
  }

  of(stream: string): Snapshot[] {
    return this.#load.all(stream);
  }
}

/** @throws InvalidEnvelopeError */
export function assertSnapshot({ stream, name, version, writer, text }: Snapshot): void {
  assertName("snapshot", "stream", stream);
  assertName("snapshot", "name", name);
  assertName("snapshot", "writer", writer);
  assertWhole("snapshot", "version", version, 0);
  assertText("snapshot", "text", text);
}
