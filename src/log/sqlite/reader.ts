/** Reading in pages: no statement stays open while a caller is busy, and a huge stream is never in memory at once. */
import type { Statement } from "better-sqlite3";
import type { Fact } from "../../events/index.ts";
import { CursorAheadError, InvalidCursorError } from "../errors.ts";
import type { Cursor, ReadAllOptions, ReadOptions, StoredFact } from "../port.ts";
import { guarded, type Connection } from "./connection.ts";
import { typedFault } from "./faults.ts";
import { factOf, storedFactOf, type Convert, type Row } from "./rows.ts";

/** CROSS JOIN: facts are walked in their order, and each finds the name of its stream. */
export const FACTS = `
  SELECT position, name, version, type, schema_version, at, kind, actor, causation, correlation, data, hash
  FROM facts CROSS JOIN streams ON streams.id = facts.stream`;

/** Of one stream: its name is given, and not looked up again at each fact. */
const FACTS_OF_STREAM = `
  SELECT position, @stream, version, type, schema_version, at, kind, actor, causation, correlation, data, hash
  FROM facts WHERE stream = (SELECT id FROM streams WHERE name = @stream) AND version BETWEEN @from AND @to`;

/** Who asks by type reads the data, so facts whose data was left out are not among them: no JSON text begins with an s. */
const WITH_DATA = "substr(data, 1, 1) <> 's'";

const OF_TYPES = `AND type IN (SELECT value FROM json_each(@types)) AND ${WITH_DATA}`;

/** Versions, both inclusive. */
interface Versions {
  readonly from: number;
  readonly to: number;
}

interface Range extends Versions {
  readonly stream: string;
}

interface RangeOfTypes extends Range {
  /** JSON list. */
  readonly types: string;
}

const MAX_PAGE_FACTS = 256;
const MAX_PAGE_CHARS = 1_000_000;
/** How many positions one statement looks at when most of what it sees may be filtered out. */
const SCAN_POSITIONS = 4_096;

/** Reads facts. Everything here is synchronous and short; the generators stand still between pages. */
export class Reader {
  readonly #connection: Connection;
  readonly #forwards: Statement<[Range], Row>;
  readonly #backwards: Statement<[Range], Row>;
  readonly #forwardsOfTypes: Statement<[RangeOfTypes], Row>;
  readonly #backwardsOfTypes: Statement<[RangeOfTypes], Row>;
  readonly #range: Statement<[number, number], Row>;
  readonly #rangeOfTypes: Statement<[number, number, string], Row>;
  readonly #lastPosition: Statement<[], number>;
  readonly #lastVersion: Statement<[string], number>;

  constructor(connection: Connection) {
    const { db } = connection;
    this.#connection = connection;
    const ofRange = `${FACTS} WHERE position BETWEEN ? AND ?`;
    this.#forwards = db.prepare<[Range], Row>(`${FACTS_OF_STREAM} ORDER BY version`).raw();
    this.#backwards = db.prepare<[Range], Row>(`${FACTS_OF_STREAM} ORDER BY version DESC`).raw();
    const ofTypes = `${FACTS_OF_STREAM} ${OF_TYPES} ORDER BY version`;
    this.#forwardsOfTypes = db.prepare<[RangeOfTypes], Row>(ofTypes).raw();
    this.#backwardsOfTypes = db.prepare<[RangeOfTypes], Row>(`${ofTypes} DESC`).raw();
    this.#range = db.prepare<[number, number], Row>(`${ofRange} ORDER BY position`).raw();
    this.#rangeOfTypes = db
      .prepare<[number, number, string], Row>(
        `${ofRange} AND type IN (SELECT value FROM json_each(?)) AND ${WITH_DATA} ORDER BY position`,
      )
      .raw();
    this.#lastPosition = db.prepare<[], number>("SELECT ifnull(max(position), 0) FROM facts").pluck();
    this.#lastVersion = db
      .prepare<[string], number>(
        "SELECT ifnull(max(version), 0) FROM facts WHERE stream = (SELECT id FROM streams WHERE name = ?)",
      )
      .pluck();
  }

  /** Position of the log's last fact, 0 when it is empty. */
  lastPosition(): number {
    return guarded(this.#connection, () => this.#lastPosition.get() ?? 0);
  }

  /** Facts behind `after`, as many as fit on a page; empty at the end. */
  pageAfter(after: number): Fact[] {
    return this.#page(this.#range, [after + 1, Number.MAX_SAFE_INTEGER], factOf, after + 1);
  }

  /** A stream's facts, a page at a time. */
  pages(stream: string, options: ReadOptions): AsyncGenerator<readonly Fact[]> {
    return this.#pagesOf(stream, options, factOf);
  }

  /** The same, with the data's text as it is stored. */
  readStored(stream: string, options: ReadOptions): AsyncGenerator<readonly StoredFact[]> {
    return this.#pagesOf(stream, options, storedFactOf);
  }

  async *readAll({ after, types, limit = Number.POSITIVE_INFINITY }: ReadAllOptions): AsyncGenerator<Fact> {
    const last = this.lastPosition();
    let position = this.positionOf(after);
    let left = limit;
    const wanted = types === undefined ? null : JSON.stringify(types);
    while (position < last && left > 0) {
      const to = wanted === null ? last : Math.min(position + SCAN_POSITIONS, last);
      const page =
        wanted === null
          ? this.#page(this.#range, [position + 1, to], factOf, position + 1, left)
          : this.#page(this.#rangeOfTypes, [position + 1, to, wanted], factOf, null, left);
      yield* page;
      left -= page.length;
      position = page.at(-1)?.position ?? to;
    }
  }

  /**
   * The position at which a cursor stands; 0 without one.
   *
   * @throws InvalidCursorError, CursorAheadError
   */
  positionOf(cursor: Cursor | undefined): number {
    if (cursor === undefined) return 0;
    const position = /^at-(\d{1,15})$/.exec(cursor)?.[1];
    if (position === undefined) throw new InvalidCursorError(cursor);
    const last = this.lastPosition();
    if (Number(position) > last) throw new CursorAheadError(Number(position), last);
    return Number(position);
  }

  async *#pagesOf<Item extends StoredFact | Fact>(
    stream: string,
    { from = 1, to = Number.MAX_SAFE_INTEGER, backwards = false, types }: ReadOptions,
    convert: Convert<Item>,
  ): AsyncGenerator<Item[]> {
    // The end is fixed here: a reader that is slower than the writer would never come to one.
    const last = guarded(this.#connection, () => this.#lastVersion.get(stream) ?? 0);
    const whole = { from: Math.max(from, 1), to: Math.min(to, last) };
    if (types === undefined) {
      const statement = backwards ? this.#backwards : this.#forwards;
      yield* pagesWithin(whole, backwards, (range) =>
        this.#page(statement, [{ stream, ...range }], convert, null),
      );
      return;
    }
    const statement = backwards ? this.#backwardsOfTypes : this.#forwardsOfTypes;
    const wanted = JSON.stringify(types);
    for (const part of partsOf(whole, backwards)) {
      yield* pagesWithin(part, backwards, (range) =>
        this.#page(statement, [{ stream, ...range, types: wanted }], convert, null),
      );
    }
  }

  /** @param first - position of the first row, when every row from it on is asked for */
  #page<Bound extends unknown[], Item>(
    statement: Statement<Bound, Row>,
    bound: Bound,
    convert: Convert<Item>,
    first: number | null,
    maxFacts = MAX_PAGE_FACTS,
  ): Item[] {
    const { location } = this.#connection;
    const facts: Item[] = [];
    let chars = 0;
    try {
      for (const row of statement.iterate(...bound)) {
        facts.push(convert(row, location));
        chars += row[10].length;
        if (facts.length >= Math.min(maxFacts, MAX_PAGE_FACTS) || chars >= MAX_PAGE_CHARS) break;
      }
    } catch (error) {
      // What could still be read is given out first; the fault then meets the next page.
      if (facts.length > 0) return facts;
      throw typedFault(error, location, first);
    }
    return facts;
  }
}

/** Pages until one comes back empty. */
function* pagesWithin<Item extends { readonly version: number }>(
  { from, to }: Versions,
  backwards: boolean,
  pageOf: (range: Versions) => Item[],
): Generator<Item[]> {
  let range: Versions = { from, to };
  while (range.from <= range.to) {
    const page = pageOf(range);
    const end = page.at(-1);
    if (end === undefined) return;
    yield page;
    range = backwards ? { from, to: end.version - 1 } : { from: end.version + 1, to };
  }
}

/** Where most facts may be passed over, one statement looks at so many versions and no more. */
function* partsOf({ from, to }: Versions, backwards: boolean): Generator<Versions> {
  if (backwards) {
    for (let end = to; end >= from; end -= SCAN_POSITIONS)
      yield { from: Math.max(from, end - SCAN_POSITIONS + 1), to: end };
  } else {
    for (let start = from; start <= to; start += SCAN_POSITIONS)
      yield { from: start, to: Math.min(to, start + SCAN_POSITIONS - 1) };
  }
}

/** The cursor of a position; `Reader.positionOf` reads it. */
export function cursorAt(position: number): Cursor {
  return `at-${position}`;
}
