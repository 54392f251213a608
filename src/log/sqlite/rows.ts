/** From rows of the table to facts. Written out: objects made by spreading cost more than their hash. */
import type { Fact, FactKind } from "../../events/index.ts";
import { LogCorruptError } from "../errors.ts";
import type { StoredFact } from "../port.ts";
import { digestIn, NO_DATA } from "./redacted-text.ts";

/** A row as SQLite gives it, in the order of `COLUMNS`. */
export type Row = readonly [
  position: number,
  stream: string,
  version: number,
  type: string,
  schemaVersion: number,
  at: number,
  kind: FactKind,
  actor: string,
  causation: number | null,
  correlation: string | null,
  text: string,
  hash: string,
];

/** From a row to what a reader gets. */
export type Convert<Item> = (row: Row, location: string) => Item;

/** With the data's text as it is stored. */
export function storedFactOf(row: Row): StoredFact {
  const [
    position,
    stream,
    version,
    type,
    schemaVersion,
    at,
    kind,
    actor,
    causation,
    correlation,
    stored,
    hash,
  ] = row;
  const redacted = digestIn(stored);
  const text = redacted === undefined ? stored : NO_DATA;
  const fact = {
    position,
    stream,
    version,
    type,
    schemaVersion,
    at,
    kind,
    actor,
    causation,
    correlation,
    text,
    hash,
  };
  return redacted === undefined ? fact : { ...fact, redacted };
}

/** With the data parsed. @throws LogCorruptError when it is not JSON */
export function factOf(row: Row, location: string): Fact {
  const [
    position,
    stream,
    version,
    type,
    schemaVersion,
    at,
    kind,
    actor,
    causation,
    correlation,
    stored,
    hash,
  ] = row;
  const redacted = digestIn(stored);
  let data: unknown;
  try {
    data = JSON.parse(redacted === undefined ? stored : NO_DATA);
  } catch (error) {
    throw new LogCorruptError(
      location,
      `the data of ${stream} version ${version} is not JSON`,
      position,
      error,
    );
  }
  const fact = {
    position,
    stream,
    version,
    type,
    schemaVersion,
    at,
    kind,
    actor,
    causation,
    correlation,
    data,
    hash,
  };
  return redacted === undefined ? fact : { ...fact, redacted };
}
