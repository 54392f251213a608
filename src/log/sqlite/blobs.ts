/** Large bytes, named by their SHA-256, so that the same bytes are stored once and damage shows at each reading. */
import type { Statement } from "better-sqlite3";
import { NotFoundError } from "../../errors.ts";
import { LogCorruptError } from "../errors.ts";
import { refuse } from "./checks.ts";
import type { Connection } from "./connection.ts";
import { blobHash } from "./hash.ts";
import type { Unit } from "./writer.ts";

/** A little less than SQLite holds in a row. */
const MAX_BLOB_BYTES = 999_000_000;

/** The table of blobs. */
export class Blobs {
  readonly #location: string;
  readonly #insert: Statement<[string, Uint8Array]>;
  readonly #select: Statement<[string], Uint8Array>;
  readonly #find: Statement<[string], number>;

  constructor({ db, location }: Connection) {
    this.#location = location;
    this.#insert = db.prepare(
      "INSERT INTO blobs (sha256, bytes) VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING",
    );
    this.#select = db.prepare<[string], Uint8Array>("SELECT bytes FROM blobs WHERE sha256 = ?").pluck();
    this.#find = db.prepare<[string], number>("SELECT 1 FROM blobs WHERE sha256 = ?").pluck();
  }

  /** Copies the bytes, so that the caller may use its buffer again at once. */
  put(bytes: Uint8Array): Unit<string> {
    if (bytes.length > MAX_BLOB_BYTES)
      refuse("blob", "bytes", `at most ${MAX_BLOB_BYTES} bytes`, bytes.length);
    const copy = Buffer.from(bytes);
    const sha256 = blobHash(copy);
    return {
      size: 1,
      check: () => undefined,
      write: () => {
        this.#insert.run(sha256, copy);
        return sha256;
      },
    };
  }

  /**
   * @throws NotFoundError when no such blob is stored
   * @throws LogCorruptError when the stored bytes have another hash
   */
  get(sha256: string): Uint8Array {
    const bytes = this.#select.get(sha256);
    if (bytes === undefined) throw new NotFoundError(`blob ${sha256} is not in ${this.#location}`);
    if (blobHash(bytes) !== sha256)
      throw new LogCorruptError(this.#location, `blob ${sha256} has other bytes`, null);
    return bytes;
  }

  has(sha256: string): boolean {
    return this.#find.get(sha256) !== undefined;
  }
}
